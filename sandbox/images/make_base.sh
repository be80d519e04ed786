#!/usr/bin/env bash
# Makes a base image from this machine's own Debian or Ubuntu release and its own mirror, for a machine that reaches
# no image registry: `sudo sandbox/images/make_base.sh allclose-base`, then `make images BASE=allclose-base`.
# Everything is fetched by this machine's apt and debootstrap, so that their proxies and certificates hold.
set -euo pipefail
umask 022

name=${1:-allclose-base}
[ "$(id -u)" -eq 0 ] || { echo "debootstrap needs root: sudo $0 $name" >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "debootstrap is missing: sudo apt-get install debootstrap" >&2; exit 1; }

root=$(mktemp -d)
log=$(mktemp)
trap 'rm -rf "$root" "$log"' EXIT
run() { "$@" >"$log" 2>&1 || { tail -20 "$log" >&2; exit 1; }; }

. /etc/os-release
run apt-get --quiet update
mirror=$(apt-get indextargets --format '$(CODENAME) $(COMPONENT) $(REPO_URI)' |
    awk -v release="$VERSION_CODENAME" '$1 == release && $2 == "main" && !found++ {print $3}')
[ -n "$mirror" ] || { echo "apt knows no mirror of $VERSION_CODENAME: fix /etc/apt/sources.list" >&2; exit 1; }
run debootstrap --variant=minbase --include=python3,python3-venv "$VERSION_CODENAME" "$root" "$mirror"

# Security updates since the release: this machine's apt fetches them, and the new system only unpacks them.
archives=$root/var/cache/apt/archives
rm -f "$archives"/*.deb
run apt-get --quiet --yes --download-only --option APT::Sandbox::User=root --option Dir::Cache::archives="$archives" \
    --option Dir::State::status="$root/var/lib/dpkg/status" dist-upgrade
# dpkg leaves out a package that needs another one set up before. The second call installs it.
if ls "$archives"/*.deb >/dev/null 2>&1; then
    install='dpkg --install /var/cache/apt/archives/*.deb'
    DEBIAN_FRONTEND=noninteractive run chroot "$root" sh -c "$install || $install"
fi

rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* "$root"/var/log/* "$root"/tmp/* "$root"/run/*
rm -rf "$root"/usr/share/{man,locale,info,lintian} "$root"/etc/{resolv.conf,hostname,apt/sources.list}
find "$root/usr/share/doc" -type f ! -name copyright -delete
find "$root" -xdev -type f -perm /6000 -exec chmod ug-s {} +
tar --create --numeric-owner --directory "$root" . | docker import --change 'CMD ["python3"]' - "$name:latest" >/dev/null
echo "made $name from $PRETTY_NAME"
