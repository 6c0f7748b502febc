"""Local stand-ins for arXiv and Semantic Scholar: one process on loopback, both wire formats over real sockets."""

from tests.standins.handle import StandIns, unreachable_env

__all__ = ["StandIns", "unreachable_env"]
