"""Answers OpenAlex's questions from its mirror, in the place of the client that asks the service."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from sources.errors import PayloadError
from sources.records import Answer, Credits, OpenAlexPaper, TitleAnswer
from sources.services.openalex.answers import CitingAnswer, CitingQuestion
from sources.services.openalex.record import OpenAlexWork, work_id_of
from warehouse.mirrors.local import OpenAlexMirror


class OpenAlexFromMirror:
    """The client of a mirror that holds every work: it sends nothing, and what it does not have, OpenAlex had not.

    Args:
        mirror: The mirror; it must be whole.
    """

    requests_sent = 0
    problems: Mapping[str, int] = {}
    credits = Credits()

    def __init__(self, mirror: OpenAlexMirror) -> None:
        self._mirror = mirror

    def fetch_papers(self, ids: Sequence[str]) -> Answer[str, OpenAlexWork]:
        """Returns the work under each DOI."""
        return _answer(ids, self._mirror.works_by_doi(ids))

    def fetch_works(self, work_ids: Sequence[str], *, most_requests: int = 0) -> Answer[str, OpenAlexWork]:  # noqa: ARG002 - as the service's client is called
        """Returns the work under each of OpenAlex's identifiers."""
        return _answer(work_ids, self._mirror.works_by_id(work_ids))

    def search_titles(self, titles: Sequence[str]) -> TitleAnswer[OpenAlexPaper]:
        """Returns the papers found for the titles."""
        found = self._mirror.by_titles(titles)
        papers = {paper.work_id: paper for each in found.values() for paper in each}
        return TitleAnswer(requested=tuple(titles), papers=tuple(papers.values()), answered=frozenset(titles))

    def fetch_citing(self, question: CitingQuestion, *, most_requests: int = 0) -> CitingAnswer:  # noqa: ARG002
        """Returns the works that cite others; more than there may be are an error, as of the service."""
        answer = CitingAnswer(question=question)
        for row in self._mirror.citing(question.work_ids):
            if question.since is None or (_day(row["publication_date"]) or date.max) >= question.since:
                cited = (work_id_of(work) or "" for work in row["referenced_works"])
                answer.works[work_id_of(row["id"]) or ""] = tuple(dict.fromkeys(cited))
        if len(answer.works) > question.most:
            text = f"{len(answer.works)} citing works in the mirror, where {question.most} can be"
            answer.error, answer.works = PayloadError(text, source="openalex", field="meta"), {}
        return answer

    def close(self) -> None:
        """Does nothing: the mirror is closed with the others."""


def _answer(wanted: Sequence[str], found: Mapping[str, OpenAlexWork]) -> Answer[str, OpenAlexWork]:
    return Answer(requested=tuple(wanted), found=found, not_found=frozenset(wanted) - found.keys())


def _day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None
