"""Scoring in lanes: processes for reading, judging and writing whole shards of a large run.

A single process reads, sends, receives and writes some 14,000 verdicts per second, enough for
`CORES` cores. On more cores, lanes share the work. The process that holds the run gives each lane
sealed shards of completions. The lane judges the completions with separate workers, and appends the
verdicts to a separate log in ``lanes/`` of the set of verdicts. After the end of the lanes, the
shards are moved into the set.

A lane may be killed at any time. A lane ends with the starting process, and locks the lane's
directory until the end. The next command first takes in what a dead lane has written. Then a single
process judges the answers that still lack a verdict.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from ....rewards.workers.pool import usable_cores
from ...core.asynchronous import run_async
from ...core.exclusive import exclusive
from ...core.policy import Policy
from ...core.requests import Completion
from ...store.log.adoption import FOLDER
from ...store.log.appending import Log
from ...store.log.shards import Place
from ...store.run import VERDICTS, Run
from .grading import BATCH, grade, row_of, stop_strings

#: Cores that the process of one lane can feed, with 73 us of it for a verdict of a millisecond.
CORES = 12
#: What a lane says when a shard is judged and on disk.
_ENDED = -1


def number_of_lanes() -> int:
    """The number of lanes for the machine's cores."""
    return usable_cores() // CORES


async def score_in_lanes(
    path: Path,
    policy: Policy,
    number: int,
    shards: Iterable[tuple[int, Sequence[Place]]],
    judged: Callable[[int], None],
) -> None:
    """Let lanes judge shards, and return when all lanes have ended. A lane takes a new shard as
    soon as it is free.

    Args:
        path: the run; the calling process holds the run's lock.
        policy: the rules of judging.
        number: the number of lanes.
        shards: the positions of the unjudged answers, by shard.
        judged: called with the number of verdicts stored since the last call.

    """
    directory = path / "verdicts" / policy.name / FOLDER
    source = iter(shards)

    async def lane(at: int) -> None:
        code = f"import sys; sys.path[:] = {sys.path!r}\nfrom {__name__} import main; main()"
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", code),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, "LOCAL_WORLD_SIZE": str(number)},
            limit=1 << 24,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        _send(process.stdin, [str(path), str(directory / f"{at:03}"), policy.to_dict()])
        try:
            for shard, positions in source:
                _send(process.stdin, [shard, [[at.offset, at.line] for at in positions]])
                while line := await process.stdout.readline():
                    if (stored := int(line)) == _ENDED:
                        break
                    judged(stored)
                else:
                    return  # it died: its shard lacks verdicts, which are made afterwards
            _send(process.stdin, [])
            await process.wait()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()

    async with asyncio.TaskGroup() as group:
        for at in range(number):
            group.create_task(lane(at))


def _send(stream: asyncio.StreamWriter, value: Any) -> None:
    stream.write(json.dumps(value).encode() + b"\n")


# --- a lane --------------------------------------------------------------------------------------


def main() -> None:
    """Judge the shards from the parent process's pipe, one after another."""
    requests: SimpleQueue[list[Any]] = SimpleQueue()

    def listen() -> None:
        for line in sys.stdin.buffer:
            request = json.loads(line)
            requests.put(request)
            if not request:
                return
        os._exit(1)  # the command was killed; what is written is taken in by the next

    threading.Thread(target=listen, daemon=True).start()
    path, folder, settings = requests.get()
    policy = Policy.from_dict(settings)
    Path(folder).mkdir(parents=True, exist_ok=True)
    with exclusive(Path(folder)), Log(Path(folder), *VERDICTS) as log:
        while request := requests.get():
            run_async(_judge(Run(Path(path)), policy, request, log))


async def _judge(run: Run, policy: Policy, request: list[Any], log: Log) -> None:
    shard, positions = request
    stop = stop_strings(run)
    rows = run.completions.read_all(Place(shard, offset, line) for offset, line in positions)
    completions = (Completion.from_dict(row) for _, row in rows)
    while batch := list(islice(completions, BATCH)):
        pairs = [(run.problem(completion.problem), completion) for completion in batch]
        for completion, verdict in zip(batch, await grade(pairs, policy, stop), strict=True):
            log.append(row_of(completion, verdict))
        print(len(batch), flush=True)
    await asyncio.wrap_future(log.synced())
    print(_ENDED, flush=True)
