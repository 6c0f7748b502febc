"""How single entries are read: the smallest list that shows each way of writing a paper down."""

import pytest

from sources.reading_list import parse_reading_list


def only(text):
    (mention,) = parse_reading_list(text).mentions
    return mention


@pytest.mark.parametrize(
    ("text", "title"),
    [
        pytest.param(
            "- [A Title of Some Paper](https://arxiv.org/abs/1706.03762)", "A Title of Some Paper", id="linked"
        ),
        pytest.param(
            "[Going Deeper with Convolutions]() (ILSVRC 14)", "Going Deeper with Convolutions", id="linked to nothing"
        ),
        pytest.param(
            "- Deep Layer Aggregation [[pdf](https://a.org/x.pdf)]", "Deep Layer Aggregation", id="a word beside it"
        ),
        pytest.param(
            "- Deep Layer Aggregation\n  - [paper](https://a.org/x.pdf)", "Deep Layer Aggregation", id="a word below it"
        ),
        pytest.param(
            "- LAMB\n  - Google, [paper](https://openreview.net/pdf?id=Syx4wnEtvH)", "LAMB", id="a name, the link below"
        ),
        pytest.param("- https://arxiv.org/abs/1706.03762", None, id="a bare address"),
        pytest.param(
            "- https://a.org/Deep%20Learning%20for%20Graphs%20-%202018.pdf", "Deep Learning for Graphs", id="a file"
        ),
        pytest.param(
            "### J. Doe et al. [On Small Things](http://a.org/x.pdf) NIPS 2014", "On Small Things", id="a heading"
        ),
        pytest.param(
            "- [On Small Things [J. Doe, R. Roe]](http://arxiv.org/abs/2101.00001)",
            "On Small Things",
            id="authors inside the link",
        ),
        pytest.param(
            "- **DDP**: PyTorch Distributed Training. VLDB'20", "PyTorch Distributed Training", id="a label in bold"
        ),
        pytest.param("- ~~[On Small Things](http://a.org/x.pdf)~~", "On Small Things", id="struck"),
        pytest.param(
            "Title of one\n-----------\n\n* J. Doe. On small things. _Mind_, 1950.",
            "On small things",
            id="setext heading",
        ),
        pytest.param("- [x] [On Small Things](http://a.org/x.pdf)", "On Small Things", id="checked"),
        pytest.param("1) [On Small Things](http://a.org/x y.pdf)", "On Small Things", id="a blank in the address"),
    ],
)
def test_the_title_is_read(text, title):
    assert only(text).title == title


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("- [horovod](https://github.com/horovod/horovod)", id="a repository"),
        pytest.param("- [CS231n: Convolutional Networks](http://cs231n.stanford.edu/)", id="a course"),
        pytest.param("- [Lecture 3: Overview](http://a.edu/pdf/lecture3.pdf)", id="a lecture"),
        pytest.param("- [A Talk about Deep Learning Systems](https://www.youtube.com/watch?v=1)", id="a video"),
        pytest.param("- [How AI training scales](https://openai.com/blog/science-of-ai/)", id="a blog post"),
        pytest.param("- [Backbones](#backbones)\n- [Tools](#tools)", id="a table of contents"),
        pytest.param("- [NVLink](./hardware/nvlink.md): a fast link", id="the owner's notes"),
        pytest.param("> Proposed a backend for distributed training of deep networks.", id="a quotation"),
        pytest.param("Please send a pull request if a paper is missing.", id="a contribution guide"),
        pytest.param("```\n[A Title of Some Paper](https://arxiv.org/abs/1706.03762)\n```", id="a code block"),
        pytest.param("<!-- [A Title](https://arxiv.org/abs/1706.03762) -->", id="a comment"),
        pytest.param("![A Title of Some Paper](https://a.org/x.png)", id="an image"),
        pytest.param("", id="nothing"),
    ],
)
def test_what_is_no_paper_is_no_mention(text):
    assert parse_reading_list(text).mentions == ()


