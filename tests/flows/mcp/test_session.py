"""`paperlake mcp` as a process, spoken to by the official library and by a session that was recorded."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters

from flows.mcp.untrusted_text import UNTRUSTED
from tests.flows.mcp.conftest import ORDER

pytestmark = pytest.mark.slow

REPOSITORY = Path(__file__).resolve().parents[3]
RECORDING = REPOSITORY / "tests" / "fixtures" / "mcp" / "session.jsonl"
"""A line a message: `client` is what was sent, `server` what came back. RECORD_MCP_SESSION=1 records it anew."""
CALLS = [
    ("search", {"query": "attention vaswani"}),
    ("search", {"query": "zebra"}),
    ("paper", {"paper": "arXiv:1706.03762"}),
    ("paper", {"paper": "10.1234/order"}),
    ("list", {}),
    ("list", {"list": "l1.md", "only_review": True, "limit": 1}),
    ("sql", {"query": "select title, year from papers order by paper_id", "limit": 1}),
    ("sql", {"query": "delete from papers"}),
    ("sql", {"query": "select title::integer from papers"}),
    ("sql", {"query": "select 1", "limit": 1000}),
    ("status", {}),
    ("status", {"since": "2020-01-01"}),
    ("status", {"since": "a while ago"}),
    ("missing", {"limit": 1}),
    ("missing", {"list": "l2.md"}),
    ("related", {"paper": "p1", "limit": 2}),
    ("rising", {"list": "l1.md"}),
    ("status", {"since": "2020-01-01", "limit": 5}),
    ("paper", {"paper": "W200"}),
    ("list", {}),
    ("next", {"list": "l1.md", "limit": 2}),
    ("status", {"limit": 1}),
]


def command(folder: Path) -> list[str]:
    return [sys.executable, "-P", "-m", "flows", "mcp", "--lake", str(folder)]


def files(folder: Path) -> dict[str, tuple[int, int]]:
    return {str(path): (path.stat().st_size, path.stat().st_mtime_ns) for path in sorted(folder.rglob("*"))}


def messages() -> list[dict]:
    started = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    yield {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": started}
    yield {"jsonrpc": "2.0", "method": "notifications/initialized"}
    yield {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    for number, (name, arguments) in enumerate(CALLS, 2):
        params = {"name": name, "arguments": arguments}
        yield {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def steady(message: dict) -> dict:
    """Returns an answer without its second copy as text, and without the scores of the view `missing_papers`."""
    result = message["result"]
    if answer := result.get("structuredContent"):
        (copy,) = result.pop("content")
        assert json.loads(copy["text"]) == answer
        for record in answer["records"]:
            if "cites_listed" in record:
                assert record.pop("score") > 0
    return message


def test_a_recorded_session_goes_as_it_went(lake_folder, tmp_path):
    before, spoken = files(lake_folder), []
    with subprocess.Popen(
        command(lake_folder),
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        for message in messages():
            server.stdin.write(json.dumps(message) + "\n")
            server.stdin.flush()
            spoken.append({"client": message})
            if "id" in message:
                spoken.append({"server": steady(json.loads(server.stdout.readline()))})
        server.stdin.close()
        assert server.stdout.read() == "", "it says nothing unasked"
        assert server.wait(timeout=60) == 0
    assert files(lake_folder) == before
    assert list(tmp_path.iterdir()) == []
    spoken[1]["server"]["result"]["serverInfo"].pop("version")
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in spoken)
    if os.environ.get("RECORD_MCP_SESSION"):
        RECORDING.parent.mkdir(exist_ok=True)
        RECORDING.write_text(text, encoding="utf-8")
    recorded = RECORDING.read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in recorded] == spoken


def client_of(folder: Path, cwd: Path) -> Client:
    server = StdioServerParameters(
        command=sys.executable, args=command(folder)[1:], cwd=cwd, env={"PYTHONPATH": str(REPOSITORY)}
    )
    return Client(server)


async def ask(folder: Path, cwd: Path, calls):
    async with client_of(folder, cwd) as client:
        tools = (await client.list_tools()).tools
        return tools, [await client.call_tool(name, arguments) for name, arguments in calls]


def test_the_official_client_reads_and_writes_nothing(lake_folder, tmp_path):
    before = files(lake_folder)
    calls = [CALLS[0], CALLS[3], CALLS[7], CALLS[12]]  # all of them are in the recorded session
    tools, answers = asyncio.run(ask(lake_folder, tmp_path, calls))
    assert [tool.name for tool in tools] == [
        "search", "paper", "list", "sql", "status", "missing", "next", "related", "rising",
    ]  # fmt: skip
    assert all(tool.annotations.read_only_hint and tool.output_schema for tool in tools)
    assert [answer.is_error for answer in answers] == [False, False, True, True]
    assert answers[0].structured_content["records"][0]["paper_id"] == "p1"
    record, *_ = answers[1].structured_content["records"]
    assert record[UNTRUSTED]["title"].startswith(ORDER[:60])
    assert files(lake_folder) == before


def test_without_the_library_it_says_how_to_install_it(tmp_path):
    code = "import sys; sys.modules['mcp'] = None; sys.argv = ['paperlake', 'mcp']; from flows.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("paperlake: this needs the library of the Model Context Protocol")
    assert "pip install '.[mcp]'" in done.stderr


ENDLESS = {"query": "select count(*) from range(100000000000) a, range(100000) b"}


async def cancel_a_query(folder: Path, cwd: Path):
    async with client_of(folder, cwd) as client:
        endless = asyncio.create_task(client.call_tool("sql", ENDLESS))
        await asyncio.sleep(1)
        beside = await client.call_tool("search", {"query": "attention"})
        assert not endless.done(), "the search has not waited for the query"
        endless.cancel()
        return beside, await client.call_tool("sql", {"query": "select 42 as n"})


def test_a_query_keeps_no_other_call_waiting_and_ends_when_it_is_cancelled(lake_folder, tmp_path):
    beside, after = asyncio.run(cancel_a_query(lake_folder, tmp_path))
    assert beside.structured_content["answer"] == "found"
    assert after.structured_content["records"] == [{UNTRUSTED: {"n": 42}}]


async def ask_beside_many_queries(folder: Path, cwd: Path):
    async with client_of(folder, cwd) as client:
        endless = [asyncio.create_task(client.call_tool("sql", ENDLESS)) for _ in range(45)]
        await asyncio.sleep(1)
        beside = await client.call_tool("status", {})
        answered = [task.result() for task in endless if task.done()]
        for task in endless:
            task.cancel()
        return beside, answered, await client.call_tool("status", {}), await client.call_tool("sql", CALLS[6][1])


def test_many_queries_at_once_keep_no_other_call_waiting_and_too_many_are_refused(lake_folder, tmp_path):
    beside, answered, after, query = asyncio.run(ask_beside_many_queries(lake_folder, tmp_path))
    assert {beside.structured_content["answer"], after.structured_content["answer"]} == {"found"}
    assert len(answered) == 45 - 9, "nine run or wait, and the others need not"
    assert all(answer.is_error for answer in answered)
    assert {answer.content[0].text.partition(": ")[2] for answer in answered} == {
        "9 queries run or wait already: ask again when one of them has ended"
    }
    assert query.structured_content["answer"] == "found"


REFUSED = [
    (("search", {"query": "x", "offset": 10**30}), "offset"),
    (("missing", {"list": "nowhere.md"}), '"untrusted_text": "the lake knows no list'),
    (("missing", {"within": "l2.md"}), "within\n  Extra inputs are not permitted"),
    (("sql", {"query": "select 1", "list": "l1.md"}), "list\n  Extra inputs are not permitted"),
]
NO_LAKE = [(("search", {"query": "attention"}), "make one with `paperlake refresh LIST")]


@pytest.mark.parametrize(("name", "refused"), [("lake", REFUSED), ("nowhere", NO_LAKE)])
def test_what_cannot_be_answered_is_refused_with_what_to_do(lake_folder, tmp_path, name, refused):
    _, answers = asyncio.run(ask(lake_folder.with_name(name), tmp_path, [call for call, _ in refused]))
    for answer, (call, said) in zip(answers, refused, strict=True):
        assert answer.is_error, call
        assert said in answer.content[0].text
