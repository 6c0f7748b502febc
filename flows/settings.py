"""Settings: from options, then `PAPERLAKE_*` in the environment, then `paperlake.toml` in the working folder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import timedelta
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    ValidationInfo,
    field_validator,
)
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    TomlConfigSettingsSource,
)

from flows.times import parse_age
from sources.errors import UsageError
from sources.http.retry import RetryPolicy
from sources.lists.checks.findings import CODES, MENDED_ONLY
from sources.records import SourceName
from sources.services.registry import SOURCES, Source
from warehouse.lake.place import (
    DEFAULT_LAKE,
    KEY_VARIABLES,
    SETTING_PREFIX,
    SETTINGS_FILE,
    LakePlace,
)

if TYPE_CHECKING:
    from warehouse.query.changes import Jump

_DAY_S = 86_400.0

Age = Annotated[timedelta, BeforeValidator(parse_age)]
Seconds = Annotated[float, Field(ge=0, le=_DAY_S, allow_inf_nan=False)]


def _check_address(address: str) -> str:
    try:
        parts = urlsplit(address)
        sound = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0 and "\\" not in address
    except ValueError:
        sound = False
    if not sound or not address.isprintable() or " " in address:
        raise ValueError("that is no http or https address; write it as in https://api.semanticscholar.org")
    return address


Address = Annotated[str, AfterValidator(_check_address)]


def _parse_key(key: Any) -> Any:
    """Returns an API key without the blanks and line ends that files and secret stores add; None if it is empty."""
    text = key.get_secret_value() if isinstance(key, SecretStr) else key
    if not isinstance(text, str):
        return key
    text = text.strip()
    if any(not "!" <= letter <= "~" for letter in text):
        raise ValueError("the API key holds a blank or a character that no HTTP header may hold; copy it again")
    return text or None


def _check_code(code: str) -> str:
    if code not in CODES and code not in MENDED_ONLY:
        raise ValueError(f"there is no finding called {code!r}; docs/checks.md and docs/fix.md have them all")
    return code


KnownCode = Annotated[str, AfterValidator(_check_code)]
ApiKey = Annotated[SecretStr | None, BeforeValidator(_parse_key)]


class CheckSettings(BaseModel):
    """The table `[check]` of `paperlake.toml`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    ignore: tuple[KnownCode, ...] = ()  # findings that are not reported


def _key_names(name: SourceName) -> tuple[str, str]:
    return KEY_VARIABLES[name], f"{name}_api_key"


_KEYS = frozenset(name for source in KEY_VARIABLES for name in _key_names(source)[1:])


