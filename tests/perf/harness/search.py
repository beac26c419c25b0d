"""How fast the search for failures is: mutants a second, and an archive of 1,000 problems.

    python tests/perf/harness/search.py            # mutants, by normal forms and by SymPy
    python tests/perf/harness/search.py --archive  # 1,000 failures of a model that answers at once

Mutants come from the seeds of all presets and from three further generations, each drawn,
evaluated, printed and checked; rates are by processor time of a core. SymPy's rates are of
`simplify` alone, with the published limit of a second each. The model of `--archive` gives every
problem the same wrong answer; all answers are verified. The time of `--archive` is by the clock,
with a worker per core.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from calculus_harness.harness.models.python_function import LocalFunction
from calculus_harness.harness.report.search.records import read_archive
from calculus_harness.harness.studies.search import (
    preset_names,
    search,
    search_settings,
    search_spec,
)
from calculus_harness.harness.studies.search.formulas import read
from calculus_harness.harness.studies.search.mutants import Mutant, mutants, unusable
from calculus_harness.harness.studies.search.mutations import Rules
from calculus_harness.rewards.reading.expression.sympy_bridge import to_sympy
from calculus_harness.rewards.workers.pool import usable_cores

GENERATIONS, SIZE = 3, 2000
#: Mutants that SymPy simplifies.
SIMPLIFIED = 100


def rates() -> None:
    """Mutants per second of both ways."""
    seeds = [read(seed) for name in preset_names() for seed in search_settings(name).seeds]
    spent = checked = 0.0
    drawn = 0
    mutants_of_last: list[Mutant] = []
    for generation in range(GENERATIONS):
        start = time.process_time()
        valid, refused = mutants(seeds, SIZE, Rules(), ("perf", generation))
        spent += time.process_time() - start
        drawn += len(valid) + sum(refused.values())
        # The verifier's reading is timed apart: a search reads new mutants only.
        new = {mutant.text: mutant for mutant in valid}
        start = time.process_time()
        for mutant in new.values():
            unusable(mutant.tree)
        checked += time.process_time() - start
        mutants_of_last = list(new.values())
        seeds = [mutant.tree for mutant in mutants_of_last[:: max(1, len(mutants_of_last) // 100)]]
    ours = drawn / spent
    print(f"normal forms: {ours:8.0f} mutants a second and core ({drawn} made)")
    print(f"  with the verifier's reading of each new one: {drawn / (spent + checked):.0f}")
    import sympy

    # SymPy gets a sample of the last generation, with the published limit of processor time.
    chosen = mutants_of_last[:: max(1, len(mutants_of_last) // SIMPLIFIED)]
    start = time.process_time()
    late = 0
    signal.signal(signal.SIGPROF, _raise)
    for mutant in chosen:
        try:
            signal.setitimer(signal.ITIMER_PROF, 1)
            sympy.simplify(to_sympy(mutant.tree))
        except TimeoutError:
            late += 1
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    theirs = len(chosen) / (time.process_time() - start)
    print(f"SymPy's simplify: {theirs:8.1f} a second, of {len(chosen)} {late} took longer than 1 s")
    print(f"ratio {ours / theirs:.0f}")


def _raise(*_: object) -> None:
    raise TimeoutError


def archive() -> None:
    """The time of a whole search."""
    settings = search_settings("general")
    model = LocalFunction.of(lambda messages, seed: r"\boxed{\frac{x^2}{2} + 1}")
    with tempfile.TemporaryDirectory() as folder:
        spec = search_spec(settings, model=["python/any:answer"], out=folder + "/run")
        start = time.perf_counter()
        run = search(spec, settings, models=[model])
        seconds = time.perf_counter() - start
        failures, problems = len(read_archive(run.path)), len(run.problems)
    cores = usable_cores()
    print(f"{failures} failures of {problems} problems in {seconds:.1f} s on {cores} cores")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--archive", action="store_true", help="a whole search")
    if parser.parse_args().archive:
        archive()
    else:
        rates()


if __name__ == "__main__":
    main()
