"""Settings: from flags, then `PAPERLAKE_*` in the environment, then `paperlake.toml` in the working folder."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any

from pydantic import AliasChoices, BeforeValidator, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, TomlConfigSettingsSource

from flows.times import parse_age
from sources.errors import UsageError
from warehouse.lake import LakePlace

Age = Annotated[timedelta, BeforeValidator(parse_age)]


def parse_key(key: Any) -> Any:
    """Returns an API key without the blanks and line ends that files and secret stores put around it, None if empty.

    Raises:
        ValueError: It holds what no HTTP header may; the message does not show it.
    """
    text = key.get_secret_value() if isinstance(key, SecretStr) else key
    if not isinstance(text, str):
        return key
    text = text.strip()
    if any(not "!" <= letter <= "~" for letter in text):
        raise ValueError("the API key holds a blank or a character that no HTTP header may hold; copy it again")
    return text or None


class Settings(BaseSettings):
    """What a run is told beside its lists. The API key and the catalogue's connection are secrets and never shown."""

    model_config = SettingsConfigDict(
        env_prefix="PAPERLAKE_",
        toml_file="paperlake.toml",
        frozen=True,
        extra="forbid",
        populate_by_name=True,
        hide_input_in_errors=True,  # an error that is logged with its cause would show the key
    )

    lake: Path = Path("lake")
    catalog: SecretStr | None = None
    """May hold a password."""
    data: str | None = None
    lists: tuple[str, ...] = ()
    """Lists to refresh where none is named."""
    max_age: Age = timedelta(days=1)
    """Counts older than this are asked again."""
    metadata_max_age: Age = timedelta(days=30)
    """Metadata older than this is asked again."""
    offline: bool = False
    """Ask no service; use what is there."""
    dashboard: Path | None = None
    """Folder into which every refresh publishes the dashboard; None means that none does."""
    arxiv_url: str = "https://export.arxiv.org/api/query"
    dask: str | None = None
    """Address of a Dask scheduler, as in tcp://host:8786, whose workers take bulk imports and very many titles."""
    arxiv_oai_url: str = "https://oaipmh.arxiv.org/oai"
    """Where `mirror update arxiv` asks."""
    arxiv_interval: float = Field(3.0, ge=0)
    """Seconds between requests to arXiv, whose terms ask for 3: https://info.arxiv.org/help/api/tou.html ."""
    s2_url: str = "https://api.semanticscholar.org"
    s2_interval: float | None = Field(None, ge=0)
    """Seconds between requests to Semantic Scholar; 1 with a key, 3 without, unless told."""
    s2_api_key: Annotated[SecretStr | None, BeforeValidator(parse_key)] = Field(
        None, validation_alias=AliasChoices("SEMANTIC_SCHOLAR_API_KEY", "s2_api_key")
    )
    jump_citations: int = Field(10, ge=1)
    """Citations that a paper must gain to be told of as one that jumped; either this or `jump_share` does."""
    jump_share: float = Field(0.5, gt=0)
    """Gain, as a share of the count before, that makes a jump."""
    batch_retries: int = Field(1, ge=0)
    """How often a scheduled run tries a batch again that failed for a reason which may pass."""
    batch_retry_wait: float = Field(60.0, ge=0)
    """Seconds before it does."""
    tries: int = Field(4, ge=1)
    """How often a request is sent before its batch is reported as failed."""
    backoff: float = Field(2.0, ge=0)
    """Seconds before the second try; doubles with each."""
    give_up: float = Field(120.0, ge=0)
    """Seconds that one request may spend waiting in all."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - pydantic calls by name
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - pydantic calls by name
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Returns where settings come from, the strongest first."""
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)

    @property
    def place(self) -> LakePlace:
        """Returns where the lake is."""
        catalog = self.catalog.get_secret_value() if self.catalog else None
        return LakePlace.of(self.lake, catalog=catalog, data=self.data)

    @property
    def s2_interval_s(self) -> float:
        """Returns the seconds between two requests to Semantic Scholar."""
        if self.s2_interval is not None:
            return self.s2_interval
        return 1.0 if self.s2_api_key is not None else 3.0


def read_settings(**flags: Any) -> Settings:
    """Returns the settings, where `flags` that are not None outrank the environment and `paperlake.toml`.

    Raises:
        UsageError: A setting has an impossible value; the message names it, never a secret.
    """
    try:
        return Settings(**{name: value for name, value in flags.items() if value is not None})
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        name = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"setting {name}: {first['msg'].removeprefix('Value error, ')}") from error
    except ValueError as error:
        raise UsageError(f"paperlake.toml cannot be read: {error}") from error
