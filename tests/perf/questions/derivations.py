"""How fast derivations are made, where the time goes, and how often the original goes wrong.

    python tests/perf/questions/derivations.py               # steps per second
    python tests/perf/questions/derivations.py --traps 2000  # the released recipe, and ours
    python tests/perf/questions/derivations.py --sympy 150   # our integrals beside SymPy's

A step counts when it is in a finished example: grown, extracted, given a wrong alternative, and all
of it proven, unperturbed and under VR and EE. The steps of the wrong alternatives and those thrown
away do not count. Meadows et al. report 7 seconds per step (appendix E), without any proof. Rates
of one core are by processor time, those of all cores by the clock.
"""

from __future__ import annotations

import argparse
import json
import platform
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from calculus_harness.benchmarks.algebra.normal_form import UnusableFormulaError
from calculus_harness.benchmarks.derivations import chains, examples, proof, splits, steps
from calculus_harness.benchmarks.derivations.chains import derivation
from calculus_harness.benchmarks.derivations.examples import example
from calculus_harness.benchmarks.derivations.expressions.rewriting import CasesError, antiderivative
from calculus_harness.benchmarks.derivations.options import CODE, ORIGINAL
from calculus_harness.benchmarks.hashed_random import HashedRandom
from calculus_harness.rewards.reading.expression.tree import Expression
from calculus_harness.rewards.workers.pool import usable_cores

sys.path.insert(0, str(Path(__file__).parents[1]))
from rival import compare

PAPER = 1 / 7  # steps per second
SEED = 1_000_003


# --- speed ---


class Clock:
    """Processor time of some functions, without the time of nested measured functions."""

    def __init__(self) -> None:
        self.spent: Counter[str] = Counter()
        self._running: list[str] = []
        self._since = time.process_time()

    def _switch(self) -> None:
        now = time.process_time()
        if self._running:
            self.spent[self._running[-1]] += now - self._since  # type: ignore[assignment]
        self._since = now

    @contextmanager
    def timing(self, targets: dict[str, tuple[Any, str]]) -> Iterator[None]:
        originals = {name: getattr(module, attr) for name, (module, attr) in targets.items()}
        for name, (module, attr) in targets.items():
            setattr(module, attr, partial(self._timed, name, originals[name]))
        try:
            yield
        finally:
            for name, (module, attr) in targets.items():
                setattr(module, attr, originals[name])

    def _timed(self, name: str, function: Callable[..., Any], *args: Any, **options: Any) -> Any:
        self._switch()
        self._running.append(name)
        try:
            return function(*args, **options)
        finally:
            self._switch()
            self._running.pop()


STAGES: dict[str, tuple[Any, str]] = {
    "grow and extract": (examples, "derivation"),
    "wrong alternatives": (examples, "next_step"),
    "proof": (examples, "_follows"),
    "wrong ones refuted": (examples, "is_result"),
    "perturb": (examples, "_mapped"),
}


def one_core(count: int) -> list[dict[str, Any]]:
    rows = []
    for length in (2, 3, 4, 6):
        clock = Clock()
        with clock.timing(STAGES):
            began = time.process_time()
            for index in range(count):
                example(length, SEED, index)
            spent = time.process_time() - began
        rate = count * length / spent
        rows.append(
            {
                "steps": length,
                "steps_per_second": round(rate, 1),
                "times_the_paper": round(rate / PAPER),
                "milliseconds_per_example": round(1000 * spent / count, 2),
                "share": {name: round(clock.spent[name] / spent, 3) for name in STAGES},
            }
        )
    return rows


def undecided(count: int, length: int = 4) -> dict[str, Any]:
    """Draws of our own recipe, before any rejection."""
    counts: Counter[str] = Counter()
    number = 0
    while counts.total() < count:
        drawn = derivation(length, HashedRandom("undecided", number), CODE)
        number += 1
        if drawn is not None:
            try:
                proof.prove_steps(drawn)
                counts["proven"] += 1
            except proof.UndecidedError:
                counts["undecided"] += 1
            except proof.RefutedError:
                counts["wrong"] += 1
    return {"derivations": count, "steps": length, "found": dict(counts)}


def all_cores(count: int, length: int = 3) -> dict[str, Any]:
    maker = splits._Maker(length, SEED + 1, CODE, "published")
    with splits._mapping(maker, None) as mapped:
        stream = mapped(False, 0)
        next(stream)  # the processes have started
        began = time.perf_counter()
        for _ in range(count):
            next(stream)
        rate = count * length / (time.perf_counter() - began)
    return {
        "cores": usable_cores(),
        "steps": length,
        "steps_per_second": round(rate, 1),
        "times_the_paper": round(rate / PAPER),
    }


