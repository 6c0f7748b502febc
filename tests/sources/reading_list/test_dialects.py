"""Markdown as note-taking and publishing programs extend it: what their marks hold is read, the marks are not."""

from sources.lists.reading import parse_reading_list
from sources.lists.reading.document import plain_markdown
from sources.records import Mention
from tests.matrices import for_each

BERT = "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding"
GPIPE = "GPipe: Efficient Training of Giant Neural Networks using Pipeline Parallelism"
SPEECH = "Attention Is All You Need In Speech Separation"
FEW_SHOT = "Language Models are Few-Shot Learners"

OBSIDIAN = f"""\
---
tags: [reading, ml]
status: "in progress"
---

# Reading list

created:: 2024-01-02

%%
A Hidden Remark about Training Deep Neural Networks Twice
%%

- [x] [[Attention Is All You Need]] ✅ 2024-01-05 ^attention
- [/] [[papers/vaswani2017|{SPEECH}]] (2021)
- [>] [[BERT|{BERT}]], Devlin et al., 2018 ^bert-1
- [-] [Layer Normalization](https://arxiv.org/abs/1607.06450) 📅 2024-02-03
- [?] ==Mixed Precision Training== ([pdf](https://arxiv.org/pdf/1710.03740)) %%read again%%
- [!] {GPIPE} [[notes/gpipe]] ![[figures/pipe.png]]

> [!abstract]- {FEW_SHOT}
> authors:: Brown et al.
> year:: 2020
> link:: https://arxiv.org/abs/2005.14165

- **Going Deeper with Convolutions**
  status:: read
  year:: 2014
  link:: https://arxiv.org/abs/1409.4842
- [[@he2015|Deep Residual Learning for Image Recognition]] [year:: 2015] [status:: unread]
"""

LOGSEQ = f"""\
title:: Papers
tags:: reading

- ## To read
\t- TODO [[Attention Is All You Need]]
\t  id:: 64a1f0c2-1b2c-4d5e-8f90-123456789abc
\t  year:: 2017
\t- DOING [#A] Layer Normalization, Ba et al., 2016
\t  :LOGBOOK:
\t  CLOCK: [2024-01-02 Tue 10:00:00]--[2024-01-02 Tue 11:00:00] =>  01:00:00
\t  :END:
\t- DONE {BERT}
\t  authors:: Jacob Devlin, Ming-Wei Chang
\t- WAITING ((64a1f0c2-1b2c-4d5e-8f90-123456789abc))
\t- NOW Mixed Precision Training #training
\t  SCHEDULED: <2024-03-04 Mon>
\t- {{{{query (todo now later)}}}}
\t- CANCELED {GPIPE}
"""

PANDOC = f"""\
---
title: "Reading notes"
bibliography: refs.bib
---

## Sequence models {{#sec-seq .unnumbered}}

::: {{.callout-note title="Where to begin"}}
The transformer [@vaswani2017attention, pp. 3-4; see also @devlin2018] is where it starts.
:::

1. Vaswani et al. (2017). *Attention Is All You Need* [@vaswani2017attention]. [arXiv](https://arxiv.org/abs/1706.03762)
2. [Fast R-CNN]{{.smallcaps}} @girshick2015, <https://arxiv.org/abs/1504.08083>
3. [Mixed Precision Training](https://arxiv.org/abs/1710.03740){{target="_blank" .external}}
4. [Going Deeper with Convolutions]{{.underline}} ([PDF](https://arxiv.org/pdf/1409.4842){{.btn}}) {{#fig-going}}
5. ^1^ Deep contextualized word representations, Peters et al., 2018

{GPIPE}
:   Huang et al., NeurIPS 2019. <https://arxiv.org/abs/1811.06965>

{FEW_SHOT}
~   Brown et al., 2020.
"""

