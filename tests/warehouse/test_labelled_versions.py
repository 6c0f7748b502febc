"""The labelled preprints: most published versions are found, and never that of another paper."""

from __future__ import annotations

import pytest

from standins.trials.labelled_versions import read_labelled, records_of, versions_found, versions_of_works


@pytest.mark.parametrize(("with_preprints", "least"), [(True, 0.9), (False, 0.8)])
def test_versions_of_labelled_preprints_are_found_and_never_those_of_others(tmp_path, with_preprints, least):
    labelled = read_labelled()
    found = versions_found(labelled, records_of(labelled, with_preprints=with_preprints), tmp_path)
    false = [(item, keys) for item, keys in zip(labelled, found, strict=True) if not keys <= {*item["published"]}]
    published = [bool(keys) for item, keys in zip(labelled, found, strict=True) if item["published"]]
    assert false == []
    assert sum(published) >= least * len(published)
    assert len(published) < len(labelled)


def test_openalex_has_no_version_of_another_paper_and_most_of_those_that_there_are():
    labelled = read_labelled()
    found = versions_of_works(labelled)
    assert [item for item, keys in zip(labelled, found, strict=True) if not keys <= {*item["published"]}] == []
    published = [bool(keys) for item, keys in zip(labelled, found, strict=True) if item["published"]]
    assert sum(published) >= 0.8 * len(published)
