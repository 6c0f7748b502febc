from sources.lists.links.addresses import doubt_about, is_known_again
from tests.matrices import for_each


@for_each(
    ("start", "end", "reason"),
    [
        ("https://a.org/x/y", "https://a.org/", "front page"),
        ("https://a.org/x/y", "https://a.org/en-US/home", "front page"),
        ("https://a.org/?p=12", "https://a.org/", "front page"),
        ("https://a.org/x/y/z.pdf", "https://a.org/x/y/", "a page above"),
        ("https://a.org/x/y", "https://a.org/errors/404.html", "error page"),
        ("https://a.org/x/y", "https://login.a.org/idp/SSO?from=x", "log-in"),
    ],
)
def test_a_page_that_takes_in_what_is_no_more_is_doubted(start, end, reason):
    assert reason in (doubt_about(start, end) or "")


@for_each(
    ("start", "end"),
    [
        ("http://a.org/", "https://a.org/"),
        ("http://a.org/", "https://www.a.org/en/"),
        ("http://a.org/x/y", "https://a.org/x/y/"),
        ("http://a.org/x/paper.html", "https://a.org/x/paper"),
        ("http://a.org/x/old", "https://a.org/x/new"),
        ("http://a.org/error-correcting-codes", "https://a.org/p/error-correcting-codes"),
        ("http://a.org/login/help", "https://a.org/login/help.html"),
        ("http://a.org/view.cfm?id=7", "https://a.org/doi/10.1/7"),
        ("http://a.org/x/y", "https://a.org/?p=12"),
    ],
)
def test_a_page_with_another_address_is_not_doubted(start, end):
    assert doubt_about(start, end) is None


@for_each(
    ("start", "end", "known"),
    [
        ("http://a.org/x", "https://www.a.org/other", True),
        ("http://cs.a.ac.uk/x", "https://www.a.ac.uk/other", True),
        ("http://a.ac.uk/x", "https://b.ac.uk/other", False),
        ("http://ada.github.io/x", "https://bob.github.io/other", False),
        ("http://ada.github.io/x", "https://ada.github.io/other", True),
        ("http://a.org/2017/08/transformer.html", "https://b.org/posts/transformer/", True),
        ("http://a.org/files/Paper17.pdf", "https://b.org/paper17.pdf", True),
        ("http://a.org/x/transformer", "https://sold.example/domain_profile.cfm?d=a.org", False),
        ("http://a.org/v2", "https://b.org/v2", False),
        ("http://a.org/index.html", "https://b.org/index.html", False),
    ],
)
def test_a_page_is_known_again_on_its_site_or_under_its_name(start, end, known):
    assert is_known_again(start, end) is known