KRAMDOWN = """\
* TOC
{:toc}

## Vision
{: #vision .no_toc}

- [Fast R-CNN](https://arxiv.org/abs/1504.08083){:target="_blank"}{: .paper}
- [Going Deeper with Convolutions](https://arxiv.org/abs/1409.4842){: target="_blank" rel="noopener"}
{: .papers}

Attention Is All You Need
: Vaswani et al., NeurIPS 2017.
: [arXiv](https://arxiv.org/abs/1706.03762)

{::comment}
A Hidden Remark about Training Deep Neural Networks Twice
{:/comment}

{% include note.html text="A Hidden Remark about Training Deep Networks" %}

*[NLP]: Natural Language Processing of Hidden Remarks
"""

GITHUB = f"""\
> [!NOTE]
> This list is sorted by year.

> [!IMPORTANT]
> **Attention Is All You Need** (2017) https://arxiv.org/abs/1706.03762

<details open>
<summary><b>Language models</b> (2)</summary>

- [x] [{BERT}](https://arxiv.org/abs/1810.04805) #12
- [ ] {FEW_SHOT} <sup>NeurIPS 2020</sup>

</details>

- [Mixed Precision Training][mp]

[mp]: https://arxiv.org/abs/1710.03740 "Mixed Precision Training"
"""

MDX = f"""\
import {{ Card, CardGrid }} from '../components/Card'

export const meta = {{
  title: 'A Reading List about Training Deep Neural Networks',
}}

# Papers

{{/* A Hidden Remark about Training Deep Neural Networks Twice */}}

<CardGrid cols={{2}}>
  <Card title="Attention Is All You Need" href="https://arxiv.org/abs/1706.03762" />
  <Card href="https://arxiv.org/abs/1504.08083">Fast R-CNN</Card>
</CardGrid>

:::tip[Read first]

[Going Deeper with Convolutions](https://arxiv.org/abs/1409.4842)

:::

<a href="https://arxiv.org/abs/1810.04805" className="link">{BERT}</a>
"""

BIBTEX = """\
# Papers

```bibtex
@inproceedings{vaswani2017attention,
  title     = {Attention Is All You Need},
  author    = {Vaswani, Ashish and Shazeer, Noam and Parmar, Niki},
  booktitle = {Advances in Neural Information Processing Systems},
  year      = {2017},
  eprint    = {1706.03762}
}

@article{ba2016layer,
  title={Layer {N}ormalization},
  author={Ba, Jimmy Lei and Kiros, Jamie Ryan},
  journal={arXiv preprint arXiv:1607.06450},
  year=2016
}
```

- **Fast R-CNN** ([arXiv](https://arxiv.org/abs/1504.08083))

  ```bib
  @inproceedings{girshick2015fast, title="Fast {R-CNN}", author="Girshick, Ross", year="2015"}
  ```

@article{micikevicius2017mixed,
  title = "Mixed Precision Training",
  author = "Paulius Micikevicius and Sharan Narang",
  doi = {10.48550/arXiv.1710.03740}
}

```python
@property
def title(self): return "A Hidden Remark about Training Deep Neural Networks"
```
"""

HTML = f"""\
# Papers

<!-- <li>A Hidden Remark about Training Deep Neural Networks Twice</li> -->
<ul class='papers' data-x="a > b">
<li><a href=https://arxiv.org/abs/1504.08083>Fast R-CNN</a> (2015)
<li><a title="a > b" data-href="x" href='https://arxiv.org/abs/1409.4842'>Going Deeper with&nbsp;Convolutions</a>
  <ul><li>Layer Normalization, Ba et al., 2016</ul>
</ul>
<table>
<tr><th>Title<th>Link
<tr><td>Attention Is All You Need<td><a href="https://arxiv.org/abs/1706.03762">pdf</a>
</table>
<dl>
<dt>{BERT}
<dd>Devlin et al., 2018
</dl>
<p>{FEW_SHOT} &mdash; Brown et al., 2020 <small>NeurIPS</small>
<template><li>A Hidden Remark about Training Deep Neural Networks</li></template>
<script>document.write("<li>A Hidden Remark about Training Deep Neural Networks</li>")</script>
"""


