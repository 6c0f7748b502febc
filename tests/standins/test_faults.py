"""Every fault that can be switched on changes what a client sees, at the service and the request it is for."""

import pytest
import requests

from standins.faults import KINDS

IDS = ["1706.03762", "1810.04805", "2005.14165"]
BROKEN = (requests.exceptions.ConnectionError, requests.exceptions.ChunkedEncodingError,
          requests.exceptions.ContentDecodingError, requests.exceptions.ReadTimeout,
          requests.exceptions.TooManyRedirects)  # fmt: skip
DETAILS = {
    "hang": {"seconds": 3},
    "drop_before_headers": {"seconds": 0.05},
    "slow": {"seconds": 0.1},
    "drip": {"seconds": 0.1},
    "missing_field": {"field": "title"},
    "set_field": {"field": "title", "value": "Another"},
    "set_envelope": {"field": "opensearch:totalResults", "value": 77},
    "status": {"status": 418},
    "error_entry": {"message": "something broke"},
}
ELSEWHERE = {"lie", "allowance_spent", "timed_out", "searches_paused", "wrong_key", "no_title_filter", "prepaid"}
"""Faults of OpenAlex alone, and lies, which tests/flows/test_wire.py, test_lies.py and tests/sources try."""
SAME = {"slow", "drip", "gzip", "no_length", "echo", "content_type", "recoded"}
"""Faults after which what is told stays right."""
BY_SERVICE = {"arxiv": {"endless"}, "s2": {"endless", "set_envelope"}}
"""Faults that have no end to wait for, or that another endpoint of the service has."""


def ask(standins, service):
    if service == "arxiv":
        return requests.get(standins.arxiv_url, params={"id_list": ",".join(IDS)}, timeout=1)
    url = f"{standins.s2_url}/graph/v1/paper/batch?fields=title,citationCount"
    return requests.post(url, json={"ids": [f"ARXIV:{one}" for one in IDS]}, timeout=1)


def told(standins, service):
    try:
        reply = ask(standins, service)
    except BROKEN as error:
        return type(error).__name__
    return reply.status_code, reply.text


@pytest.mark.parametrize("service", ["arxiv", "s2"])
def test_every_kind_of_fault_is_noted_and_changes_what_is_told(standins, service):
    whole = ask(standins, service)
    for kind in KINDS.keys() - ELSEWHERE - SAME - BY_SERVICE[service]:
        standins.clear_faults()
        standins.clear_log()
        standins.fault(service, kind, **DETAILS.get(kind, {}))
        assert told(standins, service) != (200, whole.text), kind
        assert {line["fault"] for line in standins.requests()} == {kind}


def test_a_fault_strikes_at_its_position_endpoint_and_papers_and_ends(standins):
    standins.fault("s2", "503", skip=1, times=1)
    assert [ask(standins, "s2").status_code for _ in range(3)] == [200, 503, 200]
    standins.clear_faults()
    standins.fault("s2", "503", endpoint="match")
    standins.fault("arxiv", "500", ids=["2401.00001"])
    assert [ask(standins, service).status_code for service in ("s2", "arxiv")] == [200, 200]
    standins.down("s2")
    assert told(standins, "s2") == "ConnectionError"
    standins.reset()
    assert ask(standins, "s2").status_code == 200


def test_a_mistake_of_the_stand_ins_own_passes_for_no_fault_of_others(standins, capfd):
    standins.fault("arxiv", "status", status="not a number")
    assert ask(standins, "arxiv").status_code == 599
    assert standins.requests()[0]["fault"] == "stand-in is broken"
    with pytest.raises(ValueError, match="no fault kind"):
        standins.fault("arxiv", "gremlins")
