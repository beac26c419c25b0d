"""A sweep and the scoring of a stored run on a cluster whose nodes die at random instants.

    python tests/perf/harness/node_kills.py                                # a minute or two
    python tests/perf/harness/node_kills.py --answers 50000 --completions 1000000 --pause 10

Needs the extra ``ray``. The cluster is made of node processes on this machine: a head node, and
nodes of which one is killed every ``--pause`` seconds on average, at instants drawn from
``--seed``, while another joins. Printed are the times, how many nodes died, and the peak of this
process's memory. It is an error if an answer or verdict is lost or repeated, or differs from what
it is without a cluster.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from calculus_harness.harness import Policy, Run, score, sweep
from calculus_harness.rewards import use_cluster
from tests.harness import large_run
from tests.ray_nodes import ray_nodes, while_nodes_die

#: Answers a problem of the drills: right for some, wrong for others, none for most.
MODEL = r"""
async def answer(messages, seed):
    return (r"\boxed{x^2}", r"\boxed{\frac{x^2}{2}}", "I do not know.", "")[seed % 4]
"""


def swept(folder: Path, answers: int, place: str) -> Counter[tuple[str, int, str]]:
    """Sweep, and say which problem, sample and verdict there are, and how often."""
    limit = 50
    model = f"python/{folder / 'model.py'}:answer"
    out = folder / place
    with measured(f"sweep, {place}", answers):
        sweep([model], ["drills"], limit=limit, samples=answers // limit, out=out)
    run = Run(out)
    return Counter(
        (row["problem"], row["sample"], row["status"])
        for row in run.verdicts(run.policies[0]).rows()
    )


def scored(run: Path, count: int) -> dict[str, str]:
    with measured("score, there", count):
        score(run)
    # Heads alone: a row of a large run is not needed whole.
    return {row["key"]: row["status"] for _, row in Run(run).verdicts(Policy().name).heads()}


@contextmanager
def measured(what: str, count: int) -> Iterator[None]:
    """Print the time, and this process's processor time, which other programs do not change."""
    begin, used = time.perf_counter(), time.process_time()
    yield
    taken, used = time.perf_counter() - begin, time.process_time() - used
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{what}: {count} in {taken:.1f} s ({count / taken:.0f}/s); of this process "
        f"{1e6 * used / count:.0f} µs each, at its peak {peak:.0f} MB; "
        f"load {os.getloadavg()[0]:.1f}",
        flush=True,
    )


def simulate(
    answers: int, completions: int, *, nodes: int = 2, pause: float = 3.0, seed: int = 0
) -> int:
    """Sweep and score while nodes die; how many died.

    Raises:
        AssertionError: something was lost, repeated or judged otherwise.

    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "model.py").write_text(MODEL)
        stored = folder / "stored"
        large_run.make(stored, models=1, problems=100, samples=completions // 100, words=60)

        def disturbed() -> tuple[Counter[tuple[str, int, str]], dict[str, str]]:
            with use_cluster():
                return swept(folder, answers, "there"), scored(stored, completions)

        with ray_nodes() as made:
            (there, verdicts), died = while_nodes_die(
                disturbed, made, count=nodes, seed=seed, pause=pause
            )
        print(f"{died} nodes died", flush=True)
        assert max(there.values()) == 1, "an answer was repeated"
        assert len(there) == answers, "an answer was lost"
        assert len(verdicts) == completions, "a verdict was lost"
        assert there == swept(folder, answers, "here"), "answers differ"
        print(Counter(verdicts.values()))
        return died


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--answers", type=int, default=2000)
    parser.add_argument("--completions", type=int, default=10_000)
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("--pause", type=float, default=3.0)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    simulate(
        given.answers, given.completions, nodes=given.nodes, pause=given.pause, seed=given.seed
    )


if __name__ == "__main__":
    main()
