"""`python -m flows.prefect.server_process PORT`: Prefect's server on loopback, until its starter ends."""

from __future__ import annotations

import os
import sys
import threading


def main() -> None:
    """Serves Prefect's API, with its pages and all its services if told so, until standard input ends."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    port = int(sys.argv[1])
    os.environ |= {"PREFECT__SERVER_FINAL": "1", "PREFECT_SERVER_API_PORT": str(port)}
    if "--with-pages" not in sys.argv:
        os.environ |= {"PREFECT_UI_ENABLED": "0", "PREFECT__SERVER_EPHEMERAL": "1"}
    import uvicorn  # noqa: PLC0415 - after the environment that the server reads when it is imported

    uvicorn.run(
        "prefect.server.api.server:create_app",
        factory=True,
        host="127.0.0.1",
        port=port,
        log_level="error",
        lifespan="on",
    )


def _end_with_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


if __name__ == "__main__":
    main()
