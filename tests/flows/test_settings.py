"""Settings: which source told them, what no setting may be, and what a file that came with a folder may not decide."""

from __future__ import annotations

import os
from datetime import timedelta
from importlib.metadata import version
from pathlib import Path

import httpx
import pytest
from pydantic import SecretStr

from flows.commands.shared import read_place
from flows.prefect.server import prepare_prefect
from flows.refresh.services import connected_client, folder_pace
from flows.settings import Settings, read_settings
from sources.errors import UsageError
from sources.http.transport import Key, Limits, Transport
from sources.services.registry import SOURCES
from standins import StandIns
from tests.matrices import for_each
from warehouse.loading.reply_spool import ReplySpool

NUMBERS = [
    name
    for name, field in Settings.model_fields.items()
    if field.annotation in (int, float) or "float" in str(field.annotation)
]
AGES = ["max_age", "metadata_max_age"]
NEVER = ["  ", "nan", "inf", "-1", "1e400", "９９ x", "0x10"]
OWN_KEY = "SEMANTIC_SCHOLAR_API_KEY"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in os.environ:
        if name.upper().startswith(("PAPERLAKE_", "SEMANTIC_", "OPENALEX_", "PREFECT_")):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refusal() -> str:
    with pytest.raises(UsageError) as refused:
        read_settings()
    message = str(refused.value)
    assert "\n" not in message
    return message


@pytest.mark.parametrize("value", NEVER)
def test_an_impossible_number_is_refused_by_the_name_of_its_variable(monkeypatch: pytest.MonkeyPatch, value: str):
    for variable in (f"PAPERLAKE_{name.upper()}" for name in (*NUMBERS, *AGES)):
        monkeypatch.setenv(variable, value)
        assert refusal().startswith(f"{variable}: ")
        monkeypatch.delenv(variable)


@pytest.mark.parametrize("value", ["nan", "-inf", "-1", "9999999999999999999999", '""', "[]", "{ a = 1 }"])
def test_an_impossible_number_is_refused_by_file_and_key(folder: Path, value: str):
    for name in (*NUMBERS, *AGES):
        (folder / "paperlake.toml").write_text(f"{name} = {value}\n")
        assert refusal().startswith(f"paperlake.toml: {name}: ")


def test_an_empty_path_is_not_the_working_folder(monkeypatch: pytest.MonkeyPatch):
    for name in ("lake", "dashboard", "data", "catalog"):
        monkeypatch.setenv(f"PAPERLAKE_{name.upper()}", "")
        assert refusal().startswith(f"PAPERLAKE_{name.upper()}: it is empty")
        monkeypatch.delenv(f"PAPERLAKE_{name.upper()}")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("lake = [", "paperlake.toml cannot be read"),
        ("lake = '\udcff'", "paperlake.toml cannot be read"),
        ("lakee = 'x'", "paperlake.toml: lakee: there is no such setting"),
        ("lists = 'a.md'", "paperlake.toml: lists: "),
        ("lists = [1]", "paperlake.toml: lists: "),
        ("offline = 'perhaps'", "paperlake.toml: offline: "),
        ("arxiv_url = 'ftp://arxiv.org'", "paperlake.toml: arxiv_url: that is no http"),
        ("s2_url = 'https://'", "paperlake.toml: s2_url: that is no http"),
    ],
)
def test_a_fault_of_the_file_is_told_by_file_and_key(folder: Path, text: str, said: str):
    (folder / "paperlake.toml").write_bytes(text.encode(errors="surrogateescape"))
    assert refusal().startswith(said)


