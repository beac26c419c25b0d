"""A sweep and the scoring of a stored run on a cluster whose nodes die at random instants.

    python tests/perf/harness/node_kills.py                                # a minute or two
    python tests/perf/harness/node_kills.py --answers 50000 --completions 1000000 --pause 10
    python tests/perf/harness/node_kills.py --answers 0 --completions 1000000      # only scoring

Needs the extra ``ray``. The cluster consists of node processes on the local machine: a head node
and further nodes. A node is killed every ``--pause`` seconds on average, at instants drawn from
``--seed``, and another node joins. The output has the times, the number of dead nodes, and the
driver's peak memory. A lost or repeated answer or verdict is an error, and so is any difference
from a run without a cluster.
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

from calculus_harness.benchmarks import Problem
from calculus_harness.harness import Policy, Run, score, sweep
from calculus_harness.harness.core.requests import problem_key
from calculus_harness.harness.store.log.appending import Log
from calculus_harness.harness.store.run import COMPLETIONS
from calculus_harness.rewards import use_cluster
from tests.harness import large_run
from tests.ray_nodes import ray_nodes, while_nodes_die

#: Answers a problem of the drills: right for some, wrong for others, none for most.
MODEL = r"""
async def answer(messages, seed):
    return (r"\boxed{x^2}", r"\boxed{\frac{x^2}{2}}", "I do not know.", "")[seed % 4]
"""


def swept(folder: Path, answers: int, nodes: str) -> Counter[tuple[str, int, str]]:
    """Sweep, and count the problem, sample and verdict of each answer."""
    limit = 50
    model = f"python/{folder / 'model.py'}:answer"
    out = folder / nodes
    with measured(f"sweep, {nodes}", answers):
        sweep([model], ["drills"], limit=limit, samples=answers // limit, out=out)
    run = Run(out)
    return Counter(
        (row["problem"], row["sample"], row["status"])
        for row in run.verdicts(run.policies[0]).rows()
    )


#: Answers of stored completions by the remainder of the sample's number, each with its verdict. All
#: but the last differ: a constant does not change a derivative, and another coefficient does.
STORED = (
    (r"\boxed{{x^{{{n}}} + {sample}}}", "correct"),
    (r"\boxed{{x^{{{n}}} + {sample}x + x}}", "incorrect"),
    (r"\boxed{{x^{{{n}}} +* {sample}}}", "unparseable"),
    ("I do not know.", "no_answer"),
)
PROBLEMS = 100
#: What comes before an answer: completions have some 450 characters.
WORDS = "We substitute, expand the brackets and integrate every term by itself. " * 6


def stored(path: Path, count: int) -> None:
    """Write a run with a number of completions without verdicts."""
    problems = []
    for n in range(1, PROBLEMS + 1):
        inputs = {"integrand": f"{n}x^{{{n - 1}}}", "variable": "x"}
        target = inputs | {"antiderivative": f"x^{{{n}}}"}
        name = f"power-{n}"
        problems.append(Problem(name, "integration", "large", "all", inputs=inputs, target=target))
    model, samples = "model" + "0" * 14, count // PROBLEMS
    large_run.begin(path, [model], problems, samples)
    keys = [problem_key(problem) for problem in problems]
    with Log(path / "completions", *COMPLETIONS) as log:
        for sample in range(samples):
            answer, _ = STORED[sample % len(STORED)]
            for n, key in enumerate(keys, 1):
                log.append(
                    large_run.row(model, n, key, sample)
                    | {"request": f"{n:016}", "seed": sample}
                    | {"text": WORDS + answer.format(n=n, sample=sample)}
                )


def scored(run: Path, count: int) -> None:
    """Score a run, and check for a single right verdict of every completion."""
    with measured("score, there", count):
        score(run)
    seen: set[tuple[str, int]] = set()
    statuses: Counter[str] = Counter()
    # Heads alone: a row of a large run is not needed whole.
    for _, row in Run(run).verdicts(Policy().name).heads():
        statuses[row["status"]] += 1
        seen.add((row["problem"], row["sample"]))
        assert row["status"] == STORED[row["sample"] % len(STORED)][1], row
    assert len(seen) == count, "a verdict was lost"
    assert statuses.total() == count, "a verdict was repeated"
    size = sum(path.stat().st_size for path in run.rglob("*") if path.is_file())
    print(f"on disk, with its verdict: {size / count:.0f} bytes a completion")
    print(f"verdicts, all as expected and none lost or repeated: {dict(statuses)}", flush=True)


@contextmanager
def measured(what: str, count: int) -> Iterator[None]:
    """Print the wall time, and the processor time, which is independent of other programs."""
    begin, used = time.perf_counter(), time.process_time()
    yield
    elapsed, used = time.perf_counter() - begin, time.process_time() - used
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{what}: {count} in {elapsed:.1f} s ({count / elapsed:.0f}/s); of this process "
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
        # The answers without a cluster are the expected answers.
        local = swept(folder, answers, "here") if answers else Counter()
        if completions:
            with measured("stored", completions):
                stored(folder / "stored", completions)

        def disturbed() -> None:
            with use_cluster():
                if answers:
                    remote = swept(folder, answers, "there")
                    assert max(remote.values()) == 1, "an answer was repeated"
                    assert len(remote) == answers, "an answer was lost"
                    assert remote == local, "answers differ"
                if completions:
                    scored(folder / "stored", completions)

        with ray_nodes() as cluster:
            _, died = while_nodes_die(disturbed, cluster, count=nodes, seed=seed, pause=pause)
        print(f"{died} nodes died", flush=True)
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
    flags = parser.parse_args()
    simulate(
        flags.answers, flags.completions, nodes=flags.nodes, pause=flags.pause, seed=flags.seed
    )


if __name__ == "__main__":
    main()
