from __future__ import annotations

import pytest

from sources.errors import UsageError
from sources.lists.remote import GithubFile, parse_github


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        pytest.param("github:ada/lists", GithubFile(owner="ada", name="lists"), id="repository"),
        pytest.param("github:ada/lists/", GithubFile(owner="ada", name="lists"), id="trailing-slash"),
        pytest.param("github:ada/a.b-c_d/x/y.md", GithubFile(owner="ada", name="a.b-c_d", path="x/y.md"), id="path"),
        pytest.param(
            "github:ada/lists@v2/y.md", GithubFile(owner="ada", name="lists", ref="v2", path="y.md"), id="ref"
        ),
        pytest.param("https://github.com/ada/lists", GithubFile(owner="ada", name="lists"), id="page"),
        pytest.param("https://github.com/ada/lists.git", GithubFile(owner="ada", name="lists"), id="clone-address"),
        pytest.param("https://www.github.com/ada/lists/#papers", GithubFile(owner="ada", name="lists"), id="fragment"),
        pytest.param(
            "https://github.com/ada/lists/blob/main/a%20b.md",
            GithubFile(owner="ada", name="lists", ref="main", path="a b.md"),
            id="file-page",
        ),
        pytest.param(
            "https://github.com/ada/lists/tree/main/docs",
            GithubFile(owner="ada", name="lists", ref="main", path="docs"),
            id="folder-page",
        ),
        pytest.param("https://github.com/ada/lists/issues/3", None, id="another-page"),
        pytest.param("https://github.com/ada", None, id="owner-only"),
        pytest.param("https://gitlab.com/ada/lists", None, id="another-host"),
        pytest.param("https://github.com.evil.test/ada/lists", None, id="look-alike-host"),
        pytest.param("https://[bad", None, id="no-address"),
        pytest.param("lists/github.md", None, id="file"),
    ],
)
def test_a_github_file_is_read_from_every_way_to_name_it(argument, expected):
    assert parse_github(argument) == expected


@pytest.mark.parametrize(
    "argument",
    [
        "github:", "github:ada", "github:ada/", "github:/lists", "github:a b/lists", "github:ada/../x",
        "github:ada/lists/../x", "github:ada/lists@../x", "github:ada/lists/a\nb.md", "https://github.com/ada/lists/blob/main/%2e%2e/x",
    ],
)  # fmt: skip
def test_another_form_is_refused(argument):
    with pytest.raises(UsageError):
        parse_github(argument)


def test_the_raw_address_is_quoted():
    file = GithubFile(owner="ada", name="lists", path="a b?c#d.md")
    assert file.raw_url == "https://raw.githubusercontent.com/ada/lists/HEAD/a%20b%3Fc%23d.md"


@pytest.mark.parametrize("argument", ["github:ada/lists/x.md", "github:ada/lists@feature/x/y.md"])
def test_a_location_names_the_same_file_again(argument):
    file = parse_github(argument)
    assert file is not None
    assert file.location == argument
    assert parse_github(file.location) == file
