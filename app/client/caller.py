"""The base class of the generated calls."""

from app.client.transport import Transport


class Caller:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport
