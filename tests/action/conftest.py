from __future__ import annotations

import pytest

from standins.github.api import GithubStandIn
from standins.github.repository import Repository

LIST = """# Papers

- [Mask R-CNN](https://arxiv.org/abs/1703.06870) [code]()
- [Attention Is All You Need](https://arxiv.org/abs/1706.03762)
"""
ADDED = "- [Fast R-CNN](https://arxiv.org/abs/1504.08083) [code]()\n- [A paper](https://arxiv.org/abs/1913.00001)\n"


@pytest.fixture
def repository(tmp_path):
    with GithubStandIn() as api:
        made = Repository(tmp_path, api)
        made.start(LIST)
        yield made
