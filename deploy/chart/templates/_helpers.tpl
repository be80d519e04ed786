{{- define "allclose.name" -}}
{{- $name := ternary .Release.Name (printf "%s-allclose" .Release.Name) (contains "allclose" .Release.Name) -}}
{{- trunc 40 $name | trimSuffix "-" -}}
{{- end -}}

{{/* The labels by which selectors find the pods of a component: (list $ "web") */}}
{{- define "allclose.selector" -}}
app.kubernetes.io/name: allclose
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{- define "allclose.labels" -}}
{{ include "allclose.selector" . }}
app.kubernetes.io/version: {{ (index . 0).Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ (index . 0).Release.Service }}
helm.sh/chart: {{ printf "%s-%s" (index . 0).Chart.Name (index . 0).Chart.Version }}
{{- end -}}

{{/* Refuses to render without what has no default, and names all of it at once. */}}
{{- define "allclose.check" -}}
{{- $lacking := list -}}
{{- if not .Values.existingSecret -}}
{{- $lacking = append $lacking "existingSecret is empty: Allclose needs your own PostgreSQL, version 15 or newer. Create a Secret with the key database-url (postgresql://user:password@host/name), and set existingSecret to its name." -}}
{{- end -}}
{{- $uses := dict "service" (or .Values.web.enabled .Values.migrations.enabled) "worker" .Values.pools.cpu.enabled "gpuWorker" .Values.pools.gpu.enabled -}}
{{- range $image, $isUsed := $uses -}}
{{- if and $isUsed (not (index $.Values.images $image)) -}}
{{- $lacking = append $lacking (printf "images.%s is empty: build this image, push it, and write its name without a tag, such as registry.example/allclose." $image) -}}
{{- end -}}
{{- end -}}
{{- if and .Values.ingress.enabled (not .Values.ingress.host) -}}
{{- $lacking = append $lacking "ingress.host is empty: write the host name of the pages, such as judge.example." -}}
{{- else if and .Values.web.enabled (not .Values.publicUrl) (not .Values.ingress.enabled) -}}
{{- $lacking = append $lacking "publicUrl is empty: write the address of the pages, such as https://judge.example, or set ingress.enabled and ingress.host." -}}
{{- end -}}
{{- if and .Values.smtp.host (not .Values.smtp.from) -}}
{{- $lacking = append $lacking "smtp.from is empty: write the sender's address, such as allclose@example.org." -}}
{{- end -}}
{{- if and .Values.oidc.issuer (not .Values.oidc.clientId) -}}
{{- $lacking = append $lacking "oidc.clientId is empty: write the client ID that the provider gave you." -}}
{{- end -}}
{{- with .Values.web -}}
{{- $most := ternary .autoscaling.maxReplicas .replicas .autoscaling.enabled | int -}}
{{- if and .enabled .data.enabled (gt $most 1) (ne .data.accessMode "ReadWriteMany") -}}
{{- $lacking = append $lacking (printf "web.data.accessMode is %s, which only one pod can use, and there may be %d: set it to ReadWriteMany, or web.replicas to 1." .data.accessMode $most) -}}
{{- end -}}
{{- end -}}
{{- range $queue, $pool := .Values.pools -}}
{{- if and $pool.enabled $.Values.workers.gvisor.enabled $pool.runtimeClassName -}}
{{- $lacking = append $lacking (printf "pools.%s.runtimeClassName and workers.gvisor.enabled are both set: a pod has one runtime class. Unset one of them." $queue) -}}
{{- end -}}
{{- if and $pool.autoscaling.enabled (gt (int $pool.autoscaling.minReplicas) (int $pool.autoscaling.maxReplicas)) -}}
{{- $lacking = append $lacking (printf "pools.%s.autoscaling.minReplicas is %d, above maxReplicas, which is %d: lower it, or raise maxReplicas." $queue (int $pool.autoscaling.minReplicas) (int $pool.autoscaling.maxReplicas)) -}}
{{- end -}}
{{- end -}}
{{- if $lacking -}}
{{- fail (printf "\n- %s\n" (join "\n- " $lacking)) -}}
{{- end -}}
{{- end -}}

{{/* An image with its tag: (list $ "service") */}}
{{- define "allclose.image" -}}
{{- $ := index . 0 -}}
{{- printf "%s:%s" (index $.Values.images (index . 1)) ($.Values.images.tag | default $.Chart.AppVersion) -}}
{{- end -}}

{{- define "allclose.publicUrl" -}}
{{- .Values.publicUrl | default (printf "%s://%s" (ternary "https" "http" .Values.ingress.tls.enabled) .Values.ingress.host) -}}
{{- end -}}

