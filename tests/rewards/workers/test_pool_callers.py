"""The worker pool from threads, event loops, forks, daemons and scripts."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import pickle
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from calculus_harness.rewards.workers.errors import (
    WorkerTimeout,
)
from calculus_harness.rewards.workers.pool import WorkerPool
from tests.rewards.workers.processes import ROOT, TASKS, alive, run_script, wait_for


def test_from_many_threads(pool: WorkerPool) -> None:
    results: dict[int, list[int]] = {}

    def ask(number: int) -> None:
        results[number] = [pool.call("double", number + i, deadline=20) for i in range(20)]

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert results == {n: [2 * (n + i) for i in range(20)] for n in range(8)}


def test_from_asyncio_without_blocking_the_loop(pool: WorkerPool) -> None:
    async def scene() -> float:
        longest, ticked = 0.0, time.monotonic()
        work = asyncio.gather(
            *(pool.amap("hold", [(0.05, i)] * 10, deadline=10) for i in range(2)),
            pool.amap("behave", [("spin", 0)], deadline=0.5),
        )
        while not work.done():
            await asyncio.sleep(0.005)
            longest, ticked = max(longest, time.monotonic() - ticked), time.monotonic()
        first, second, third = await work
        assert first == [0] * 10
        assert second == [1] * 10
        assert isinstance(third[0], WorkerTimeout)
        return longest

    assert asyncio.run(scene()) < 0.3


def test_cancelling_in_asyncio() -> None:
    async def scene(pool: WorkerPool) -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                await pool.amap("hold", [(0.1, i) for i in range(200)], deadline=10)
        assert await pool.amap("double", [(1,)], deadline=10) == [2]

    with WorkerPool(1, tasks=TASKS) as pool:
        begin = time.monotonic()
        asyncio.run(scene(pool))
        assert time.monotonic() - begin < 5


def _ask(pool: WorkerPool, answers: Any) -> None:
    answers.put(pool.map("identify", [(i,) for i in range(50)], deadline=20))


@pytest.mark.slow
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_from_a_daemonic_process(pool: WorkerPool, method: str) -> None:
    """After a fork the child starts new workers, and the parent's workers go on."""
    slow = [(i, 0.02) for i in range(60)]  # so that every worker gets some
    own = {pid for pid, _ in pool.map("identify", slow, deadline=10)}
    context = multiprocessing.get_context(method)
    answers = context.Queue()
    process = context.Process(target=_ask, args=(pool, answers), daemon=True)
    process.start()
    results = answers.get(timeout=60)
    process.join(30)
    assert process.exitcode == 0
    assert [value for _, value in results] == list(range(50))
    assert not own & {pid for pid, _ in results}
    own_again = {pid for pid, _ in pool.map("identify", slow, deadline=10)}
    assert own_again == own
    wait_for(lambda: not any(alive(pid) for pid, _ in results))


def test_fork_while_another_thread_is_at_work(pool: WorkerPool) -> None:
    future = pool.submit("hold", [(0.02, i) for i in range(100)], deadline=10)
    for _ in range(5):
        child = os.fork()
        if not child:
            try:
                os._exit(0 if pool.call("double", 1, deadline=20) == 2 else 1)
            finally:
                os._exit(2)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert future.result() == list(range(100))


def test_pools_can_be_pickled() -> None:
    with WorkerPool(1, 300, tasks=TASKS) as pool:
        copy = pickle.loads(pickle.dumps(pool))
    with copy:
        assert (copy.size, copy.memory_mb) == (1, 300)
        assert copy.call("double", 1, deadline=10) == 2


SCRIPT = """\
    import json, sys
    print("the script runs", flush=True)
    sys.path.insert(0, {root!r})
    from {package}.workers.pool import WorkerPool
    pool = WorkerPool(2, tasks={tasks!r})
    numbers = pool.map("double", [(i,) for i in range(100)], deadline=10)
    assert numbers == [2 * i for i in range(100)]
    print(json.dumps(pool.call("package", deadline=10)))
"""


def write_script(folder: Path, package: str, root: Path) -> Path:
    script = folder / "train.py"
    text = textwrap.dedent(SCRIPT).format(root=str(root), package=package, tasks=TASKS)
    script.write_text(text)
    return script


@pytest.mark.slow
def test_from_a_script_without_a_main_guard(tmp_path: Path) -> None:
    script = write_script(tmp_path, "rewards", ROOT)
    seen = run_script(script)
    child = ROOT / "rewards" / "workers" / "child.py"
    assert Path(seen["main"]).resolve() == child, "the script was not imported again"


def test_beside_a_rewards_module_of_the_users(tmp_path: Path) -> None:
    """A trainer's own rewards.py, and modules named like the standard library's, stay out."""
    site, project = tmp_path / "site", tmp_path / "project"
    shutil.copytree(
        ROOT / "rewards",
        site / "calculus_harness_rewards",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    project.mkdir()
    (project / "rewards.py").write_text("raise SystemExit('the wrong module')\n")
    script = write_script(project, "calculus_harness_rewards", site)
    for module in ("gc", "select", "resource", "signal", "contextlib", "faulthandler"):
        (project / f"{module}.py").write_text("from nowhere import nothing\n")
    # The script itself could not start beside such modules (so it looks there last); a worker must.
    text = script.read_text()
    script.write_text("import sys\nsys.path.append(sys.path.pop(0))\n" + text)
    seen = run_script(script, cwd=project)
    assert seen["names"] == ["calculus_harness_rewards"]
    assert seen["files"] == [str(site / "calculus_harness_rewards" / "__init__.py")]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
def test_no_orphan_when_the_parent_is_killed(tmp_path: Path) -> None:
    """Even in the middle of a C call that never releases the interpreter's lock."""
    note = tmp_path / "pid"
    script = tmp_path / "train.py"
    script.write_text(
        f"import sys\nsys.path.insert(0, {str(ROOT)!r})\n"
        "from calculus_harness.rewards.workers.pool import WorkerPool\n"
        f"pool = WorkerPool(2, tasks={TASKS!r})\n"
        "pool.map('double', [(i,) for i in range(100)], deadline=10)\n"
        f"pool.call('spin', {str(note)!r}, deadline=1000)\n"
    )
    parent = subprocess.Popen([sys.executable, str(script)])
    try:
        wait_for(lambda: note.exists() and note.read_text())
        worker = int(note.read_text())
        assert alive(worker)
    finally:
        parent.kill()
        parent.wait()
    wait_for(lambda: not alive(worker), 5)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
def test_processor_time_is_the_last_resort(tmp_path: Path) -> None:
    """If the kernel cannot tie a worker to the parent, processor time ends the worker."""
    program = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "from calculus_harness.rewards.workers import child as _child\n"
        "import itertools\n"
        "_child.CPU_GRACE = 0\n"
        "_child.limit_processor_time(0.2)\n"
        "sum(itertools.repeat(0))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], timeout=30, check=False)
    assert done.returncode == -signal.SIGXCPU
