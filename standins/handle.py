"""The handle that tests hold: starts the server process, changes it, and reads its log."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

ROOT = Path(__file__).resolve().parents[1]
_DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))
_CONTROL_TIMEOUT_S = 60


class StandIns:
    """The services on loopback, for as long as the `with` block lasts.

    Args:
        data: JSONL or Parquet files, or folders of them; empty serves the bundled small library.
        s2_key: The only API key that Semantic Scholar takes; None takes any and asks for none.
        cache: Folder for the built index; None uses one beside the other temporary files.
    """

    def __init__(
        self, data: Sequence[Path] = (), *, s2_key: str | None = None, cache: Path | None = None, port: int = 0
    ) -> None:
        self._command = [sys.executable, "-m", "standins", "--until-stdin-closes", "--port", str(port)]
        self._command += ["--data", *map(str, data)] if data else []
        self._command += ["--s2-key", s2_key] if s2_key else []
        self._command += ["--cache", str(cache)] if cache else []
        self._process: subprocess.Popen[bytes] | None = None
        self.port = port

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line.strip():
            raise RuntimeError(f"the stand-ins did not start; exit code {self._process.wait()}")
        self.port = int(line)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.communicate()

    @property
    def arxiv_url(self) -> str:
        """Returns arXiv's query address."""
        return f"http://127.0.0.1:{self.port}/api/query"

    @property
    def s2_url(self) -> str:
        """Returns Semantic Scholar's root address."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def openalex_url(self) -> str:
        """Returns OpenAlex's root address."""
        return self.s2_url

    def env(self, *, openalex: bool = False) -> dict[str, str]:
        """Returns the settings that lead paperlake here, with intervals that do not slow a test.

        OpenAlex is asked only where a test wants it: who leads the other two elsewhere does not ask it.
        """
        own = {"PAPERLAKE_OPENALEX_URL": self.openalex_url, "PAPERLAKE_OPENALEX_INTERVAL": "0.01"}
        return _env(self.arxiv_url, self.s2_url) | (own if openalex else {})

    def requests(self, service: str | None = None) -> list[dict[str, Any]]:
        """Returns the logged requests, oldest first: service, endpoint, method, path, target, params, body, status
        (None: no reply was begun), fault, sent (bytes of body), started and ended (time.monotonic), client (port),
        open_connections, in_flight, violations, key_sent, user_agent.
        """
        lines: list[dict[str, Any]] = self._tell("requests", service=service)
        return lines

    def violations(self, service: str | None = None) -> list[dict[str, Any]]:
        """Returns the logged requests that broke a limit: "rate" or "connections"."""
        return [line for line in self.requests(service) if line["violations"]]

    def clear_log(self) -> None:
        """Empties the log; faults, limits and papers stay."""
        self._tell("clear_log")

    def reset(self) -> None:
        """Brings back the state of the start: no log, faults, limits, latency, changed papers."""
        self._tell("reset")

    def fault(
        self,
        service: str,
        kind: str,
        *,
        endpoint: str | None = None,
        skip: int = 0,
        times: int | None = None,
        **details: Any,
    ) -> None:
        """Switches a fault on: after `skip` matching requests the next `times` (None: all until reset) are harmed."""
        self._tell("fault", service=service, kind=kind, endpoint=endpoint, skip=skip, times=times, details=details)

    def clear_faults(self) -> None:
        """Switches every fault off; log, limits and papers stay."""
        self._tell("clear_faults")

    def limit(
        self,
        service: str,
        *,
        per_seconds: float | None = None,
        connections: int | None = None,
        endpoint: str | None = None,
    ) -> None:
        """Allows one request in `per_seconds` seconds (sooner is answered 429 and logged as a violation) and so many
        requests at once (more are answered, and logged as a violation); of one `endpoint`, as OpenAlex does of searches
        (WIRE.md row 7).
        """
        self._tell("limit", service=service, per_seconds=per_seconds, connections=connections, endpoint=endpoint)

    def latency(self, service: str, seconds: float) -> None:
        """Lets every reply of the service take this much longer."""
        self._tell("latency", service=service, seconds=seconds)

    def down(self, service: str) -> None:
        """Lets every connection to the service be reset once it has asked."""
        self._tell("down", service=service)

    def up(self, service: str) -> None:
        """Ends `down`."""
        self._tell("up", service=service)

    def require_key(self, key: str | None) -> None:
        """Makes `key` the only API key that Semantic Scholar takes; another is answered 403."""
        self._tell("key", key=key)

    def credits(self, left: int) -> None:
        """Sets how many credits OpenAlex still gives today; a list costs one, a search ten."""
        self._tell("credits", left=left)

    def add(self, papers: Iterable[Mapping[str, Any]]) -> None:
        """Adds papers, given as facts (see papers.paper_from); one already there is replaced."""
        self._tell("add", papers=[dict(paper) for paper in papers])

    def remove(self, ids: Iterable[str]) -> int:
        """Removes papers by arXiv id, DOI or S2 id; returns how many there were."""
        count: int = self._tell("remove", ids=list(ids))
        return count

    def leave_to_arxiv(self, ids: Iterable[str]) -> None:
        """Lets Semantic Scholar lack these papers, by arXiv id, DOI or S2 id, as it does those of the last days."""
        self._tell("leave_to_arxiv", ids=list(ids))

    def merge(self, reference: str, into: str) -> None:
        """Lets Semantic Scholar answer `reference` (any identifier, even of a removed paper) with the paper `into`
        (arXiv id, DOI or S2 id), as it does after it has merged two records.
        """
        self._tell("merge", reference=reference, into=into)

    def set_counts(self, counts: Mapping[str, Mapping[str, int | None]]) -> None:
        """Changes counts: arXiv id, DOI or S2 id -> {"citation_count": 7, ...}."""
        self._tell("set_counts", counts={reference: dict(values) for reference, values in counts.items()})

    def _tell(self, name: str, **asked: Any) -> Any:
        request = urllib.request.Request(f"{self.s2_url}/_standins/{name}", data=json.dumps(asked).encode())
        try:
            with _DIRECT.open(request, timeout=_CONTROL_TIMEOUT_S) as reply:
                return json.loads(reply.read())
        except urllib.error.HTTPError as error:
            raise ValueError(error.read().decode()) from None


def unreachable_env() -> dict[str, str]:
    """Returns the settings for a machine without a network: both services on a loopback port where nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    return _env(f"http://127.0.0.1:{port}/api/query", f"http://127.0.0.1:{port}")


def _env(arxiv_url: str, s2_url: str) -> dict[str, str]:
    return {
        "PAPERLAKE_ARXIV_URL": arxiv_url,
        "PAPERLAKE_S2_URL": s2_url,
        "PAPERLAKE_ARXIV_INTERVAL": "0.01",
        "PAPERLAKE_S2_INTERVAL": "0.01",
    }
