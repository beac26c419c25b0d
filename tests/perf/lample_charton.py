"""How fast random integrals are made: `python tests/perf/lample_charton.py`.

Rates are kept pairs per second of processor time of a core, with discarded draws, the proof by the
verifier and the printing. In comparison, SymPy does the algebra of the same draws: evaluation and
differentiation, and `simplify` for every second draw, as in the released code (with a limit of
calls worth 2 seconds). FWD is bound by SymPy's integration; `--fwd` measures FWD by the processor
time of the workers, after the import of SymPy.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from calculus_harness.benchmarks.algebra.normal_form import UnusableFormulaError
from calculus_harness.benchmarks.hashed_random import HashedRandom
from calculus_harness.benchmarks.lample_charton.algebra import counted_sympy
from calculus_harness.benchmarks.lample_charton.algebra.backends import (
    Backend,
    OwnBackend,
    SympyBackend,
)
from calculus_harness.benchmarks.lample_charton.generators import (
    GeneratorSettings,
    UnprovenPair,
    backward,
)
from calculus_harness.benchmarks.lample_charton.pairs import IntegralPair, make, proven
from calculus_harness.benchmarks.lample_charton.parallel import stream
from calculus_harness.benchmarks.lample_charton.problems import problem_from_pair

sys.path.insert(0, str(Path(__file__).parent))
from rival import compare

#: What the issue asks of BWD on one core.
TARGET = 150
SETTINGS = GeneratorSettings()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--sympy", type=int, default=40, help="draws that SymPy does, too")
    parser.add_argument("--fwd", type=int, default=0, help="pairs of FWD")
    parser.add_argument("--rival", type=Path, help="an older checkout, for BWD beside ours")
    options = parser.parse_args()
    if options.rival:
        code = f"print(report('BWD', {options.pairs}, problems('bwd', 1)))"
        compare("lample_charton", code, options.rival)
        return
    counted_sympy.install()

    rate = report("BWD, ours, proven, as problems", options.pairs, problems("bwd", 1))
    print(f"  {rate / TARGET:.1f} times the {TARGET} that are wanted")
    make("ibp", 1, 0, SETTINGS)  # makes the store
    report("IBP, ours, proven, as problems", options.pairs // 10, problems("ibp", 1))

    drafts = list(drafted(OwnBackend, options.pairs))
    report("  of BWD: algebra and simplifier", len(drafts), drafted(OwnBackend, options.pairs))
    report("  of BWD: proof", len(drafts), (check(unproven) for unproven in drafts))

    next(drafted(SympyBackend, 4))  # imports SymPy
    ours = report("BWD, algebra alone, ours", options.sympy, drafted(OwnBackend, options.sympy))
    theirs = report(
        "BWD, algebra alone, SymPy", options.sympy, drafted(SympyBackend, options.sympy)
    )
    print(f"  ours is {ours / theirs:.0f} times as fast on the same draws")
    if options.fwd:
        with tempfile.TemporaryDirectory() as empty:  # what is recorded takes no time
            os.environ["CALCULUS_HARNESS_CACHE"] = empty
            pairs = stream("fwd", 1, SETTINGS)
            next(pairs)  # starts the worker
            start = time.perf_counter(), workers_seconds()
            for _ in islice(pairs, options.fwd):
                pass
            clock, processor = time.perf_counter() - start[0], workers_seconds() - start[1]
            print(f"FWD: {processor / options.fwd:.2f} s of processor time for each pair,")
            print(f"  {clock / options.fwd:.2f} s by the clock ({options.fwd} pairs, one worker)")


def workers_seconds() -> float:
    """Processor seconds of the ended children and their children."""
    ticks = os.sysconf("SC_CLK_TCK")
    total = 0
    for folder in Path("/proc").glob("[0-9]*/stat"):
        fields = folder.read_text().rpartition(")")[2].split()
        if int(fields[1]) == os.getpid():
            total += sum(map(int, fields[11:15]))
    return total / ticks


def report(what: str, number: int, items: Iterator[object]) -> float:
    start = time.process_time()
    count = sum(1 for _, _ in zip(range(number), items, strict=False))
    rate = count / (time.process_time() - start)
    print(f"{what}: {rate:.1f}/s ({count})", flush=True)
    return rate


def problems(method: str, seed: int) -> Iterator[object]:
    index = 0
    while True:
        pair = make(method, seed, index, SETTINGS)
        yield problem_from_pair(pair, method, seed, index, SETTINGS)
        index += 1


def drafted(backend: Callable[[], Backend], number: int) -> Iterator[UnprovenPair]:
    """The survivors of BWD's filters among a number of draws."""
    for index in range(number):
        try:
            yield backward(backend(), HashedRandom("lample_charton", "bwd", 1, index, 0), SETTINGS)
        except UnusableFormulaError:
            continue


def check(unproven: UnprovenPair) -> IntegralPair | None:
    try:
        return proven(unproven, 0)
    except UnusableFormulaError:
        return None


if __name__ == "__main__":
    main()
