"""OpenTelemetry traces. Until an entry point calls `configure_traces`, spans are not recorded.

A request's span is the parent of its judging's span in the worker. The judging's row carries it.
"""

from importlib.metadata import version

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from app.errors import AllcloseError

TRACER = trace.get_tracer("allclose")
_FORM = TraceContextTextMapPropagator()


class TracingMissing(AllcloseError):
    """Traces are configured, but the package that sends them is not installed."""


def configure_traces(endpoint: str | None, process: str) -> None:
    """Send spans to a collector with OTLP over HTTP. Does nothing if `endpoint` is None. Raises TracingMissing."""
    if endpoint is None:
        return
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        raise TracingMissing(
            "ALLCLOSE_OTLP_ENDPOINT is set, but the package that sends traces is not installed: "
            "run pip install --editable '.[tracing]' in the checkout, or unset the variable"
        ) from None
    facts = {"service.name": f"allclose-{process}", "service.version": version("allclose")}
    provider = TracerProvider(resource=Resource.create(facts))
    exporter = OTLPSpanExporter(endpoint=f"{endpoint.rstrip('/')}/v1/traces")
    provider.add_span_processor(BatchSpanProcessor(exporter))
    trace.set_tracer_provider(provider)


def write_traceparent() -> str | None:
    """Return the current span in W3C's format, or None without a span."""
    carrier: dict[str, str] = {}
    _FORM.inject(carrier)
    return carrier.get("traceparent")


def read_traceparent(text: str | None) -> Context:
    """Return the context of a W3C traceparent. Empty if the text is None or malformed."""
    return _FORM.extract({"traceparent": text} if text else {}, context=Context())
