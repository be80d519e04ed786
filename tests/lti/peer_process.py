"""A real learning platform: Open edX's own LTI code (PyPI lti-consumer-xblock), without the rest of Open edX.

It runs in an environment of its own: `python peer_process.py PORT TOOL`. Nothing of Allclose is imported here.
`/start` begins a launch, `/state` says what the platform has stored, and `/fault` lets the next scores fail.
"""

import io
import json
import os
import sys
import threading
import types
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import django
from django.conf import settings

PORT, TOOL = int(sys.argv[1]), sys.argv[2]
BASE = f"http://127.0.0.1:{PORT}"
MEMORY = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
settings.configure(
    SECRET_KEY="x",
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF="__main__",
    USE_TZ=True,
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "file:peer?mode=memory&cache=shared"}},
    INSTALLED_APPS=[
        *("django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions"),
        *("rest_framework", "django_filters", "config_models", "waffle", "lti_consumer"),
    ],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "crum.CurrentRequestUserMiddleware",
    ],
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}],
    CACHES={"default": MEMORY, "configuration": MEMORY},
    USAGE_ID_PATTERN=r"(?P<usage_id>(?:i4x://?[^/]+/[^/]+/[^/]+/[^@]+(?:@[^/]+)?)|(?:[^/]+))",
    LMS_ROOT_URL=BASE,
    LMS_BASE=f"127.0.0.1:{PORT}",
    PLATFORM_NAME="Peer",
    FEATURES={},
    SERVICE_VARIANT="lms",
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    LTI_BASE=BASE,
    LTI_API_BASE=BASE,
)
django.setup()

from django.core.management import call_command  # noqa: E402

call_command("migrate", verbosity=0)

from django.http import HttpResponse, HttpResponseRedirect, JsonResponse  # noqa: E402
from django.urls import include, path  # noqa: E402
from django.views.decorators.csrf import csrf_exempt  # noqa: E402
from lti_consumer.data import Lti1p3LaunchData  # noqa: E402
from lti_consumer.models import (  # noqa: E402
    Lti1p3Passport,
    LtiAgsLineItem,
    LtiAgsScore,
    LtiConfiguration,
    LtiDlContentItem,
)
from lti_consumer.plugin import compat, views  # noqa: E402
from opaque_keys.edx.keys import UsageKey  # noqa: E402

COURSE = "course-v1:uni+ML+2026"
LOCATION = UsageKey.from_string("block-v1:uni+ML+2026+type@lti_consumer+block@a1")
MEMBERS = 25
block = types.SimpleNamespace(
    lti_1p3_passport_id=None,
    display_name="Assignment",
    context_id=COURSE,
    weight=100,
    accept_grades_past_due=True,
    due=None,
    start=None,
    has_score=True,
    is_past_due=lambda: False,
    max_score=lambda: 100,
    set_user_module_score=lambda *_, **__: None,
    scope_ids=types.SimpleNamespace(usage_id=LOCATION),
)
taken, submitted = [], []
faults = {"status": 0, "left": 0, "user": "", "after": False}
lock = threading.Lock()


compat.load_enough_xblock = lambda _: block
compat.load_block_as_user = lambda _: block
compat.get_user_from_external_user_id = lambda name: name
compat.get_course_members = lambda _: {
    number: {
        "id": number,
        "username": f"u{number}",
        "email": f"u{number}@uni.test",
        "name": f"User {number}",
        "roles": ["student"] if number > 1 else ["instructor"],
    }
    for number in range(1, MEMBERS + 1)
}
compat.merge_course_forum_roles = lambda _, data: data
compat.user_has_studio_write_access = lambda *_, **__: True
views.get_lti_pii_sharing_state_for_course = lambda _: True


class Ids(dict):
    def __missing__(self, number):
        return types.SimpleNamespace(external_user_id=f"sub-{number}")


compat.batch_get_or_create_externalids = lambda _: Ids()
passport = Lti1p3Passport.objects.create(lti_1p3_tool_keyset_url=f"{TOOL}/lti/jwks", name="tool")
config = LtiConfiguration(
    version="lti_1p3",
    config_store="CONFIG_ON_DB",
    location=LOCATION,
    lti_1p3_passport=passport,
    lti_1p3_oidc_url=f"{TOOL}/lti/login",
    lti_1p3_launch_url=f"{TOOL}/lti/launch",
    lti_1p3_redirect_uris=[f"{TOOL}/lti/launch"],
    lti_advantage_enable_nrps=True,
    lti_advantage_deep_linking_enabled=True,
    lti_advantage_deep_linking_launch_url=f"{TOOL}/lti/launch",
    lti_advantage_ags_mode="programmatic",
)
config.save()


def facts(_):
    api = f"{BASE}/api/lti_consumer/v1"
    passport.refresh_from_db()
    return JsonResponse(
        {
            "issuer": BASE,
            "client_id": config.lti_1p3_client_id,
            "web_address": BASE,
            "login_url": f"{api}/launch/",
            "token_url": f"{api}/token/{passport.passport_id}",
            "keys_url": f"{api}/public_keysets/{passport.passport_id}",
        }
    )


