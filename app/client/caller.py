"""What the calls of each resource share."""

from app.client.transport import Transport


class Caller:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport
