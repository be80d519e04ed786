"""Made from the OpenAPI document by `make api`; not edited by hand."""

from app.client import model
from app.client.call import Call
from app.client.caller import Caller


class HealthCalls(Caller):
    def get_healthz(
        self,
    ) -> model.Health:
        """The process is up."""
        call = Call(
            method="GET",
            path="/healthz",
            again="safe",
        )
        return self._transport.read(call, model.Health)

    def get_readyz(
        self,
    ) -> model.Readiness:
        """The database answers and has the schema that this version needs."""
        call = Call(
            method="GET",
            path="/readyz",
            again="safe",
        )
        return self._transport.read(call, model.Readiness)

    def get_metrics(
        self,
    ) -> bytes:
        """Metrics for Prometheus. Needs operations:read."""
        call = Call(
            method="GET",
            path="/metrics",
            again="safe",
        )
        return self._transport.send(call).content
