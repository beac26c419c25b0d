"""The worker pool: all promises, in every calling environment."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from calculus_harness.rewards.workers.dispatcher import Dispatcher
from calculus_harness.rewards.workers.errors import (
    PoolError,
    TaskError,
    WorkerCrash,
    WorkerCutOff,
    WorkerError,
    WorkerMemory,
    WorkerTimeout,
)
from calculus_harness.rewards.workers.pool import WorkerPool, usable_cores
from calculus_harness.rewards.workers.worker import Worker
from tests.rewards.workers.processes import ROOT, TASKS, alive, wait_for

# What becomes of one item.


def test_a_value_comes_back(pool: WorkerPool) -> None:
    assert pool.call("double", 21, deadline=10) == 42
    assert pool.call("hold", 0, value={"a": [1, None, "\ud800 é"]}, deadline=10) == {
        "a": [1, None, "\ud800 é"]
    }


def test_an_item_past_its_deadline_is_killed(pool: WorkerPool) -> None:
    start = time.process_time()
    with pytest.raises(WorkerTimeout, match=r"0\.5 s"):
        pool.call("behave", "spin", 1, deadline=0.5)
    assert time.process_time() - start < 1
    assert pool.call("double", 1, deadline=10) == 2


def test_an_item_that_waits_is_asked_again_and_then_given_up(pool: WorkerPool) -> None:
    begin = time.monotonic()
    with pytest.raises(WorkerCutOff, match=r"0\.5 s"):
        pool.call("behave", "sleep", 1, deadline=10, wall_clock=0.5)
    assert time.monotonic() - begin >= 1
    assert pool.call("double", 1, deadline=10) == 2


def test_a_busy_machine_costs_no_item(pool: WorkerPool, tmp_path: Path) -> None:
    """An item ended by the wall clock on the first try, as on a busy machine, is asked again."""
    begun = tmp_path / "begun"
    assert pool.call("slow_at_first", str(begun), 7, deadline=10, wall_clock=1) == 7


def test_what_is_asked_again_waits_for_the_others(tmp_path: Path) -> None:
    begun, log = tmp_path / "begun", tmp_path / "log"
    items = [(str(begun), 0, str(log)), *((None, i, str(log)) for i in range(1, 6))]
    with WorkerPool(1, tasks=TASKS) as pool:
        # The second try waits as long as the wall clock allows; a new worker starts before.
        assert pool.map("slow_at_first", items, deadline=10, wall_clock=4) == list(range(6))
    assert log.read_text().split() == ["1", "2", "3", "4", "5", "0"]


@pytest.mark.parametrize(("work", "error"), [(1.2, WorkerCutOff), (1.3, WorkerTimeout)])
def test_an_item_cannot_work_until_the_wall_clock_ends_it(
    pool: WorkerPool, monkeypatch: pytest.MonkeyPatch, work: float, error: type[WorkerError]
) -> None:
    """Endless work has a verdict, even if the wall clock ends the work, in two tries."""
    monkeypatch.setattr(Worker, "work", work)
    with pytest.raises(error, match="of processor time"):
        pool.call("behave", "sleep", 1, deadline=5, wall_clock=0.3)


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["python_memory", "native_memory"])
def test_memory_is_limited(pool: WorkerPool, fault: str) -> None:
    if fault == "native_memory":
        pytest.importorskip("flint")
    with pytest.raises(WorkerMemory):
        pool.call("behave", fault, 1, deadline=20)


@pytest.mark.parametrize(
    ("fault", "how"), [("exit", "status 3"), ("segfault", "SIGSEGV"), ("abort", "SIGABRT")]
)
def test_a_crash_is_reported(pool: WorkerPool, fault: str, how: str) -> None:
    with pytest.raises(WorkerCrash, match=how):
        pool.call("behave", fault, 1, deadline=10)


@pytest.mark.parametrize(
    ("fault", "name"),
    [("raise", "LookupError"), ("unserialisable", "TypeError"), ("recursion", "RecursionError")],
)
def test_exceptions_keep_their_name(pool: WorkerPool, fault: str, name: str) -> None:
    with pytest.raises(TaskError) as caught:
        pool.call("behave", fault, 1, deadline=10)
    assert caught.value.kind == name
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (copy.kind, copy.where) == (name, caught.value.where)


def test_failures_take_time(pool: WorkerPool) -> None:
    failures = pool.map("behave", [("raise", i) for i in range(64)], deadline=10)
    assert all(isinstance(failure, TaskError) and failure.seconds > 0 for failure in failures)


def test_noise_on_stdout_and_stderr_harms_nothing(pool: WorkerPool) -> None:
    results = pool.map("behave", [("noise", i) for i in range(8)], deadline=10)
    assert results == list(range(8))


def test_long_items_and_replies(pool: WorkerPool) -> None:
    text = "é" * (3 << 20)
    assert pool.map("double", [(text,), ("b",)], deadline=20) == [text * 2, "bb"]


def test_results_that_are_too_long_are_a_malfunction(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("calculus_harness.rewards.workers.worker.MAX_REPLY", 1000)
    with WorkerPool(1, 256, tasks=TASKS) as pool, pytest.raises(WorkerCrash):
        pool.call("double", "b" * 1000, deadline=20)


# Batches.


def test_order_is_kept_and_all_workers_are_used(pool: WorkerPool) -> None:
    results = pool.map("identify", [(i,) for i in range(5000)], deadline=10)
    assert [value for _, value in results] == list(range(5000))
    assert len({pid for pid, _ in results}) == 2


def test_the_parent_wakes_for_chunks_and_not_for_items(monkeypatch: pytest.MonkeyPatch) -> None:
    served: list[Worker] = []
    serve = Dispatcher._serve
    monkeypatch.setattr(Dispatcher, "_serve", lambda self, w: [served.append(w), serve(self, w)])
    with WorkerPool(1, 256, tasks=TASKS) as pool:
        assert pool.map("hold", [[0.002, i] for i in range(640)], deadline=60) == list(range(640))
    assert len(served) < 640 / 4


def test_empty_batch(pool: WorkerPool) -> None:
    assert pool.map("double", [], deadline=1) == []


@pytest.mark.slow
def test_hostile_items_cost_only_themselves() -> None:
    faults = ["sleep", "spin", "python_memory", "exit", "segfault", "killed", "raise", "recursion"]
    items = [("good", i) for i in range(160)]
    for number, fault in enumerate(faults):
        items[number * 20 + 7] = (fault, number)
    with WorkerPool(2, 200, tasks=TASKS) as pool:
        results = pool.map("behave", items, deadline=2, wall_clock=12)
    expected = [
        WorkerCutOff,
        WorkerTimeout,
        WorkerMemory,
        WorkerCrash,
        WorkerCrash,
        WorkerMemory,
        TaskError,
        TaskError,
    ]
    for item, result in zip(items, results, strict=True):
        if item[0] == "good":
            assert result == item[1]
        else:
            assert type(result) is expected[item[1]], (item, result)


def test_slow_neighbours_do_not_wait_for_each_other() -> None:
    """Items of a chunk are shared out again after the first slow item."""
    with WorkerPool(2, 200, tasks=TASKS) as pool:
        pool.map("identify", [(0, 0)] * 100, deadline=10)
        results = pool.map("identify", [(i, 0.4 * (i < 6)) for i in range(400)], deadline=20)
    assert [value for _, value in results] == list(range(400))
    slow = [pid for pid, _ in results[:6]]
    assert 2 <= slow.count(slow[0]) <= 4


@pytest.mark.slow
def test_a_short_batch_does_not_wait_for_a_long_one() -> None:
    with WorkerPool(1, 200, tasks=TASKS) as pool:
        long = pool.submit("hold", [(0.01, i) for i in range(300)], deadline=10)
        assert pool.call("double", 4, deadline=10) == 8
        assert not long.done()
        assert long.result() == list(range(300))


def test_an_innocent_item_is_not_charged_with_a_broken_worker() -> None:
    with WorkerPool(1, 200, tasks=TASKS) as pool:
        results = pool.map("crash_unless_first", [()] * 6, deadline=10)
    assert len(set(results)) == 6, "each was done in the end, in a worker of its own"


def test_giving_up_a_batch_frees_the_workers() -> None:
    with WorkerPool(1, 200, tasks=TASKS) as pool:
        future = pool.submit("hold", [(0.2, i) for i in range(100)], deadline=10)
        time.sleep(0.5)
        assert future.cancel()
        begin = time.monotonic()
        assert pool.call("double", 4, deadline=10) == 8
        assert time.monotonic() - begin < 3


# Misuse, and things that are nobody's fault.


def test_unknown_tasks_and_bad_arguments(pool: WorkerPool) -> None:
    with pytest.raises(ValueError, match="no task 'eval'; there are"):
        pool.call("eval", "1", deadline=1)
    with pytest.raises(ValueError, match="deadline"):
        pool.call("double", 1, deadline=0)
    with pytest.raises(ValueError, match="at least one"):
        WorkerPool(0)
    with pytest.raises(TypeError, match="plain JSON"):
        pool.call("double", object(), deadline=1)
    assert pool.call("double", 1, deadline=10) == 2


@pytest.mark.parametrize("task", ["missing", "absent"])
def test_a_task_that_cannot_be_loaded_is_not_the_items_fault(pool: WorkerPool, task: str) -> None:
    with pytest.raises(PoolError, match="cannot load"):
        pool.map(task, [()] * 3, deadline=5)


def test_workers_that_cannot_start_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with WorkerPool(1, tasks=TASKS) as pool:
        with monkeypatch.context() as patch:
            patch.setattr(sys, "executable", "/bin/false")
            with pytest.raises(PoolError, match="do not start"):
                pool.call("double", 1, deadline=5)
            patch.setattr(sys, "executable", "/no/such/python")
            with pytest.raises(PoolError, match="can be started"):
                pool.call("double", 1, deadline=5)
        assert pool.call("double", 1, deadline=5) == 2, "and it recovers"


def test_a_closed_pool_says_so() -> None:
    pool = WorkerPool(1, tasks=TASKS)
    future = pool.submit("hold", [(60,)], deadline=100)
    time.sleep(0.2)
    begin = time.monotonic()
    pool.close()
    assert time.monotonic() - begin < 3
    with pytest.raises(PoolError, match="closed"):
        future.result(5)
    with pytest.raises(PoolError, match="closed"):
        pool.call("double", 1, deadline=1)


def test_a_forgotten_pool_ends_its_workers() -> None:
    pool = WorkerPool(1, tasks=TASKS)
    pid, _ = pool.call("identify", 0, deadline=10)
    del pool
    wait_for(lambda: not alive(pid))


def test_a_worker_that_dies_while_idle_is_replaced() -> None:
    with WorkerPool(1, tasks=TASKS) as pool:
        pid, _ = pool.call("identify", 0, deadline=10)
        os.kill(pid, signal.SIGKILL)
        time.sleep(0.2)
        assert pool.call("identify", 0, deadline=10)[0] != pid


def test_usable_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LOCAL_WORLD_SIZE", raising=False)
    cores = usable_cores()
    assert 1 <= cores <= (os.cpu_count() or 1)
    monkeypatch.setenv("LOCAL_WORLD_SIZE", str(10 * cores))
    assert usable_cores() == 1


def test_importing_is_light() -> None:
    program = (
        "import sys\n"
        f"sys.path.insert(0, {str(ROOT)!r})\n"
        "import calculus_harness.rewards.batch\n"
        "heavy = {'datasets', 'multiprocessing', 'numpy', 'ray', 'scipy', 'sympy', 'torch'}\n"
        "print(sorted(heavy & set(sys.modules)), len(sys.modules) < 600)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert ran.stdout.split() == ["[]", "True"]


def test_errors_are_worker_errors() -> None:
    assert all(
        issubclass(error, WorkerError)
        for error in (WorkerTimeout, WorkerCutOff, WorkerMemory, WorkerCrash, TaskError)
    )
    assert not issubclass(PoolError, WorkerError)


def test_no_item_is_lost_between_a_worker_and_what_is_taken_back() -> None:
    with WorkerPool(1, 256, tasks=TASKS) as pool:
        items = [(n,) for n in range(40)]
        future = pool.submit("distracted", items, deadline=20)
        assert future.result(30) == [2 * n for n in range(40)]
