"""Venue and year in every common notation."""

from sources.lists.reading.citation_parts import Imprint, imprint_of
from sources.lists.reading.title_model import LIKELY, clean_title, title_odds
from tests.matrices import for_each


@for_each(
    ("text", "imprint"),
    [
        ("ICLR'21", Imprint("ICLR", 2021)),
        ("SysML’19", Imprint("SysML", 2019)),
        ("EuroSys18", Imprint("EuroSys", 2018)),
        ("ATC 19", Imprint("ATC", 2019)),
        ("2020 ASPLOS", Imprint("ASPLOS", 2020)),
        ("2020.5.23", Imprint(None, 2020)),
        ("2018年", Imprint(None, 2018)),
        ("arXiv: June 1 2020", Imprint("arXiv", 2020)),
        ("arXiv:1904.10631 2019", Imprint("arXiv", 2019)),
        ("CVPR 2022 Workshop", Imprint("CVPR Workshop", 2022)),
        ("NIPS Workshop'15", Imprint("NIPS Workshop", 2015)),
        ("Nature", Imprint("Nature", None)),
        ("Proc. of a conference", Imprint("Proc. of a conference", None)),
        ("JMLR 13", Imprint("JMLR", None)),
    ],
)
def test_an_imprint_is_read(text, imprint):
    assert imprint_of(text) == imprint


@for_each(
    "text",
    [
        "",
        "Low-Memory Neural Network Training: A Technical Report",
        "Demystifying Fraudulent Transactions and Illicit Nodes in the Bitcoin Network", "for transformers",
        "UC Berkeley", "CC0",
        "venues such as PODC, DISC, OPODIS", "Kumar",
    ],
)  # fmt: skip
def test_other_words_are_no_imprint(text):
    assert imprint_of(text) is None


@for_each(
    ("text", "title"),
    [
        ('  "Attention is all you need",', "Attention is all you need"),
        ("《Wide & Deep Learning》", "Wide & Deep Learning"),
        ("🔥 :fire: ResNet.", "ResNet"),
        ("ImageNet_Classification_with_CNNs.pdf", "ImageNet Classification with CNNs"),
        ("How Powerful are Graph Neural Networks?", "How Powerful are Graph Neural Networks?"),
        ('Welcome to the "Big Model" Era', 'Welcome to the "Big Model" Era'),
        ("Title (", "Title"),
        ("", ""),
    ],
)
def test_a_title_is_cleaned(text, title):
    assert clean_title(text) == title


@for_each(
    "text",
    [
        "Gist: Efficient Data Encoding for Deep Neural Network Training",
        "Polyhedral Optimization of TensorFlow Computation Graphs",
        "On the difficulty of training recurrent neural networks",
    ],
)
def test_titles_read_like_titles(text):
    assert title_odds(text) >= LIKELY


@for_each(
    "text",
    [
        "This section lists papers describing algorithms for consensus", "collectives for GPUs",
        "Data Parallelism: BSP, ASP, DDP", "PyTorch", "see also the slides", "Other resources:",
        "这个方法可以代替过去好几个独自设计的模块",
    ],
)  # fmt: skip
def test_remarks_topics_and_labels_do_not(text):
    assert title_odds(text) < LIKELY
