"""All metrics, in the text format of Prometheus."""

from fastapi import APIRouter, Request, Response
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4

from app.admin.metrics import write_metrics
from app.api.dependency import OperationsReader, Stored

router = APIRouter(tags=["health"])

_TEXT = {"content": {"text/plain": {"schema": {"type": "string"}}}, "description": "The text format of Prometheus"}


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: _TEXT},
    summary="Metrics for Prometheus",
)
def get_metrics(request: Request, viewer: OperationsReader, database: Stored) -> Response:  # noqa: ARG001
    state = request.app.state
    text = write_metrics(state.metrics, database, state.settings.data, is_full=bool(state.full_disk.explain()))
    return Response(text, media_type=CONTENT_TYPE_PLAIN_0_0_4)
