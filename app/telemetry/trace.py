"""Traces by OpenTelemetry: spans cost nothing and go nowhere until an entry point calls `configure_traces`.

A request's span is the parent of its judging's, in another process: the row of the judging carries it.
"""

from importlib.metadata import version

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from app.errors import AllcloseError

TRACER = trace.get_tracer("allclose")
_FORM = TraceContextTextMapPropagator()


class TracingMissing(AllcloseError):
    """Traces are asked for, and what sends them is not installed."""


def configure_traces(endpoint: str | None, process: str) -> None:
    """Sends spans to a collector by OTLP over HTTP; nothing where `endpoint` is None. Raises TracingMissing."""
    if endpoint is None:
        return
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        raise TracingMissing(
            "ALLCLOSE_OTLP_ENDPOINT is set, and what sends traces is not installed: "
            "run pip install 'allclose[tracing]', or unset it"
        ) from None
    facts = {"service.name": f"allclose-{process}", "service.version": version("allclose")}
    provider = TracerProvider(resource=Resource.create(facts))
    exporter = OTLPSpanExporter(endpoint=f"{endpoint.rstrip('/')}/v1/traces")
    provider.add_span_processor(BatchSpanProcessor(exporter))
    trace.set_tracer_provider(provider)


def write_traceparent() -> str | None:
    """The current span, as W3C writes it; None where nothing is traced."""
    carrier: dict[str, str] = {}
    _FORM.inject(carrier)
    return carrier.get("traceparent")


def read_traceparent(text: str | None) -> Context:
    """What such a text names as the parent; nothing where it is none."""
    return _FORM.extract({"traceparent": text} if text else {}, context=Context())
