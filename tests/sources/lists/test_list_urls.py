"""Addresses of lists: what is masked where one is shown, and what tells two of them apart."""

import pytest

from sources.lists.list_urls import identity_of, is_masked, shown_url, without_secrets
from tests.matrices import for_each

HOST = "https://lists.test"


SECRETS = (
    "key=A code=123456 jwt=x pat=x auth=x sig=x privateToken=x X-Amz-Signature=x X-Amz-Credential=x accesskey=x"
    " %74oken=x a=1;token=x t=ghp_A1b2C3d4 t=github_pat_A1b2C3d4 u=xoxb-123-abc d=eyJhbGciOiJub25lIn0.e30."
    " d=AKIAIOSFODNN7EXAMPLE d=9fK2mQ8xLw4RtY7uPz1B d=3f2b8a6e-1c4d-4e5f-8a9b-0c1d2e3f4a5b ghp_A1b2C3d4"
)
OPEN = (
    "author=ada keyword=graphs monkey=1 design=2 assign=me page=3&sort=year ref=main v=20241122 token="
    " ref=6c2f1ab0c2d4e5f60718293a4b5c6d7e8f901234 q=reading-list-2024-updated"
)


@pytest.mark.parametrize("query", SECRETS.split())
def test_what_looks_like_a_secret_is_masked_and_stays_in_the_identity_only_as_a_hash(query):
    url = f"{HOST}/l.md?page=2&{query}"
    shown = without_secrets(url)
    assert shown.startswith(f"{HOST}/l.md?page=2&")
    assert is_masked(shown)
    assert query not in shown
    assert identity_of(url).startswith("sealed:")
    assert query not in identity_of(url)
    assert without_secrets(shown) == shown


@pytest.mark.parametrize("query", OPEN.split())
def test_what_is_no_secret_is_shown_and_is_the_identity(query):
    url = f"{HOST}/l.md?{query}"
    assert without_secrets(url) == identity_of(url) == url


def test_a_token_in_the_path_is_masked_and_a_commit_is_not():
    assert without_secrets(f"{HOST}/raw/ghp_A1b2C3d4/l.md") == f"{HOST}/raw/***/l.md"
    assert without_secrets(f"{HOST}/l.md;jsessionid=1F") == f"{HOST}/l.md;jsessionid=***"
    commit = f"{HOST}/ada/6c2f1ab0c2d4e5f60718293a4b5c6d7e8f901234/l.md"
    assert without_secrets(commit) == commit
    assert "ghp_" not in shown_url(f"{HOST}/raw/ghp_A1b2C3d4/l.md")


def test_fragments_and_user_names_are_neither_shown_nor_told_apart():
    assert without_secrets("https://ada:pw@lists.test/l.md#s3cret") == f"{HOST}/l.md"
    assert identity_of(f"{HOST}/l.md?key=A#one") == identity_of(f"{HOST}/l.md?key=A#two")


@for_each("name", ["key", "token", "author", "keyword", "page"])
def test_addresses_that_differ_in_a_value_have_two_identities(name):
    assert identity_of(f"{HOST}/l.md?{name}=A") != identity_of(f"{HOST}/l.md?{name}=B")


def test_an_identity_is_the_same_on_every_machine():
    assert identity_of(f"{HOST}/l.md?key=A") == (
        "sealed:" + "2ab75fb77aa256771c699486ad92a64a3856ac8ad8c9b765ca921ce1c2f32289"
    )
