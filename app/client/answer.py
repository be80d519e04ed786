"""The base class of the API's objects."""

from pydantic import BaseModel, ConfigDict, PrivateAttr


class Answer(BaseModel):
    """An object of the API. Unknown fields of a newer server are ignored."""

    model_config = ConfigDict(frozen=True)

    _etag: str | None = PrivateAttr(None)

    @property
    def etag(self) -> str | None:
        """The ETag of a GET. Pass it to a change as `if_match`, so that you overwrite no other user's change."""
        return self._etag
