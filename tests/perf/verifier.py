r"""The verifier's speed, the distribution of time, and accuracy, beside the rivals.

    python tests/perf/verifier.py                    # every item, our verifier
    python tests/perf/verifier.py --rivals           # and on a sample: Math-Verify, `published`

Items come from tests/rewards/cases: `verdicts.json` (hand-made cases, many traps),
`antiderivatives.json` (integrals as published, with right and wrong answers), `responses.json`
(whole responses) and `special_integrals.json`. Every verdict starts from a model's text. The last
table has the goals for speed and proofs beside the measurements.

- *first* is the time when an integrand is met for the first time, *again* when it is known, as for
  fifteen of the sixteen answers of a training group. Rates and latencies are processor time of one
  core, in this process, with the garbage collector set as in a worker, and with special functions
  evaluated as in a worker. Each item's time is the best of three rounds (`--best-of`): a worker has
  been running for long, and load on the machine costs up to half.
- *all cores* is `verify_many` on everything, the time in the pool included.
- Alkahest's reward differentiates; it is given the extracted answer (`alkahest_reward`);
- Math-Verify compares with a reference: another right answer to the same integral where the file
  has one, else the answer itself (which flatters it; the table says for how many). `published` is
  AntiderivBench's evaluator with the deadline given. Both on one core; extras may be missing.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import json
import os
import platform
import statistics
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from calculus_harness import rewards
from calculus_harness.rewards import ProblemError, verify_antiderivative
from calculus_harness.rewards.batch import verify_many
from calculus_harness.rewards.workers.pool import usable_cores
from tests.perf.alkahest_reward import alkahest_reward
from tests.perf.judged import (
    AGREEMENT,
    SOURCES,
    SPEED,
    Item,
    Judgement,
    Result,
    agreement_row,
    by_kind,
    load,
    milliseconds,
    quantile,
    sample,
    speed_row,
    table,
)

Method = Callable[[Item], Judgement]


def judge(
    name: str, items: Sequence[Item], method: Method, clock: Callable[[], float] = time.process_time
) -> Result:
    judgements, seconds = [], []
    for item in items:
        begin = clock()
        judgements.append(method(item))
        seconds.append(clock() - begin)
    return Result(name, judgements, seconds)


def best_of(times: int, name: str, items: Sequence[Item], method: Method, *, new: bool) -> Result:
    """`judge` several times, with each item's shortest time.

    With ``new``, integrands are forgotten before each round.
    """
    rounds = []
    for _ in range(times):
        if new:
            forget()
        rounds.append(judge(name, items, method))
    seconds = [min(runs) for runs in zip(*(result.seconds for result in rounds), strict=True)]
    return Result(name, rounds[0].judgements, seconds)


# The methods: their verdicts are "accepted", "rejected" and "undecided".

_DECIDED = {
    "correct": "accepted",
    "incorrect": "rejected",
    "no_answer": "rejected",
    "unparseable": "rejected",
    "not_closed_form": "rejected",
}


def ours(item: Item) -> Judgement:
    try:
        verdict = verify_antiderivative(item.completion, item.integrand, variable=item.variable)
    except ProblemError:
        return Judgement("undecided")
    except Exception as error:  # a fault of ours, to be seen in the list of differences
        return Judgement(f"raised {type(error).__name__}")
    proved = verdict.evidence.proof == "identity"
    return Judgement(_DECIDED.get(verdict.status, "undecided"), proved)


def published(deadline: float) -> Method:
    def method(item: Item) -> Judgement:
        try:
            verdict = verify_antiderivative(
                item.completion,
                item.integrand,
                variable=item.variable,
                method="published",
                deadline=deadline,
            )
        except ProblemError:
            return Judgement("undecided")
        return Judgement(_DECIDED.get(verdict.status, "undecided"))

    return method


def math_verify(items: Sequence[Item], warm_up: Sequence[Item]) -> tuple[Method, str]:
    from math_verify import parse, verify

    # Another right answer to the same integral is the fairest reference; the answer itself flatters
    # Math-Verify.
    rights = defaultdict(list)
    for item in warm_up:
        if item.right:
            rights[item.integrand].append(item.answer)
    reference = {
        item.id: next(
            (text for text in rights[item.integrand] if text != item.answer),
            next(iter(rights[item.integrand]), None),
        )
        for item in items
    }
    alone = sum(item.right and reference[item.id] == item.answer for item in items)
    missing = sum(text is None for text in reference.values())

    def method(item: Item) -> Judgement:
        text = reference[item.id]
        if text is None:
            return Judgement("undecided")
        gold, answer = parse(f"${text}$"), parse(item.completion)
        return Judgement("accepted" if verify(gold, answer) else "rejected")

    return method, f"{alone} compared with themselves, {missing} without a reference"


def alkahest() -> Callable[[Item], str]:
    reward = alkahest_reward()

    def method(item: Item) -> str:
        score = reward(item.integrand, item.completion, item.variable)
        return "undecided" if score is None else "accepted" if score > 0 else "rejected"

    return method


# Where the time goes.


class Stages:
    """Exclusive times of functions, measured by wrappers at the call sites."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()
        self._inner = [0.0]

    def wrap(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            self._inner.append(0.0)
            begin = time.process_time()
            try:
                return function(*args, **kwargs)
            finally:
                spent = time.process_time() - begin
                self.seconds[name] += spent - self._inner.pop()
                self._inner[-1] += spent

        return wrapped

    @contextlib.contextmanager
    def measuring(self) -> Iterator[None]:
        functions: list[tuple[str, Any, str]] = [
            ("extract", rewards.verify.antiderivative, "find_answer"),
            ("read the answer", rewards.verify.antiderivative, "read_answer"),
            ("the integrand's side", rewards.verify.antiderivative, "prepare_readings"),
            ("the integrand's side", rewards.numeric.sampling.pool.PointPool, "take"),
            ("the integrand's side", rewards.numeric.sampling.pool.PointPool, "f"),
            ("compile the tree", rewards.verify.decision.decide, "compile_tape"),
            ("prove", rewards.verify.decision.decide.ProofSearch, "_attempt"),
            ("balls and decision", rewards.verify.antiderivative, "decide"),
        ]
        originals = [(owner, name, getattr(owner, name)) for _, owner, name in functions]
        try:
            for stage, owner, name in functions:
                setattr(owner, name, self.wrap(stage, getattr(owner, name)))
            yield
        finally:
            for owner, name, original in originals:
                setattr(owner, name, original)


def forget() -> None:
    """Empty the caches of integrands."""
    rewards.numeric.sampling.integrand._prepare_text.cache_clear()


# Printing.


def report(
    source: str, items: list[Item], arguments: argparse.Namespace, goals: list[list[str]]
) -> dict[str, Any]:
    print(
        f"## {source}: {len(items)} items, {len({item.integrand for item in items})} integrands\n"
    )
    # First with empty caches, then again with warm ones, as in a group of 16 answers.
    forget()
    cold = best_of(arguments.best_of, "ours, first", items, ours, new=True)
    again = best_of(arguments.best_of, "ours, again", items, ours, new=False)
    goals += goals_of(source, items, cold)
    results = [cold, again]
    table(SPEED, [speed_row(result) for result in results])
    if arguments.kinds:
        table(("first, by kind", *SPEED[1:]), [speed_row(group) for group in by_kind(cold, items)])
    if not arguments.one_core:
        many(items)
    table(AGREEMENT, [agreement_row(cold, items)])
    wrongly = [
        f"{item.id} ({'right' if item.right else 'wrong'}: {judgement.verdict})"
        for item, judgement in zip(items, cold.judgements, strict=True)
        if judgement.verdict != ("accepted" if item.right else "rejected")
    ]
    if wrongly:
        print(f"differ: {', '.join(wrongly[:20])}{' ...' if len(wrongly) > 20 else ''}\n")
    slowest = sorted(zip(cold.seconds, items, strict=True), key=lambda pair: -pair[0])[:5]
    print("slowest: " + ", ".join(f"{i.id} {milliseconds(s)} ms" for s, i in slowest) + "\n")
    stages(items)
    chosen = items
    if arguments.rivals:
        chosen = sample(items, arguments.rival_items)
        results = rivals(chosen, load(source), arguments)
    return {
        "source": source,
        "items": len(items),
        "methods": {
            result.name: {
                "per_second": len(result.seconds) / sum(result.seconds),
                "p50": statistics.median(result.seconds),
                "p99": quantile(result.seconds, 0.99),
                "max": max(result.seconds),
            }
            for result in [cold, again, *results]
        },
    }


#: The least share of right answers that are proved.
PROVED = {"responses": 0.97, "special_integrals": 0.90}
GOALS = ("first", "goal", "measured", "")


def goals_of(source: str, items: Sequence[Item], result: Result) -> list[list[str]]:
    """Rows of the table of goals for a file of items."""
    rows = []

    def row(what: str, goal: str, measured: str, reached: bool) -> None:
        rows.append([f"{source}: {what}", goal, measured, "reached" if reached else "missed"])

    accepted = [
        (item, judgement.proved)
        for item, judgement in zip(items, result.judgements, strict=True)
        if judgement.verdict == "accepted"
    ]
    wrong = sum(not item.right for item, _ in accepted)
    row("wrong answers accepted", "0", str(wrong), not wrong)
    if source in PROVED:
        share = sum(proved for item, proved in accepted if item.right) / sum(
            item.right for item in items
        )
        row(
            "right answers proved",
            f">= {PROVED[source]:.0%}",
            f"{share:.1%}",
            share >= PROVED[source],
        )
    if source == "special_integrals":
        p99, slowest = quantile(result.seconds, 0.99), max(result.seconds)
        row("p99", "<= 30 ms", f"{milliseconds(p99)} ms", p99 <= 0.030)
        row("slowest", "<= 2 s", f"{slowest:.2f} s", slowest <= 2)
    for group in by_kind(result, items):
        if source == "verdicts" and group.name == "textbook":
            rate, p99 = len(group.seconds) / sum(group.seconds), quantile(group.seconds, 0.99)
            row("textbook answers", ">= 3,500/s", f"{rate:,.0f}/s", rate >= 3500)
            row("textbook answers, p99", "<= 3 ms", f"{milliseconds(p99)} ms", p99 <= 0.003)
    return rows


def many(items: Sequence[Item]) -> None:
    completions = [item.completion for item in items]
    integrands = [item.integrand for item in items]
    variables = [item.variable for item in items]
    verify_many(completions, integrands, variable=variables)  # start the workers
    begin = time.perf_counter()
    verify_many(completions, integrands, variable=variables)
    rate = len(items) / (time.perf_counter() - begin)
    print(f"all cores ({usable_cores()}): {rate:,.0f} verdicts/s through verify_many\n")


def stages(items: Sequence[Item]) -> None:
    rows = []
    for name, clear in (("first", True), ("again", False)):
        if clear:
            forget()
        measured = Stages()
        begin = time.process_time()
        with measured.measuring():
            for item in items:
                ours(item)
        total = time.process_time() - begin
        measured.seconds["the rest"] = total - sum(measured.seconds.values())
        rows.append((name, total, measured.seconds))
    names = list(dict.fromkeys([*rows[0][2], *rows[1][2]]))
    table(
        (
            "where the time goes",
            *(f"{name}: µs/item" for name, _, _ in rows),
            *(f"{name}: share" for name, _, _ in rows),
        ),
        [
            [
                stage,
                *(f"{1e6 * seconds[stage] / len(items):.0f}" for _, _, seconds in rows),
                *(f"{seconds[stage] / total:.0%}" for _, total, seconds in rows),
            ]
            for stage in names
        ],
    )


def rivals(items: list[Item], warm_up: list[Item], arguments: argparse.Namespace) -> list[Result]:
    print(f"### Rivals, on {len(items)} of these\n")
    forget()
    results = [judge("ours", items, ours, time.perf_counter)]
    try:
        method, note = math_verify(items, warm_up)
        method(items[0])
        results.append(judge("Math-Verify", items, method, time.perf_counter))
        print(f"Math-Verify {version('math-verify')}: {note}")
    except ImportError as error:
        print(f"Math-Verify is left out: {error}")
    try:
        slow = published(arguments.deadline)
        slow(items[0])
        results.append(judge("published", items, slow, time.perf_counter))
        late = sum(seconds >= arguments.deadline for seconds in results[-1].seconds)
        print(f"published: {late} items took the whole {arguments.deadline:g} s")
    except ImportError as error:
        print(f"published is left out: {error}")
    try:
        results.append(judge("Alkahest", items, alkahest()))
        print(f"Alkahest {version('alkahest')}: given the extracted answer in its notation")
    except ImportError as error:
        print(f"Alkahest is left out: {error}")
    print()
    table(SPEED, [speed_row(result) for result in results])
    table(AGREEMENT, [agreement_row(result, items) for result in results])
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--items", type=int, metavar="N", help="take only N items of each file")
    parser.add_argument("--source", action="append", choices=SOURCES)
    parser.add_argument(
        "--best-of", type=int, default=3, metavar="N", help="each item's best of N rounds"
    )
    parser.add_argument("--kinds", action="store_true", help="speed by kind of item too")
    parser.add_argument("--one-core", action="store_true", help="leave `verify_many` out")
    parser.add_argument("--rivals", action="store_true", help="compare with rivals (minutes)")
    parser.add_argument("--rival-items", type=int, default=60, metavar="N")
    parser.add_argument("--deadline", type=float, default=10.0, help="seconds, for `published`")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers there too")
    arguments = parser.parse_args()
    packages = []
    for name in ("python-flint", "sympy", "math-verify", "latex2sympy2-extended"):
        with contextlib.suppress(PackageNotFoundError):
            packages.append(f"{name} {version(name)}")
    print(
        f"Python {platform.python_version()}, {platform.machine()}, {usable_cores()} cores "
        f"(load {os.getloadavg()[0]:.1f}); {', '.join(packages)}\n"
    )
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 50)
    rewards.verify.answers.in_worker = lambda: True  # special functions are evaluated here
    numbers = []
    goals: list[list[str]] = []
    for source in arguments.source or SOURCES:
        items = sample(load(source), arguments.items)
        if items:
            numbers.append(report(source, items, arguments, goals))
    table(GOALS, goals)
    print(f"load at the end: {os.getloadavg()[0]:.1f}")
    if arguments.json:
        arguments.json.write_text(json.dumps(numbers, indent=1))


if __name__ == "__main__":
    main()