{{/* What every pod has. No service links: Kubernetes would set ALLCLOSE_PORT for a Service that is called allclose. */}}
{{- define "allclose.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.images.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* Where the pods of a component may run, and before which others: its values. */}}
{{- define "allclose.placement" -}}
{{- range $field := list "priorityClassName" "nodeSelector" "tolerations" "affinity" }}
{{- with get $ $field }}
{{ $field }}: {{- if kindIs "string" . }} {{ . }}{{ else }}{{ toYaml . | nindent 2 }}{{ end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* The user of the images. OnRootMismatch: else each mount would open the backups' folder to the group. */}}
{{- define "allclose.user" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
{{- end -}}

{{- define "allclose.confined" -}}
allowPrivilegeEscalation: false
privileged: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end -}}

{{- define "allclose.settings" -}}
- {name: ALLCLOSE_DATABASE_URL_FILE, value: /secrets/database-url}
- {name: ALLCLOSE_LOG_FORMAT, value: {{ .Values.logFormat }}}
- {name: ALLCLOSE_LOG_LEVEL, value: {{ .Values.logLevel }}}
{{- end -}}

{{- define "allclose.webSettings" -}}
{{ include "allclose.settings" . }}
- {name: ALLCLOSE_PUBLIC_URL, value: {{ include "allclose.publicUrl" . | quote }}}
{{- with .Values.trustedProxies }}
- {name: ALLCLOSE_TRUSTED_PROXIES, value: {{ join "," . | quote }}}
{{- end }}
{{- with .Values.smtp }}
{{- if .host }}
- {name: ALLCLOSE_SMTP_HOST, value: {{ .host | quote }}}
- {name: ALLCLOSE_SMTP_PORT, value: {{ .port | quote }}}
- {name: ALLCLOSE_SMTP_FROM, value: {{ .from | quote }}}
- {name: ALLCLOSE_SMTP_SECURITY, value: {{ .security }}}
{{- if .user }}
- {name: ALLCLOSE_SMTP_USER, value: {{ .user | quote }}}
- {name: ALLCLOSE_SMTP_PASSWORD_FILE, value: /secrets/smtp-password}
{{- end }}
{{- end }}
{{- end }}
{{- with .Values.oidc }}
{{- if .issuer }}
- {name: ALLCLOSE_OIDC_ISSUER, value: {{ .issuer | quote }}}
- {name: ALLCLOSE_OIDC_CLIENT_ID, value: {{ .clientId | quote }}}
- {name: ALLCLOSE_OIDC_CLIENT_SECRET_FILE, value: /secrets/oidc-client-secret}
- {name: ALLCLOSE_OIDC_NAME, value: {{ .name | quote }}}
- {name: ALLCLOSE_OIDC_SCOPES, value: {{ .scopes | quote }}}
{{- end }}
{{- end }}
{{- end -}}

{{/* The volume of secrets with these keys: (list $ "databaseUrl" …). Files have the keys' default names. */}}
{{- define "allclose.secrets" -}}
{{- $ := index . 0 -}}
name: secrets
secret:
  secretName: {{ $.Values.existingSecret }}
  defaultMode: 0440
  items:
    {{- range rest . }}
    - {key: {{ index $.Values.secretKeys . }}, path: {{ kebabcase . }}}
    {{- end }}
{{- end -}}

{{/* Rules of egress. An empty `to` is any address: (dict "to" list "port" 5432) */}}
{{- define "allclose.egress" -}}
- ports:
    - {protocol: TCP, port: {{ .port }}}
  {{- with .to }}
  to: {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{/* What every pod may reach: DNS, PostgreSQL, and the collector of traces if there is one. */}}
{{- define "allclose.egressOfAll" -}}
- ports:
    - {protocol: UDP, port: 53}
    - {protocol: TCP, port: 53}
  {{- with .Values.networkPolicy.dns.to }}
  to: {{- toYaml . | nindent 4 }}
  {{- end }}
{{ include "allclose.egress" .Values.networkPolicy.database }}
{{- end -}}

{{/* The seconds that the oldest judging of a queue has waited for a student. Rejudgings (priority -1000000) don't count. */}}
{{- define "allclose.queueAge" -}}
SELECT coalesce(ceil(extract(epoch FROM now() - min(queued_at))), 0)::bigint
FROM jobs JOIN judgings ON judgings.id = judging_id
WHERE jobs.queue = '{{ . }}' AND priority > -1000000 AND (lease_until IS NULL OR lease_until < now())
{{- end -}}

{{/* The slots of a queue in use, or 1 if jobs wait and none is in use: workers that judge stay, and jobs wake the first. */}}
{{- define "allclose.busySlots" -}}
SELECT greatest(count(lease_until), (count(*) > 0)::int)
FROM jobs WHERE queue IN ('{{ . }}', 'verify-{{ . }}'{{ if eq . "cpu" }}, 'similarity'{{ end }})
{{- end -}}
