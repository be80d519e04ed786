"""Fields whose values are checked by the rules of the domain, with all the others of a request: so that `errors` names
each that is wrong at once, and what is wrong in the domain's own words.
"""

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import AfterValidator, Field, SecretStr
from pydantic_core import PydanticCustomError

from app.accounts.password import MAX_BYTES, MIN_CHARACTERS, check_password
from app.accounts.user import EMAIL, ERASED, MAX_EMAIL, USERNAME, USERNAME_RULE, check_email, check_username
from app.errors import Invalid

# The kind of error whose message is a whole sentence.
RULED = "ruled"


def ruled(check: Callable[[Any], object]) -> AfterValidator:
    """`check` raises Invalid; a secret is shown to it as it is."""

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
