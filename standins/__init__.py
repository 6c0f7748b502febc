"""Local stand-ins for arXiv and Semantic Scholar: one process on loopback, both wire formats over real sockets.

    with StandIns() as services:                     # the bundled library; StandIns([folder]) for another
        services.fault("s2", "503", endpoint="batch", skip=1, times=1)
        run(env=services.env())
        assert len(services.requests("arxiv")) == 1

Tests take the fixtures `standins` and `standins_full` instead. What can be switched on is listed in faults.KINDS; the
answers are held against recordings of the real services in tests/standins/test_recordings.py.
"""

from standins.handle import StandIns, unreachable_env

__all__ = ["StandIns", "unreachable_env"]
