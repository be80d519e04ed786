"""What all objects of the API share."""

from pydantic import BaseModel, ConfigDict, PrivateAttr


class Answer(BaseModel):
    """Fields that a newer server adds are left out."""

    model_config = ConfigDict(frozen=True)

    _etag: str | None = PrivateAttr(None)

    @property
    def etag(self) -> str | None:
        """Of what GET answered: hand it to a change as `if_match`, so that nobody's else is overwritten."""
        return self._etag