class Settings(BaseSettings):
    """The settings of a command. The API keys and the catalogue's connection are secrets and never shown."""

    model_config = SettingsConfigDict(
        env_prefix=SETTING_PREFIX,
        toml_file=SETTINGS_FILE,
        frozen=True,
        extra="forbid",
        populate_by_name=True,
        hide_input_in_errors=True,  # an error that is logged with its cause would show the key
    )

    lake: Path = Path(DEFAULT_LAKE)
    catalog: SecretStr | None = None  # may hold a password
    data: str | None = None
    lists: tuple[str, ...] = ()  # lists to refresh where the command names none
    max_age: Age = timedelta(days=1)  # counts older than this are fetched again
    metadata_max_age: Age = timedelta(days=30)  # metadata older than this is fetched again
    offline: bool = False  # send no request
    check: CheckSettings = CheckSettings()
    dashboard: Path | None = None  # folder into which every refresh writes the dashboard; None for no dashboard
    # What the dashboard and the files beside it may hold: cc0 is only what anyone may show to others.
    publish: Literal["all", "cc0"] = "all"
    arxiv_url: Address = SOURCES["arxiv"].url
    arxiv_oai_url: Address = "https://oaipmh.arxiv.org/oai"  # where `mirror update arxiv` asks
    # Seconds between requests to arXiv, whose terms ask for 3: https://info.arxiv.org/help/api/tou.html .
    arxiv_interval: Seconds = 3.0
    s2_url: Address = SOURCES["s2"].url
    # Seconds between requests to Semantic Scholar; by default 1 with a key, 3 without.
    s2_interval: Seconds | None = None
    s2_api_key: ApiKey = Field(None, validation_alias=AliasChoices(*_key_names("s2")))
    openalex: bool | None = None  # ask OpenAlex for counts, citations by year, references and authors; see `asks`
    openalex_url: Address = SOURCES["openalex"].url
    # Seconds between requests to OpenAlex, which allows ten a second without a key, and thirty with one. Searches are
    # further apart: eleven times as long without a key, 2.1 times with one.
    openalex_interval: Seconds = 0.1
    openalex_api_key: ApiKey = Field(None, validation_alias=AliasChoices(*_key_names("openalex")))
    # Requests of a run for the citation graph: who cites the papers, and what lists may miss. 0 for none.
    graph_requests: int = Field(200, ge=0, le=100_000)
    # Citations that a paper must gain to count as a jump, beside `jump_share`.
    jump_citations: int = Field(10, ge=1, le=10**9)
    # Gain, as a share of the count before, that makes a jump.
    jump_share: float = Field(0.1, gt=0, le=10**6, allow_inf_nan=False)
    # How often a scheduled run retries a batch that failed with a temporary error.
    batch_retries: int = Field(1, ge=0, le=100)
    batch_retry_wait: Seconds = 60.0  # seconds before such a retry
    # Where whoever runs this can be reached, an address or e-mail: it is sent to the services as they ask for.
    contact: str | None = Field(None, pattern=r"^[!-'*-~]{1,200}$")
    tries: int = Field(4, ge=1, le=100)  # how often a request is sent before its batch counts as failed
    backoff: Seconds = 2.0  # seconds before the second try; doubled for each further one
    give_up: Seconds = 120.0  # seconds that one request may wait in all

    @field_validator("*", mode="before")
    @classmethod
    def _refuse_empty(cls, value: Any, info: ValidationInfo) -> Any:
        """Refuses an empty text, which as a path would be the working folder. Keys may be empty."""
        if info.field_name not in _KEYS and isinstance(value, str) and not value.strip():
            raise ValueError("it is empty; give it a value, or leave it out")
        return value

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - pydantic calls by name
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - pydantic calls by name
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Returns the sources of settings, those that outrank others first."""
        return init_settings, env_settings, WorkingFolderFile(settings_cls)

    @property
    def place(self) -> LakePlace:
        """Returns where the lake is."""
        catalog = self.catalog.get_secret_value() if self.catalog else None
        return LakePlace.of(self.lake, catalog=catalog, data=self.data)

    @property
    def retry(self) -> RetryPolicy:
        """Returns when a request is sent again, and when it is given up."""
        return RetryPolicy(max_tries=self.tries, backoff_s=self.backoff, max_wait_s=self.give_up)

    @property
    def jump(self) -> Jump:
        """Returns what counts as a jump of citations."""
        from warehouse.query.changes import Jump  # noqa: PLC0415 - few commands need it

        return Jump(citations=self.jump_citations, share=self.jump_share)

    def url_of(self, name: SourceName) -> str:
        """Returns the address of a service."""
        url: str = getattr(self, f"{name}_url")
        return url

    def key_of(self, name: SourceName) -> SecretStr | None:
        """Returns the key of a service, None where there is none."""
        key: SecretStr | None = getattr(self, f"{name}_api_key", None)
        return key

    def interval_s(self, name: SourceName) -> float:
        """Returns the seconds between two requests to a service."""
        interval_s: float | None = getattr(self, f"{name}_interval")
        return SOURCES[name].interval_s[self.key_of(name) is not None] if interval_s is None else interval_s

    def asks(self, name: SourceName) -> bool:
        """Returns whether a service is asked.

        An optional one is asked, where nothing says so, if the others are asked at their own hosts: who leads those
        elsewhere, to a proxy or to stand-ins, does not want a third one asked in the open.
        """
        source = SOURCES[name]
        chosen = getattr(self, name) if source.is_optional else True
        if chosen is not None or self.offline:
            return bool(chosen) and not self.offline
        others = (other for other in SOURCES.values() if not other.is_optional)
        return self.url_of(name) != source.url or all(self.url_of(other.name) == other.url for other in others)


class WorkingFolderFile(TomlConfigSettingsSource):
    """`paperlake.toml`, which may have come with a cloned folder, so it may not name other machines.

    A server's catalogue and a bucket would be given the user's credentials, and with them the lake; an
    API key goes to the service's own host. Flags and the environment may say otherwise.
    """

    def __call__(self) -> dict[str, Any]:
        """Returns what the file sets.

        Raises:
            UsageError: It sets what only the environment may set, and no option or variable outranks it.
        """
        values = super().__call__()
        named, outranking = _named(values), _named(self.current_state)
        decided = {name.removeprefix("paperlake_") for name in outranking}
        texts = {name: value.strip() for name, value in named.items() if isinstance(value, str)}
        refused = []
        if (catalog := texts.get("catalog")) and not catalog.startswith("sqlite:"):
            refused.append(("catalog", "leads to a server, with this machine's credentials"))
        if "://" in (data := texts.get("data", "")):
            refused.append(("data", f"leads to {data.partition(':')[0]}, with this machine's credentials"))
        for source in map(SOURCES.__getitem__, KEY_VARIABLES):
            address = texts.get(f"{source.name}_url")
            has_key = _has_key(outranking, source.name) or _has_key(named, source.name)
            if address is not None and has_key and not _is_own(address, source):
                why = f"sends the {source.label} key to another host, or unencrypted"
                refused.append((f"{source.name}_url", why))
        for name, why in refused:
            if name not in decided:
                raise UsageError(
                    f"{SETTINGS_FILE}: {name} {why}, which a file of the working folder may not do; if it is meant, set"
                    f" {SETTING_PREFIX}{name.upper()} in the environment"
                )
        return values


def _named(values: Mapping[str, Any]) -> dict[str, Any]:
    """Returns `values` by names in lower case, as settings are read without regard to case."""
    return {name.lower(): value for name, value in values.items()}


def _has_key(values: Mapping[str, Any], source: SourceName) -> bool:
    keys = [values.get(name.lower()) for name in _key_names(source)]
    return any(key.get_secret_value() if isinstance(key, SecretStr) else str(key or "").strip() for key in keys)


def _is_own(address: str, source: Source) -> bool:
    """Returns whether `address` is the service's own, over https."""
    try:
        parts, own = urlsplit(address), urlsplit(source.url)
    except ValueError:
        return False
    return parts.scheme == own.scheme and parts.netloc.lower() in (own.netloc, f"{own.netloc}:443")


