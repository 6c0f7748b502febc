"""`python -m standins --port 0 --data DIR_OR_FILES...`: serves until ended, and prints its port first."""

from __future__ import annotations

import argparse
import os
import sys
import threading
from pathlib import Path

from standins.catalogue.library import Library
from standins.catalogue.shelf import SMALL, open_shelf
from standins.server import Server


def main() -> None:
    """Builds or finds the index, says the port on standard output, and serves."""
    options = _options()
    library = Library(open_shelf(options.data or [SMALL], options.cache))
    server = Server(options.port, library, s2_key=options.s2_key)
    if options.until_stdin_closes:
        threading.Thread(target=_end_with_parent, daemon=True).start()
    sys.stdout.write(f"{server.server_address[1]}\n")
    sys.stdout.flush()
    server.serve_forever()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m standins", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--data", type=Path, nargs="*", help="JSONL or Parquet files, or folders of them")
    parser.add_argument("--cache", type=Path, help="folder for the built index")
    parser.add_argument("--s2-key", help="the only API key that Semantic Scholar takes")
    parser.add_argument("--until-stdin-closes", action="store_true", help="end when the starting process is gone")
    return parser.parse_args()


def _end_with_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


if __name__ == "__main__":
    main()