def test_fields_of_a_full_entry():
    mention = only(
        "## NLP\n\n- ~~**BERT**: [Pre-training of Transformers](https://arxiv.org/pdf/1810.04805v2.pdf)~~ "
        "(NAACL'19) [笔记](n.md)\n"
    )
    assert (mention.line, mention.last_line) == (3, 3)
    assert mention.title == "Pre-training of Transformers"
    assert mention.name == "BERT"
    assert (mention.year, mention.venue) == (2019, "NAACL")
    assert (mention.arxiv_id, mention.arxiv_version) == ("1810.04805", 2)
    assert mention.url == "https://arxiv.org/pdf/1810.04805v2.pdf"
    assert mention.section == ("NLP",)
    assert mention.notes == ("n.md",)
    assert mention.struck
    assert mention.reasons


def test_a_rule_at_the_top_is_no_front_matter():
    text = "---\n## First\n\n- [On Small Things](http://a.org/x.pdf)\n\n---\n"
    assert only(text).section == ("First",)


def test_front_matter_is_no_part_of_the_list():
    assert parse_reading_list("---\ntitle: On Small Things, NIPS 2014\n---\n").mentions == ()


def test_two_papers_on_a_line_are_two_mentions():
    found = parse_reading_list(
        "- [On Small Things](http://a.org/x.pdf); [On Large Things](http://a.org/y.pdf)"
    ).mentions
    assert [mention.title for mention in found] == ["On Small Things", "On Large Things"]


def test_two_bare_addresses_on_a_line_are_two_mentions():
    found = parse_reading_list("* https://arxiv.org/pdf/1805.09767.pdf and https://arxiv.org/abs/1808.07217").mentions
    assert [mention.arxiv_id for mention in found] == ["1805.09767", "1808.07217"]


def test_a_link_is_not_given_to_the_entry_before():
    found = parse_reading_list("* K-FAC\n* distributed K-FAC, [paper](https://arxiv.org/pdf/1811.12019.pdf)").mentions
    assert [mention.line for mention in found if mention.arxiv_id] == [2]


def test_a_broken_identifier_stands_among_the_findings():
    mention = only("- [On Small Things](https://arxiv.org/abs/1802.4924)")
    assert mention.arxiv_id is None
    assert [finding.code for finding in mention.findings] == ["malformed-arxiv-id"]


def test_a_link_copied_from_the_entry_above_is_withheld():
    first, second = parse_reading_list(
        "- [Efficient Dense Mapping of Indoor Scenes](https://arxiv.org/abs/2211.11704)\n"
        "- [Learning Policies from Human Preferences Online](https://arxiv.org/abs/2211.11704)\n"
    ).mentions
    assert first.arxiv_id == "2211.11704"
    assert second.arxiv_id is None
    assert [finding.code for finding in second.findings] == ["link-repeated-under-another-title"]


def test_the_list_has_the_title_of_its_first_heading():
    assert parse_reading_list("# Reading\n\n## More").title == "Reading"
    assert parse_reading_list("no heading").title is None


def test_importing_the_parser_needs_neither_prefect_nor_duckdb():
    import subprocess
    import sys

    heavy = "prefect|duckdb|pyarrow|requests|httpx|arxiv|semanticscholar|rich|typer"
    code = f"import sys, sources.reading_list; print([name for name in '{heavy}'.split('|') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_link_in_a_labelled_line_that_every_record_has_belongs_to_the_heading_above():
    titles = ["Deep Layer Aggregation", "Learning to Rank with Small Data Sets", "On the Stability of Moving Robots"]
    text = "".join(
        f"### {title}\n\n- Kdo: Jan Novak\n- Hodnoceni: dobre\n- **Odkaz:** [arXiv](https://arxiv.org/abs/2001.0000{n})\n\n"
        for n, title in enumerate(titles)
    )
    found = parse_reading_list(f"# Clanky\n\n{text}").mentions
    assert [(mention.title, mention.arxiv_id) for mention in found] == [
        (title, f"2001.0000{n}") for n, title in enumerate(titles)
    ]