def read(text: str) -> dict[str | None, Mention]:
    return {mention.title: mention for mention in parse_reading_list(text).mentions}


@for_each(
    ("text", "titles"),
    [
        (OBSIDIAN, [
         "Attention Is All You Need", SPEECH, BERT, "Layer Normalization", "Mixed Precision Training", GPIPE,
         FEW_SHOT, "Going Deeper with Convolutions", "Deep Residual Learning for Image Recognition",
         ]),
        (LOGSEQ, ["Attention Is All You Need", "Layer Normalization", BERT, "Mixed Precision Training", GPIPE]),
        (PANDOC, [
         "Attention Is All You Need", "Fast R-CNN", "Mixed Precision Training", "Going Deeper with Convolutions",
         "Deep contextualized word representations", GPIPE, FEW_SHOT,
         ]),
        (KRAMDOWN, ["Fast R-CNN", "Going Deeper with Convolutions", "Attention Is All You Need"]),
        (GITHUB, ["Attention Is All You Need", BERT, FEW_SHOT, "Mixed Precision Training"]),
        (MDX, ["Attention Is All You Need", "Fast R-CNN", "Going Deeper with Convolutions", BERT]),
        (BIBTEX, ["Attention Is All You Need", "Layer Normalization", "Fast R-CNN", "Mixed Precision Training"]),
        (HTML, [
         "Fast R-CNN", "Going Deeper with Convolutions", "Layer Normalization", "Attention Is All You Need",
         BERT, FEW_SHOT,
         ]),
    ],
)  # fmt: skip
def test_the_papers_of_a_list_in_a_dialect_are_read_and_nothing_else(text: str, titles: list[str]):
    assert [mention.title for mention in parse_reading_list(text).mentions] == titles
    lines = text.split("\n")
    for mention in parse_reading_list(text).mentions:
        assert mention.text.split("\n") == lines[mention.last_line - mention.text.count("\n") - 1 : mention.last_line]


def test_a_day_on_which_something_is_to_be_read_is_no_year_of_the_paper():
    assert read(OBSIDIAN)["Layer Normalization"].year is None
    assert read(LOGSEQ)["Mixed Precision Training"].year is None


def test_properties_of_a_paper_are_its_fields():
    deeper = read(OBSIDIAN)["Going Deeper with Convolutions"]
    assert (deeper.year, deeper.arxiv_id) == (2014, "1409.4842")
    assert read(OBSIDIAN)["Deep Residual Learning for Image Recognition"].year == 2015
    assert read(OBSIDIAN)[FEW_SHOT].arxiv_id == "2005.14165"
    assert read(LOGSEQ)[BERT].authors == ("Jacob Devlin", "Ming-Wei Chang")


def test_a_definition_belongs_to_its_term():
    gpipe = read(PANDOC)[GPIPE]
    assert (gpipe.year, gpipe.venue, gpipe.arxiv_id) == (2019, "NeurIPS", "1811.06965")
    assert read(KRAMDOWN)["Attention Is All You Need"].arxiv_id == "1706.03762"


def test_a_footnote_belongs_to_the_entry_that_has_its_mark():
    text = """\
- Layer Normalization[^1]
- Attention Is All You Need [^attention]

[^1]: https://arxiv.org/abs/1607.06450
[^attention]: Vaswani et al., NeurIPS 2017. <https://arxiv.org/abs/1706.03762>
[^2]: Peters et al. *Deep contextualized word representations*. NAACL 2018. https://arxiv.org/abs/1802.05365
"""
    found = [(mention.line, mention.title, mention.arxiv_id) for mention in parse_reading_list(text).mentions]
    assert found == [
        (1, "Layer Normalization", "1607.06450"),
        (2, "Attention Is All You Need", "1706.03762"),
        (6, "Deep contextualized word representations", "1802.05365"),
    ]