def read_settings(**flags: Any) -> Settings:
    """Returns the settings; `flags` that are not None outrank the environment and `paperlake.toml`.

    Raises:
        UsageError: A setting has an impossible value; the message names it and its place, never a secret.
    """
    given = {name: value for name, value in flags.items() if value is not None}
    try:
        return Settings(**given)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        name = str(first["loc"][0]) if first["loc"] else ""
        why = first["msg"].removeprefix("Value error, ").replace("valid tuple", "list")
        if first["type"] == "extra_forbidden":
            why = f"there is no such setting{_nearest(name)}"
        raise UsageError(f"{_origin(name, given)}: {why}") from error
    except SettingsError as error:
        names = [name for name in Settings.model_fields if f'"{name}"' in str(error)]
        where = _origin(names[0], given) if names else "the environment"
        raise UsageError(f'{where}: that is no JSON; write a list as in ["a.md", "b.md"]') from error
    except (ValueError, OSError) as error:
        raise UsageError(f"{SETTINGS_FILE} cannot be read: {' '.join(str(error).split())}") from error


def _nearest(name: str) -> str:
    likely = get_close_matches(name.lower(), Settings.model_fields, n=1)
    return f"; did you mean {likely[0]}?" if likely else f"; it knows {', '.join(sorted(Settings.model_fields))}"


def _origin(name: str, flags: Mapping[str, Any]) -> str:
    """Returns where the setting `name` was set: the option, the variable, or the key of the file."""
    variables = {variable.upper() for variable in os.environ}
    upper = name.upper()
    if name in flags:
        return f"--{name.replace('_', '-')}"
    own = [variable for variable in (*KEY_VARIABLES.values(), f"{SETTING_PREFIX}{upper}") if variable.endswith(upper)]
    return next((variable for variable in own if variable in variables), f"{SETTINGS_FILE}: {name}")