def start(request):
    """Begin a launch as a platform's page does. `assignment` is what the activity's link carries."""
    asked = request.GET
    number, assignment = asked.get("user", "2"), asked.get("assignment", "")
    data = Lti1p3LaunchData(
        user_id=number,
        external_user_id=f"sub-{number}",
        user_role=asked.get("role", "student"),
        config_id=config.config_id,
        resource_link_id=str(LOCATION),
        name=f"User {number}",
        email=f"u{number}@uni.test",
        context_id=asked.get("context", COURSE),
        context_type=["course_offering"],
        context_title="Machine learning",
        context_label="ML26",
        message_type=asked.get("message", "LtiResourceLinkRequest"),
        custom_parameters={"assignment": assignment} if assignment else {},
    )
    address = config.get_lti_consumer().prepare_preflight_url(data)
    return JsonResponse({"address": address}) if "json" in asked else HttpResponseRedirect(address)


def frame(_):
    """A page of the platform with the tool in a frame."""
    return HttpResponse(
        "<!doctype html><title>Course</title><iframe src='/start?user=7' width=600 height=400></iframe>"
    )


def frame_of(request):
    """A page that tries to show any page of the tool in a frame."""
    return HttpResponse(f"<!doctype html><title>Frame</title><iframe src='{TOOL}{request.GET['path']}'></iframe>")


def remember(request):
    """Say whether the browser has kept this page's cookie for frames."""
    answer = HttpResponse(f"<p>{'remembered' if 'seen' in request.COOKIES else 'forgotten'}</p>")
    answer.set_cookie("seen", "1", samesite="None", secure=True)
    return answer


def frame_of_own(_):
    return HttpResponse(f"<!doctype html><title>Frame</title><iframe src='{BASE}/remember'></iframe>")


@csrf_exempt
def sign(request):
    """Sign any claims with the platform's key, as a platform that errs does."""
    claims = json.loads(request.body)
    return JsonResponse({"token": config.get_lti_consumer().key_handler.encode_and_sign(claims)})


def state(_):
    scores = LtiAgsScore.objects.values("user_id", "score_given", "score_maximum", "timestamp", "grading_progress")
    return JsonResponse(
        {
            "scores": list(scores),
            "line_items": list(LtiAgsLineItem.objects.values("label", "score_maximum", "resource_id")),
            "links": list(LtiDlContentItem.objects.values("content_type", "attributes")),
        },
        json_dumps_params={"default": str},
    )


def scores_taken(_):
    """Return the scores that the platform took, in their order."""
    return JsonResponse({"taken": taken, "submitted": submitted})


def reset(_):
    """Forget all columns and scores."""
    LtiAgsLineItem.objects.all().delete()
    taken.clear()
    submitted.clear()
    return JsonResponse({})


def fault(request):
    """Answer the next `left` scores with `status`; with `after`, once the score is stored. `user`: of this one only."""
    asked = request.GET
    faults.update(
        status=int(asked.get("status", "0")),
        left=int(asked.get("left", "0")),
        user=asked.get("user", ""),
        after="after" in asked,
    )
    return JsonResponse({})


urlpatterns = [
    path("taken", scores_taken),
    path("api/", include("lti_consumer.plugin.urls", namespace="lti_consumer")),
    *(
        path(each.__name__, each)
        for each in (facts, start, frame, frame_of, frame_of_own, remember, sign, state, reset, fault)
    ),
]

from django.core.wsgi import get_wsgi_application  # noqa: E402

application = get_wsgi_application()


def serve(environ, start_response):
    """One request at a time, since the database is in memory; with the faults that `fault` asked for."""
    body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    environ["wsgi.input"] = io.BytesIO(body)
    if not environ["PATH_INFO"].endswith("/scores") or environ["REQUEST_METHOD"] != "POST":
        with lock:
            return application(environ, start_response)
    is_meant = faults["left"] > 0 and faults["user"].encode() in body
    faults["left"] -= is_meant
    if is_meant and not faults["after"]:
        start_response(f"{faults['status']} Fault", [("Content-Type", "text/plain")])
        return [b"not now"]
    with lock:
        answer = take_score(environ, json.loads(body), (lambda *_: None) if is_meant else start_response)
    if is_meant:
        start_response(f"{faults['status']} Fault", [("Content-Type", "text/plain")])
        return [b"not now"]
    return answer


def take_score(environ, score, start_response):
    """Let the platform take the score, and note those that it took."""

    def note(status, headers, *rest):
        if status.startswith("201"):
            taken.append([score["userId"], score["scoreGiven"]])
            submitted.append(score.get("submission", {}).get("submittedAt"))
        return start_response(status, headers, *rest)

    return list(application(environ, note))


class Quiet(WSGIRequestHandler):
    def log_message(self, *_):
        pass


class Threading(ThreadingMixIn, WSGIServer):
    daemon_threads = True


server = make_server("127.0.0.1", PORT, serve, server_class=Threading, handler_class=Quiet)
print("ready", flush=True)
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
server.serve_forever()
