from dataclasses import replace

import pytest

from sources.errors import UsageError
from sources.lists.list_urls import GithubFile, parse_github
from tests.matrices import for_each

LISTS = GithubFile(owner="ada", name="lists")


@for_each(
    ("argument", "expected"),
    [
        ("github:ada/lists", LISTS),
        ("github:ada/a.b-c_d/x/y.md", GithubFile(owner="ada", name="a.b-c_d", path="x/y.md")),
        ("github:ada/lists@v2/y.md", replace(LISTS, ref="v2", path="y.md")),
        ("https://github.com/ada/lists", LISTS),
        ("https://github.com/ada/lists.git", LISTS),
        ("https://www.github.com/ada/lists/#papers", LISTS),
        ("https://github.com/ada/lists/blob/main/a%20b.md", replace(LISTS, ref="main", path="a b.md")),
        ("https://github.com/ada/lists/tree/main/docs", replace(LISTS, ref="main", path="docs")),
        ("https://github.com/ada/lists/issues/3", None),
        ("https://github.com.evil.test/ada/lists", None),
        ("https://[bad", None),
        ("lists/github.md", None),
    ],
)
def test_a_github_file_is_read_from_every_way_to_name_it(argument, expected):
    assert parse_github(argument) == expected


@for_each(
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
    file = replace(file, path="a b?c#d.md", ref="HEAD")
    assert file.raw_url == "https://raw.githubusercontent.com/ada/lists/HEAD/a%20b%3Fc%23d.md"
