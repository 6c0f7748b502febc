"""How entries are read: the smallest list that shows each way of writing papers down."""

import json
import re
from pathlib import Path

from sources.lists.reading import parse_reading_list
from sources.lists.reading.citation_parts import dated_journal
from sources.lists.reading.document import read_document
from sources.lists.reading.mentions import drafts_by_rule
from sources.lists.reading.title_model import is_in_other_language, language_of
from tests.matrices import for_each

HERE = Path(__file__).parent


CITATIONS = (HERE / "citations.txt").read_text(encoding="utf-8").strip().split("\n\n")
"""Entries in which ⟦a title⟧, ⟨each author⟩, ⟪the year⟫ and ⦗the venue⦘ are marked; another venue may be read."""


@for_each("entry", CITATIONS)
def test_a_citation_is_read_whole(entry):
    (mention,) = parse_reading_list(entry.translate(dict.fromkeys(map(ord, "⟦⟧⟨⟩⟪⟫⦗⦘")))).mentions
    title, year, venue = (re.findall(f"{marks[0]}(.*){marks[1]}", entry) for marks in ("⟦⟧", "⟪⟫", "⦗⦘"))
    assert (mention.title, mention.year) == (title[0].replace("*", ""), int(year[0]) if year else None)
    assert mention.authors == tuple(re.findall("⟨([^⟩]*)⟩", entry))
    assert not venue or mention.venue == venue[0]


ENTRIES = (HERE / "few_lines.txt").read_text(encoding="utf-8").removeprefix("§ ").split("\n§ ")
"""What is shown, the lines of a list, and behind an arrow some fields with their values in each mention."""


@for_each("entry", ENTRIES)
def test_the_papers_of_a_few_lines_are_read_and_nothing_else(entry):
    lines, _, told = entry.partition("\n→ ")
    fields, *found = told.strip().split("\n")
    text = lines.partition("\n")[2]
    mentions = [[getattr(mention, field) for field in fields.split()] for mention in parse_reading_list(text).mentions]
    assert json.loads(json.dumps(mentions)) == list(map(json.loads, found))


@for_each(
    "text",
    [
        "- [horovod](https://github.com/horovod/horovod)",
        "- [CS231n: Convolutional Networks](http://cs231n.stanford.edu/)",
        "- [Lecture 3: Overview](http://a.edu/pdf/lecture3.pdf)",
        "- [A Talk about Deep Learning Systems](https://www.youtube.com/watch?v=1)",
        "- [How AI training scales](https://openai.com/blog/science-of-ai/)",
        "- [Backbones](#backbones)\n- [Tools](#tools)",
        "- [NVLink](./hardware/nvlink.md): a fast link",
        "> Proposed a backend for distributed training of deep networks.",
        "---\ntitle: On Small Things, NIPS 2014\n---\n", "Please send a pull request if a paper is missing.",
        "```\n[A Title of Some Paper](https://arxiv.org/abs/1706.03762)\n```",
        "<!-- [A Title](https://arxiv.org/abs/1706.03762) -->",
        "![A Title of Some Paper](https://a.org/x.png)", "",
    ],
)  # fmt: skip
def test_what_is_no_paper_is_no_mention(text):
    assert parse_reading_list(text).mentions == ()


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


@for_each(
    "title",
    [
        "Instability of de Sitter Space", "Una introducción a la historia de España", "Networks, Crowds & Markets",
        "Retrieval & Generation - A Survey of Methods",
    ],
)  # fmt: skip
def test_words_that_a_sign_joins_are_no_authors(title):
    (block,) = read_document(f"- {title}").blocks
    ((draft,),) = drafts_by_rule([block])
    assert (draft.citation.title, draft.citation.authors) == (title, ())


@for_each("name", ["H. Lu. Springer Vision", "and Nickolai Zeldovich Linux", "YK. Lai and SM. Hu", "ICML. Vol"])
def test_what_is_left_of_names_and_volumes_is_no_journal(name):
    assert dated_journal(f"{name} 2012") is None


@for_each(
    ("text", "foreign"),
    [
        ("Una lista de artículos que me han gustado, con los comentarios que escribí para el grupo y las notas.", True),
        ("Список статей, которые мы читаем в этом году на семинаре, и короткие заметки к каждой из них.", True),
        ("这里是我们今年读过的论文，每篇都有简短的笔记和代码链接，欢迎补充新的论文和意见。", True),
        ("A list of the papers that we read this year, with short notes on each of them, in order of interest.", False),
        ("Machine learning, deep learning, networks, systems, https://un.es/la/los/para", False),
    ],
)
def test_language_of_a_list_is_told_by_its_remarks(text, foreign):
    assert is_in_other_language(read_document(text).blocks) is foreign


def test_language_of_a_title_is_told_by_its_small_words():
    assert language_of("The Unreasonable Effectiveness of Mathematics") == "in another language than the list"
    assert language_of("Comprar el libro para las clases") == "in the list's own language"
    assert language_of("Ask about the book de la semana y el lunes") == "in the list's own language"
    assert (
        language_of("Notes on the history of the river and the Alpen und Seen") == "partly in the list's own language"
    )


@for_each("joint", ["\n  ", "  \n  ", "\\\n  ", "<br>\n  "])
@for_each("mark", ["{}", "**{}**", "*{}*", '"{}"'])
@for_each("bullet", ["- ", "3. ", ""])
def test_authors_title_and_place_on_a_line_each_are_one_record(joint, mark, bullet):
    records = [
        ("Leslie Lamport", "Time, Clocks, and the Ordering of Events", "Comm. ACM, 1978"),
        ("Sanger F, Nicklen S, Coulson AR", "DNA sequencing with chain-terminating inhibitors", "PNAS 74, 5463 (1977)"),
        ("Müller, Klaus; Schmidt, Hans", "Zur Theorie der Gesellschaftsspiele", "Mathematische Annalen, 1928"),
        ("Kipf and Welling", "Semi-Supervised Classification with Graphs", "ICLR 2017"),
    ]
    text = "\n\n".join(bullet + joint.join((people, mark.format(title), place)) for people, title, place in records)
    found = parse_reading_list(f"# Papers\n\n{text}\n").mentions
    assert [mention.title for mention in found] == [title for _, title, _ in records]
    assert [len(mention.authors) for mention in found] == [1, 3, 2, 2]