def test_bibtex_is_read_field_by_field():
    found = read(BIBTEX)
    first = found["Attention Is All You Need"]
    assert first.authors == ("Ashish Vaswani", "Noam Shazeer", "Niki Parmar")
    assert (first.year, first.arxiv_id, first.line, first.last_line) == (2017, "1706.03762", 5, 10)
    assert found["Layer Normalization"].arxiv_id == "1607.06450"
    assert found["Mixed Precision Training"].arxiv_id == "1710.03740"
    assert found["Fast R-CNN"].arxiv_id == "1504.08083"


@for_each(
    ("field", "arxiv_id"),
    [
        ("eprint = {1706.03762v5}", "1706.03762"),
        ("eprint = {arXiv:1706.03762}", "1706.03762"),
        ("eprint = {cs.CL/0701001}", "cs/0701001"),
        ("doi = {10.48550/arXiv.1706.03762}", "1706.03762"),
        ("doi = {https://doi.org/10.48550/arXiv.1706.03762}", "1706.03762"),
        ("eprint = {2019/1234}", None),
    ],
)
def test_bibtex_names_a_paper_of_arxiv_by_eprint_or_doi(field: str, arxiv_id: str | None):
    known = "title = {Attention Is All You Need}, author = {Vaswani, A. and Shazeer, N.}"
    entry = f"@article{{vaswani2017, {known}, {field}}}\n"
    (mention,) = read(f"```bibtex\n{entry}```\n").values()
    assert mention.arxiv_id == arxiv_id


def test_a_broken_number_of_arxiv_in_bibtex_is_reported():
    entry = (
        "@misc{x, title = {Attention Is All You Need}, archivePrefix = {arXiv}, eprint = {1799.03762}, year = 2017}\n"
    )
    (mention,) = read(f"```bibtex\n{entry}```\n").values()
    assert mention.arxiv_id is None
    assert [finding.code for finding in mention.findings] == ["malformed-arxiv-id"]


@for_each(
    "bibtex",
    [
        "@article{x, title = {",
        "@article{x, title = {A {b} c", '@article{x, title = "', "@article{x,\n}", "@article{x, = }",
        "@string{x, title = {A Title of Some Paper}}",
        "@article{x, title = {A Title of Some Paper}, author = { and }, year = {}}",
        "@article{x, title = {A Title}}@article{y, title = {Another}}",
    ],
)  # fmt: skip
def test_broken_bibtex_harms_nothing(bibtex: str):
    text = f"{bibtex}\n\n- [Fast R-CNN](https://arxiv.org/abs/1504.08083)\n"
    assert "1504.08083" in {mention.arxiv_id for mention in parse_reading_list(text).mentions}


def test_html_is_read_as_browsers_read_it():
    found = read(HTML)
    assert found["Going Deeper with Convolutions"].url == "https://arxiv.org/abs/1409.4842"
    assert found["Attention Is All You Need"].arxiv_id == "1706.03762"
    assert found[FEW_SHOT].venue == "NeurIPS"


@for_each(
    "line",
    [
        "- [A Title](https://medium.com/@jane2019/x~1~/{id=3})",
        "- `{: .class}` and `[[a|b]]`",
        "- $O(n^{2})$ and $x_{i}$, {N}ormalization, $\\mathbb{R}^{n}$",
        "- see [1], [2]: a list; a b; std::vector is fast; it costs ~50 and ~60",
        "- jane@example2019.org wrote ~~a title~~",
        "A sentence, imported from 'here'.", "- [ ] open and [x] done", "- C++ vs {a, b}",
    ],
)  # fmt: skip
def test_what_is_no_mark_of_a_dialect_stays(line: str):
    assert plain_markdown(line) == line


@for_each("text", ["%%\nnever closed\n- a", "{/*\nx", ":LOGBOOK:\n- a", "```\n%%\n```\n- a\n%%\nb\n%%\nc"])
def test_every_line_stays_a_line(text: str):
    assert plain_markdown(text).count("\n") == text.count("\n")
    assert plain_markdown(OBSIDIAN + text).count("\n") == (OBSIDIAN + text).count("\n")


def test_what_stands_in_a_code_block_opens_no_comment():
    assert plain_markdown("```\n%%\n```\n- a\n").endswith("- a\n")