# --- what the original goes wrong in ---


def traps(count: int, length: int = 3) -> dict[str, Any]:
    """Examples of the released recipe, judged by our proof."""
    counts: Counter[str] = Counter()
    by_operator: Counter[str] = Counter()
    for index in range(count):
        pair = example(length, SEED, index, ORIGINAL)
        try:
            # An example is sound if the positive follows and the negative does not. Each way to
            # fail is counted apart.
            proof.prove_steps([*pair.before, pair.positive])
        except proof.RefutedError:
            counts["positive wrong"] += 1
            continue
        except proof.UndecidedError:
            counts["positive undecided"] += 1
            continue
        try:
            proof.prove_steps([*pair.before, pair.negative])
            right = proof.is_result(pair.negative.equation, pair.positive, pair.negative.constants)
        except proof.RefutedError:
            counts["negative's own derivation wrong"] += 1
            continue
        except proof.UndecidedError:
            counts["negative undecided"] += 1
            continue
        if not right:
            counts["sound"] += 1
            continue
        # The negative is right as well: a trap for any classifier.
        by_operator[pair.operator] += 1
        if pair.negative.annotation == pair.positive.annotation:
            counts["negative right: another constant of integration"] += 1
        else:
            counts["negative right: the same equation, perhaps with its sides exchanged"] += 1
    return {
        "examples": count,
        "steps": length,
        "found": dict(counts),
        "right negatives by operator": dict(by_operator),
    }


# --- integrals ---


class _TooLongError(BaseException):
    pass


def _stop(*_: object) -> None:
    raise _TooLongError


def integrals(count: int, limit: int = 5) -> dict[str, int]:
    """Outcomes of our integration and of SymPy's ``integrate`` on the integrals of derivations."""
    import sympy

    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks" / "derivations"))
    from as_sympy import as_sympy

    met: dict[tuple[Expression, Expression], None] = {}

    def noted(term: Expression, x: Expression) -> Expression | None:
        met[term, x] = None
        return antiderivative(term, x)

    steps.antiderivative = noted  # type: ignore[assignment]
    number = 0
    while len(met) < count:
        derivation(3, HashedRandom("integrals", number), CODE)
        number += 1
    steps.antiderivative = antiderivative
    outcomes: Counter[str] = Counter()
    signal.signal(signal.SIGALRM, _stop)
    for term, x in list(met)[:count]:
        try:
            ours = "unchanged" if antiderivative(term, x) is None else "closed form"
        except CasesError:
            ours = "cases"
        except UnusableFormulaError:
            ours = "undefined"
        signal.alarm(limit)
        try:
            result = sympy.Integral(as_sympy(term), as_sympy(x)).doit()
            elementary = (sympy.sin, sympy.cos, sympy.log, sympy.exp)
            plain = (sympy.core.function.AppliedUndef, *elementary)
            functions = [f for f in result.atoms(sympy.Function) if not isinstance(f, plain)]
            theirs = (
                "cases"
                if result.has(sympy.Piecewise)
                else "unchanged"
                if result.has(sympy.Integral)
                else "special function"
                if functions
                else "closed form"
            )
        except _TooLongError:
            theirs = f"over {limit} s"
        signal.alarm(0)
        outcomes[f"ours: {ours}; SymPy: {theirs}"] += 1
    return dict(outcomes.most_common())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=150, help="examples of each length")
    parser.add_argument("--traps", type=int, help="judge so many examples of the released recipe")
    parser.add_argument("--sympy", type=int, help="compare so many integrals with SymPy's")
    parser.add_argument("--rival", type=Path, help="an older checkout, for steps beside ours")
    args = parser.parse_args()
    if args.rival:
        code = (
            f"one_core(1); rows = one_core({args.count}); print(sum(row['steps'] for row in rows)"
        )
        code += " / sum(row['steps'] / row['steps_per_second'] for row in rows))"
        compare("derivations", code, args.rival)
        return
    if args.traps:
        result: Any = {"ours": undecided(args.traps), "released": traps(args.traps)}
    elif args.sympy:
        result = integrals(args.sympy)
    else:
        chains.derivation(3, HashedRandom("warm"), CODE)
        result = {
            "machine": platform.machine(),
            "python": platform.python_version(),
            "one core": one_core(args.count),
            "all cores": all_cores(4 * args.count),
        }
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
