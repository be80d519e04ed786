"""Types of request fields: values that a domain rule checks, slugs in paths, and whole numbers.

Pydantic runs the domain's checks together with its own, so `errors` names every wrong field at once, in the domain's
words.
"""

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Depends, Path
from pydantic import AfterValidator, BeforeValidator, Field, SecretStr
from pydantic_core import PydanticCustomError

from app.accounts.password import MAX_BYTES, MIN_CHARACTERS, check_password
from app.accounts.user import EMAIL, ERASED, MAX_EMAIL, USERNAME, USERNAME_RULE, check_email, check_username
from app.catalog.manifest import SLUG, is_slug
from app.errors import Invalid, ProblemNotFound

# Pydantic's kind of an error whose message is a whole sentence.
RULED = "ruled"


def ruled(check: Callable[[Any], object]) -> AfterValidator:
    """Validate with `check`, which raises Invalid. It gets a secret in plain text."""

    def validate(value: Any) -> Any:
        try:
            check(value.get_secret_value() if isinstance(value, SecretStr) else value)
        except Invalid as fault:
            raise PydanticCustomError(RULED, "{said}", {"said": str(fault)}) from None
        return value

    return AfterValidator(validate)


Username = Annotated[
    str,
    ruled(check_username),
    Field(
        description=USERNAME_RULE, json_schema_extra={"pattern": f"^(?!{ERASED}){USERNAME.pattern}$"}, examples=["ada"]
    ),
]
Password = Annotated[
    SecretStr,
    ruled(check_password),
    Field(
        description=f"at least {MIN_CHARACTERS} characters, at most {MAX_BYTES} bytes in UTF-8",
        json_schema_extra={"minLength": MIN_CHARACTERS, "maxLength": MAX_BYTES},
        examples=["correct horse battery"],
    ),
]
Email = Annotated[
    str,
    ruled(check_email),
    Field(json_schema_extra={"pattern": f"^{EMAIL.pattern}$", "maxLength": MAX_EMAIL}),
]

Slug = Annotated[str, Path(json_schema_extra={"pattern": SLUG}, examples=["microbatched_grads"])]


def read_slug(slug: Slug) -> str:
    """Raises ProblemNotFound for a text that can't be a slug, without asking the database."""
    if not is_slug(slug):
        raise ProblemNotFound(slug)
    return slug


KnownSlug = Annotated[str, Depends(read_slug)]


def _refuse_words(given: Any) -> Any:
    if isinstance(given, bool | str):
        raise ValueError("must be a whole number")
    return given


# JSON has one kind of number: 2.0 is a whole number here; "2" and true are not. Write it last, as in
# `Annotated[int, Field(ge=…), whole]`: only limits before it become part of the schema.
whole = BeforeValidator(_refuse_words)
