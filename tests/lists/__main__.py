"""Prints how well the labelled lists of this folder are read and resolved, as one table: `make accuracy`.

The parser's weights were not learnt from these lists, and the papers are resolved against `world.jsonl` as if it were
all that the services have; nobody is asked.
"""

import sys
from collections import Counter

from standins.trials.scoring import Score, score
from standins.trials.world import World
from tests.lists.test_lists import LISTS, fates, labels_of, mentions_of, rows


def table() -> dict[str, str]:
    """Returns what was measured -> the figure."""
    scores = {name: score(labels_of(name), mentions_of(name)) for name in LISTS}
    total = sum(scores.values(), Score(0, 0, 0))
    papers = sum(label["kind"] == "paper" for name in LISTS for label in labels_of(name))
    hidden = frozenset(label["arxiv_id"] for name in LISTS for label in labels_of(name) if label["arxiv_id"])
    known, nowhere = World(rows()), World([row for row in rows() if row.arxiv_id not in hidden])
    found = sum((fates(known, name) for name in LISTS), Counter[str]())
    strange = sum((fates(nowhere, name, hidden=hidden) for name in LISTS), Counter[str]())
    lowest = min(scores, key=lambda name: scores[name].strict_f1)
    return {
        "labelled lists, papers in them": f"{len(LISTS)}, {papers}",
        "papers read with the right title or identifier": f"{total.right} of {total.labels}",
        "mentions that are no labelled paper": f"{total.mentions - total.right} of {total.mentions}",
        "strict F1, of all lists": f"{total.strict_f1:.3f}",
        "strict F1, of the lowest": f"{scores[lowest].strict_f1:.2f} ({lowest})",
        "papers that a refresh resolves to the right paper": f"{found['right']} of {papers}",
        "mentions resolved to a wrong paper": f"{found['wrong']}",
        "the same where no service has any of the papers, only such with near titles": f"{strange['wrong']}",
    }


if __name__ == "__main__":
    sys.stdout.write("| what | figure |\n|---|---|\n")
    sys.stdout.writelines(f"| {what} | {figure} |\n" for what, figure in table().items())
