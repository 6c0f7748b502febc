"""The stand-ins as a whole: one process, one port, both services."""

import os
import subprocess
import sys

import requests

from standins.handle import ROOT


def test_both_services_answer_on_one_port(standins):
    feed = requests.get(standins.arxiv_url, params={"id_list": "1706.03762"}, timeout=10)
    url = f"{standins.s2_url}/graph/v1/paper/batch"
    batch = requests.post(url, json={"ids": ["ARXIV:1706.03762"]}, timeout=10)
    assert (feed.status_code, batch.status_code) == (200, 200)
    assert [line["service"] for line in standins.requests()] == ["arxiv", "s2"]


def test_the_process_can_be_started_by_hand():
    command = [sys.executable, "-m", "standins", "--port", "0"]
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as process:
        try:
            port = int(process.stdout.readline())
            assert requests.get(f"http://127.0.0.1:{port}/api/query", timeout=10).status_code == 200
        finally:
            process.kill()


def test_a_mistake_of_the_stand_ins_own_passes_for_nobodys_fault(standins, capfd):
    standins.fault("arxiv", "status", status="not a number")
    reply = requests.get(standins.arxiv_url, params={"id_list": "1706.03762"}, timeout=10)
    assert reply.status_code == 599
    assert "ValueError" in reply.text
    assert standins.requests()[0]["fault"] == "stand-in is broken"


def test_the_log_of_one_test_is_not_that_of_the_next(standins):
    assert standins.requests() == []
