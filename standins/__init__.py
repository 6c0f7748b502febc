"""Local stand-ins for arXiv, Semantic Scholar and OpenAlex: one process on loopback, real sockets and wire formats.

    with StandIns() as services:                     # the bundled library; StandIns([folder]) for another
        services.fault("s2", "503", endpoint="batch", skip=1, times=1)
        run(env=services.env())
        assert len(services.requests("arxiv")) == 1

Tests take the fixture `standins` instead. What can be switched on is listed in faults.KINDS; the
answers are held against recordings of the real services in tests/standins/test_recordings.py, and those of OpenAlex
against what its documentation says.
"""

from standins.handle import StandIns, unreachable_env

__all__ = ["StandIns", "unreachable_env"]
