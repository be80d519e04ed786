"""The web process's metrics of HTTP requests."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
# The label of a request without a route. Its path could be any text.
NO_ROUTE = "none"
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class Traffic:
    """Counts requests. The labels' values are limited: methods, route templates and HTTP statuses."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._requests = Counter(
            "allclose_http_requests",
            "Requests answered, by route template",
            ["method", "route", "status"],
            registry=registry,
        )
        self._seconds = Histogram(
            "allclose_http_request_duration_seconds",
            "Time from a request to the end of its response, without event streams",
            ["method", "route"],
            buckets=_SECONDS,
            registry=registry,
        )
        self.streams = Gauge("allclose_event_streams_open", "Open event streams", registry=registry)
        self._errors = Counter("allclose_errors", "Internal errors, by class", ["part", "kind"], registry=registry)

    def count(self, method: str, route: str, status: int) -> None:
        self._requests.labels(_known(method), route, str(status)).inc()

    def take_time(self, method: str, route: str, seconds: float) -> None:
        self._seconds.labels(_known(method), route).observe(seconds)

    def count_error(self, error: Exception) -> None:
        self._errors.labels("web", type(error).__name__).inc()


def _known(method: str) -> str:
    return method if method in METHODS else "other"
