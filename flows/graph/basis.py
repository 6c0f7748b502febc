"""What an answer about citations rests on, in sentences: so that what nobody knows is not taken for what is not so."""

from __future__ import annotations

from typing import Any

from sources.text import counted
from warehouse.papers.graph_limits import LEAST_PAPERS, MOST_CITED

Row = dict[str, Any]
ALL = "all"
"""Stands for all lists together."""


def basis_sentence(basis: Row) -> str:
    """Returns of how many papers of a list the citations are known, and why not of the others."""
    sentence = (
        f"This rests on the references of {basis['with_references']} of {counted(basis['papers'], 'paper')}, and on all"
        f" works that cite {basis['with_citing_works']} of them."
    )
    gaps = {
        "that OpenAlex does not have": basis["not_in_openalex"],
        "about which it could not be asked": basis["could_not_ask"],
        f"with more than {MOST_CITED} citations, whose citing works are not asked for": basis["much_cited"],
    }
    known = [f"{counted(number, 'paper')} {why}" for why, number in gaps.items() if number]
    if known:
        sentence += f" Not known: those of {', '.join(known)}."
    if basis["entries_without_paper"]:
        sentence += f" Left out: {counted(basis['entries_without_paper'], 'entry')} without a known paper."
    works, failed = basis.get("works_not_known", 0), basis.get("works_failed", 0)
    if works:
        vain = f", {failed} of which could not be asked about" if failed else ""
        sentence += f" Not looked up: {counted(works, 'work')} that may be missing{vain}."
    if basis["papers_of_all_lists"] < LEAST_PAPERS:
        text = (
            f"Below {LEAST_PAPERS} of all lists together a refresh asks neither for citing works nor for works outside."
        )
        return f"{sentence} {text}"
    is_due = basis["with_citing_works"] + sum(gaps.values()) < basis["papers"] or basis["could_not_ask"] or works
    return f"{sentence} `paperlake refresh` asks for more." if is_due else sentence


def paper_sentence(known: Row) -> str:
    """Returns what is known of the citations of one paper, and why not more."""
    if known["status"] == "failed":
        return f"OpenAlex could not be asked about this paper: {known['error']}."
    if known["status"] == "not_found":
        return "OpenAlex does not have this paper: its references and what cites it are not known."
    if known["status"] is None and not known["reference_links"] and not known["citing_works"]:
        return "OpenAlex was not asked about this paper: its references and what cites it are not known."
    references = counted(known["reference_links"], "reference") if known["reference_links"] else "no references of it"
    citing = counted(known["citing_works"], "citing work")
    whole = "all that OpenAlex tells of" if known["citing_status"] == "found" else "those that happened to come"
    count = known["citation_count"]
    of_all = f" ({counted(count, 'citation')} by its count)" if count is not None else ""
    return f"Known are {references}, and {citing}, {whole}{of_all}."
