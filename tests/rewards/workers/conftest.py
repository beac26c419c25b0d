"""A pool of two workers, shared by the tests of a module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from calculus_harness.rewards.workers.pool import WorkerPool
from tests.rewards.workers.processes import TASKS


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkerPool]:
    with WorkerPool(2, 256, tasks=TASKS) as shared:
        yield shared
