"""The stand-ins as a whole: a first look that the team can rely on."""

import requests


def test_both_services_answer_on_one_port(standins):
    feed = requests.get(standins.arxiv_url, params={"id_list": "1706.03762"})
    batch = requests.post(f"{standins.s2_url}/graph/v1/paper/batch", json={"ids": ["ARXIV:1706.03762"]})
    assert (feed.status_code, batch.status_code) == (200, 200)
    assert [line["service"] for line in standins.requests()] == ["arxiv", "s2"]
