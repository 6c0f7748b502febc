"""What settings may be: addresses, API keys, ages, seconds, and the findings that checks leave out."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, SecretStr

from flows.times import parse_age
from sources.list_checks.findings import CODES
from sources.list_checks.suppression import MENDED_ONLY

_DAY_S = 86_400.0

Age = Annotated[timedelta, BeforeValidator(parse_age)]
Seconds = Annotated[float, Field(ge=0, le=_DAY_S, allow_inf_nan=False)]


def check_address(address: str) -> str:
    """Returns `address`, if requests can be sent to it.

    Raises:
        ValueError: It is not http or https, names no host, or has characters that no address may have.
    """
    try:
        parts = urlsplit(address)
        sound = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0 and "\\" not in address
    except ValueError:
        sound = False
    if not sound or not address.isprintable() or " " in address:
        raise ValueError("that is no http or https address; write it as in https://api.semanticscholar.org")
    return address


Address = Annotated[str, AfterValidator(check_address)]


def parse_key(key: Any) -> Any:
    """Returns an API key without the blanks and line ends that files and secret stores add; None if it is empty.

    Raises:
        ValueError: It has characters that no HTTP header may have; the message does not show it.
    """
    text = key.get_secret_value() if isinstance(key, SecretStr) else key
    if not isinstance(text, str):
        return key
    text = text.strip()
    if any(not "!" <= letter <= "~" for letter in text):
        raise ValueError("the API key holds a blank or a character that no HTTP header may hold; copy it again")
    return text or None


def check_code(code: str) -> str:
    """Returns the code of a finding.

    Raises:
        ValueError: There is no such code.
    """
    if code not in CODES and code not in MENDED_ONLY:
        raise ValueError(f"there is no finding called {code!r}; docs/checks.md and docs/fix.md have them all")
    return code


KnownCode = Annotated[str, AfterValidator(check_code)]
ApiKey = Annotated[SecretStr | None, BeforeValidator(parse_key)]


class CheckSettings(BaseModel):
    """The table `[check]` of `paperlake.toml`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    ignore: tuple[KnownCode, ...] = ()
    """Findings that are not reported."""
