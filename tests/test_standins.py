"""The stand-ins as a whole: a first look that the team can rely on."""

import httpx


def test_both_services_answer_on_one_port(standins):
    feed = httpx.get(standins.arxiv_url, params={"id_list": "1706.03762"})
    batch = httpx.post(f"{standins.s2_url}/graph/v1/paper/batch", json={"ids": ["ARXIV:1706.03762"]})
    assert (feed.status_code, batch.status_code) == (200, 200)
    assert [line["service"] for line in standins.requests()] == ["arxiv", "s2"]