def test_a_fault_of_the_environment_or_a_flag_is_told_as_such(monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(UsageError, match=r"^--max-age: '99999999999999w' is more than"):
        read_settings(max_age="99999999999999w")
    monkeypatch.setenv("PAPERLAKE_LISTS", "a.md b.md")
    assert refusal().startswith("PAPERLAKE_LISTS: that is no JSON")


def test_a_file_sends_openalexs_key_to_no_other_host_either(folder: Path, monkeypatch: pytest.MonkeyPatch):
    (folder / "paperlake.toml").write_text('openalex_url = "https://evil.test"\n')
    monkeypatch.setenv("OPENALEX_API_KEY", "s3cret")
    assert refusal().startswith("paperlake.toml: openalex_url sends the OpenAlex key")
    (folder / "paperlake.toml").write_text('openalex_url = "https://api.openalex.org/"\n')
    assert read_settings().openalex_api_key is not None
    monkeypatch.setenv("OPENALEX_API_KEY", "s3cret and more")
    assert "s3cret" not in refusal()


STRANGERS = [
    "https://evil.test",
    "http://api.semanticscholar.org",
    "https://api.semanticscholar.org.evil.test",
    "https://api.semanticscholar.org@evil.test",
    "https://api.semanticscholar.org:8443",
    "https://user@api.semanticscholar.org",
    "http://127.0.0.1:8080",
]


def test_a_file_sends_the_key_to_no_other_host(folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(OWN_KEY, "s3cret")
    for number, address in enumerate(STRANGERS):
        name = "S2_URL" if number % 2 else "s2_url"
        (folder / "paperlake.toml").write_text(f'{name} = "{address}"\n')
        message = refusal()
        assert message.startswith("paperlake.toml: s2_url sends the Semantic Scholar key"), address
        assert "PAPERLAKE_S2_URL in the environment" in message
        assert "s3cret" not in message
    monkeypatch.delenv(OWN_KEY)
    (folder / "paperlake.toml").write_text('s2_url = "https://evil.test"\ns2_api_key = "s3cret"\n')
    assert "sends the Semantic Scholar key" in refusal(), "nor one that is in the file"
    monkeypatch.setenv("PAPERLAKE_S2_URL", "http://127.0.0.1:1")
    assert read_settings().s2_url == "http://127.0.0.1:1", "the environment may name it, whatever the file says"


@pytest.mark.parametrize(
    ("address", "key"),
    [
        ("https://api.semanticscholar.org/", "s3cret"),
        ("https://API.semanticscholar.org:443", "s3cret"),
        ("http://127.0.0.1:1", "  "),
    ],
)
def test_a_file_may_name_places_here_the_services_own_host_and_without_a_key_any(
    folder, monkeypatch, address: str, key: str
):
    where = 'lake = "l"\ncatalog = "sqlite:c.sqlite"\ndata = "d"\nmax_age = "2d"\n'
    (folder / "paperlake.toml").write_text(f'{where}s2_url = "{address}"\n')
    monkeypatch.setenv(OWN_KEY, key)
    assert (read_settings().s2_url, read_settings().data) == (address, "d")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("catalog", "postgres:host=evil.test dbname=x"),
        ("catalog", "postgresql://evil.test/x"),
        ("data", "S3://evil/lake"),
    ],
)
def test_what_leads_to_another_machine_with_credentials_or_code_is_for_the_environment_only(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str
):
    (folder / "paperlake.toml").write_text(f'{name} = "{value}"\n')
    assert f"set PAPERLAKE_{name.upper()} in the environment" in refusal()
    monkeypatch.setenv(f"PAPERLAKE_{name.upper()}", value)
    told = getattr(read_settings(), name)
    assert (told.get_secret_value() if isinstance(told, SecretStr) else told) == value


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".env", "X=1\nexport prefect_logging_settings_path=evil.yml\n"),
        ("prefect.toml", "[api]\nurl = 'http://evil.test/api'\n"),
        ("pyproject.toml", "[tool.prefect.api]\nurl = 'http://evil.test/api'\n"),
    ],
)
def test_files_of_the_folder_do_not_set_prefect(folder: Path, name: str, text: str):
    (folder / name).write_text(text)
    with pytest.raises(UsageError, match=r"sets Prefect.*export those settings"):
        prepare_prefect(verbose=False)


def test_other_settings_of_the_folder_are_no_matter(folder: Path, monkeypatch: pytest.MonkeyPatch):
    for variable in ("PYTHONSAFEPATH", "PREFECT_LOGGING_LEVEL", "PREFECT_SERVER_ANALYTICS_ENABLED"):
        monkeypatch.setenv(variable, "")  # what is set from here on is undone after the test
    (folder / ".env").write_text("TOKEN=x\n")
    (folder / "pyproject.toml").write_text("[tool.ruff]\n")
    prepare_prefect(verbose=False)


def test_the_key_follows_no_redirect(standins: StandIns):
    elsewhere: list[str] = []
    standins.fault("s2", "redirect_loop", location="http://127.0.0.1:9/elsewhere")
    url, key = standins.s2_url, Key("x-api-key", SecretStr("s3cret"))
    transport = Transport("s2", url=url, limits=Limits(read_s=5.0), redirects="any", key=key)
    transport._http.event_hooks = {"request": [lambda request: elsewhere.append(str(request.url))]}
    reply = transport.send("POST", f"{url}/graph/v1/paper/batch", json={"ids": ["ARXIV:1706.03762"]})
    transport.close()
    assert httpx.codes.is_redirect(reply.status)
    assert len(elsewhere) == 1


@pytest.mark.parametrize(("contact", "sent"), [(None, ""), ("https://example.org/me", " (+https://example.org/me)")])
def test_services_are_told_the_version_and_an_address_where_one_is_set(contact, sent, standins, tmp_path):
    settings = Settings(lake=tmp_path, contact=contact, arxiv_url=standins.arxiv_url, s2_url=standins.s2_url)
    for name, text in (("arxiv", "1706.03762"), ("s2", "ARXIV:1706.03762")):
        replies = ReplySpool(tmp_path, max_age=timedelta(days=1))
        client = connected_client(SOURCES[name], settings, replies, folder_pace)
        client.fetch_papers([text])
        client.close()
    agents = {line["user_agent"] for line in standins.requests()}
    assert agents == {f"paperlake/{version('paperlake')}{sent}"}


@for_each("contact", ["", "two words", "line\nfeed", "a)b", "ü"])
def test_a_contact_that_is_no_word_of_a_header_is_refused(contact):
    with pytest.raises(ValueError, match="contact"):
        Settings(contact=contact)


# the lake's place


@for_each("lake", [None, "there", "~/x/../y"])
@pytest.mark.parametrize(
    "told", [{}, {"paperlake_lake": "small"}, {"PAPERLAKE_CATALOG": "sqlite:/c.sqlite", "PAPERLAKE_DATA": "/data"}]
)
@pytest.mark.parametrize("file", [None, 'lists = ["a.md"]\nlake = "of-the-file"\n'])
def test_it_is_the_place_of_the_settings(folder, monkeypatch, lake, told, file):
    for name, value in told.items():
        monkeypatch.setenv(name, value)
    if file is not None:
        (folder / "paperlake.toml").write_text(file, encoding="utf-8")
    assert read_place(lake) == read_settings(lake=lake).place


@pytest.mark.parametrize(("lake", "told"), [("", {}), (None, {"PAPERLAKE_LAKE": " "}), ("x", {"PAPERLAKE_DATA": " "})])
def test_what_the_settings_refuse_is_refused(monkeypatch, lake, told):
    for name, value in told.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(UsageError) as here:
        read_place(lake)
    with pytest.raises(UsageError) as there:
        read_settings(lake=lake)
    assert str(here.value) == str(there.value)
