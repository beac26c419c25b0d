r"""How fast rewards are for a training batch, and how many are right, beside TRL's and verl's.

    python tests/perf/reward.py                                   # ours beside what is installed
    python tests/perf/reward.py --verl FOLDER --trl FOLDER        # unpacked wheels: no torch needed

The batch resembles a GRPO batch: groups of 16 completions of an integrand, from the corpora in
tests/rewards/cases. Half are whole responses of models (right and wrong), a third bare boxes (right
answers, and proven wrong mutants), the rest rubbish: no answer, cut off, not closed, hostile.

The rivals compare with a reference and get the best possible reference: the answer itself, from our
printer. The choice flatters the rivals, as a model may find another form. The part of a batch
scored within ``--seconds`` is scaled to the whole batch. TRL's `accuracy_reward` and verl's
`math_verify` use Math-Verify, verl's `math_reward` compares strings. Alkahest's reward needs no
reference and differentiates (`alkahest_reward`).
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import logging
import platform
import random
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from calculus_harness.rewards.adapters.for_trl import antiderivative_reward
from calculus_harness.rewards.reading.latex import read, to_latex
from calculus_harness.rewards.workers.pool import usable_cores
from tests.perf.alkahest_reward import alkahest_reward

CASES = Path(__file__).resolve().parents[1] / "rewards" / "cases"
GROUP = 16
#: Scores many completions, or one by one.
Scorer = Callable[[Sequence["Row"]], Sequence[float | None]]

RUBBISH = [
    "",
    "I am not able to solve this integral.",
    "Let us substitute $u = x^2$, then $du = 2x\\,dx$, so that the integral " * 40,
    r"The answer is \boxed{",
    r"\boxed{\int f(x)\,dx}",
    "<think>Try parts. " + "Then again by parts. " * 200,
    r"\boxed{" + "(" * 400 + "x" + ")" * 400 + "}",
    r"\boxed{9^{9^{9^{9}}}x}",
    r"$\boxed{\text{no closed form}}$",
    "x" * 3000,
]


@dataclass(frozen=True, slots=True)
class Row:
    integrand: str
    completion: str
    reference: str
    right: bool


def load() -> tuple[dict[str, list[tuple[str, bool]]], dict[str, list[str]]]:
    """By integrand: answers, each with its truth value, and right answers."""
    answers: dict[str, list[tuple[str, bool]]] = {}
    right: dict[str, list[str]] = {}
    for row in json.loads((CASES / "antiderivatives.json").read_text("utf-8")):
        good = row["label"] == "right"
        answers.setdefault(row["integrand"], []).append((rf"\boxed{{{row['answer']}}}", good))
        if good:
            right.setdefault(row["integrand"], []).append(row["answer"])
    for row in json.loads((CASES / "responses.json").read_text("utf-8")):
        if "\\boxed{" in row["response"] and row["integrand"] in right:
            pair = (row["response"], row["label"] == "right")
            answers.setdefault(row["integrand"], []).append(pair)
    return {f: pairs for f, pairs in answers.items() if f in right}, right


@cache
def printed(answer: str) -> str:
    """An answer in the form of data sets' references: printed from the tree."""
    return to_latex(read(answer)[0].expression)


def batch(size: int, seed: int) -> list[Row]:
    answers, right = load()
    rng = random.Random(seed)
    rows: list[Row] = []
    integrands = rng.sample(sorted(answers), -(-size // GROUP))
    for integrand in integrands:
        for _ in range(GROUP):
            text, good = rng.choice(answers[integrand])
            if rng.random() < 1 / 6:
                text, good = rng.choice(RUBBISH), False
            reference = printed(right[integrand][0])
            rows.append(Row(integrand, text, reference, good))
    return rows[:size]


# --- rivals ---------------------------------------------------------------------------------


def imported(name: str, folder: Path | None) -> ModuleType:
    """A module of a package, or of an unpacked wheel without the rest of the package."""
    if folder is None:
        return importlib.import_module(name)
    spec = importlib.util.spec_from_file_location(
        name, folder / Path(*name.split(".")).with_suffix(".py")
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"no {name} in {folder}")
    module = importlib.util.module_from_spec(spec)
    package = ModuleType(name.rpartition(".")[0])
    package.__path__ = [str(folder / Path(*name.split(".")[:-1]))]
    sys.modules.setdefault(package.__name__, package)
    if name.startswith("trl."):
        utils = ModuleType("trl.import_utils")
        utils.is_math_verify_available = lambda: True  # type: ignore[attr-defined]
        top = ModuleType("trl")
        top.__path__ = [str(folder / "trl")]
        sys.modules.update({"trl": top, "trl.import_utils": utils})
    spec.loader.exec_module(module)
    return module


def rivals(trl: Path | None, verl: Path | None) -> dict[str, Scorer | str]:
    """Scorers by name; a text has the reason for a missing scorer."""
    scorers: dict[str, Scorer | str] = {}

    def accuracy(rows: Sequence[Row]) -> Sequence[float | None]:
        talk = [[{"role": "assistant", "content": row.completion}] for row in rows]
        solutions = [f"${row.reference}$" for row in rows]
        return module_trl.accuracy_reward(talk, solutions)  # type: ignore[no-any-return]

    try:
        module_trl = imported("trl.rewards.accuracy_rewards", trl)
        scorers["TRL accuracy_reward"] = accuracy
    except Exception as error:
        scorers["TRL accuracy_reward"] = str(error)

    for name in ("math_reward", "math_verify"):
        try:
            module = imported(f"verl.utils.reward_score.{name}", verl)
        except Exception as error:
            scorers[f"verl {name}"] = str(error)
            continue

        def one_by_one(rows: Sequence[Row], module: ModuleType = module) -> Sequence[float | None]:
            return [module.compute_score(row.completion, row.reference) for row in rows]

        def in_process(rows: Sequence[Row], module: ModuleType = module) -> Sequence[float | None]:
            # verl sends this to processes that import verl, which an unpacked wheel does not allow.
            judge = module._verify_in_subprocess
            return [_caught(judge, rf"\boxed{{{row.reference}}}", row.completion) for row in rows]

        alone = name == "math_verify" and verl is not None
        scorers[f"verl {name}{' (one process)' * alone}"] = in_process if alone else one_by_one

    try:
        reward = alkahest_reward()
        scorers["Alkahest"] = lambda rows: [reward(row.integrand, row.completion) for row in rows]
    except ImportError as error:
        scorers["Alkahest"] = str(error)
    return scorers


def _caught(judge: Callable[[str, str], float], reference: str, text: str) -> float:
    """verl's treatment of a judge's exception: 0."""
    try:
        return judge(reference, text)
    except Exception:
        return 0.0


def timed(scorer: Scorer, rows: Sequence[Row], seconds: float) -> tuple[list[float | None], float]:
    """Scores of the rows within the time limit (whole groups), and the seconds."""
    scores: list[float | None] = []
    begin = time.perf_counter()
    while len(scores) < len(rows) and time.perf_counter() - begin < seconds:
        group = rows[len(scores) : len(scores) + GROUP]
        scores += scorer(group)
    return scores, time.perf_counter() - begin


def line(name: str, rows: Sequence[Row], scores: Sequence[float | None], seconds: float) -> str:
    pairs = list(zip(rows, scores, strict=False))
    right = [score for row, score in pairs if row.right]
    wrong = [score for row, score in pairs if not row.right]
    scaled = seconds * len(rows) / max(1, len(pairs))
    return (
        f"| {name} | {len(pairs)} | {seconds:.2f} | {scaled:.2f} | {len(pairs) / seconds:,.0f} "
        f"| {sum(s == 1 for s in right)} of {len(right)} "
        f"| {sum(s not in (0, None) for s in wrong)} of {len(wrong)} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--size", type=int, default=1024)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=60.0, help="for each rival")
    parser.add_argument("--repeat", type=int, default=3, help="rounds of ours; the median counts")
    parser.add_argument("--trl", type=Path, help="folder with TRL's unpacked wheel")
    parser.add_argument("--verl", type=Path, help="folder with verl's unpacked wheel")
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    rows = batch(options.size, options.seed)
    right = sum(row.right for row in rows)
    print(
        f"{len(rows)} completions, {right} right ones, {usable_cores()} cores, "
        f"Python {platform.python_version()}\n"
    )
    print("| reward | scored | seconds | for the batch | per second | right: 1 | wrong: not 0 |")
    print("|---|---|---|---|---|---|---|")

    texts, integrands = [row.completion for row in rows], [row.integrand for row in rows]

    def ours() -> tuple[list[float | None], float]:
        begin = time.perf_counter()
        scores = antiderivative_reward([""] * len(rows), texts, integrand=integrands)
        return scores, time.perf_counter() - begin

    antiderivative_reward([""], [r"\boxed{x}"], integrand=["1"])  # workers start once per training
    rounds = [ours() for _ in range(max(2, options.repeat))]
    print(line("ours, first batch with these integrands", rows, *rounds[0]))
    later = sorted(rounds[1:], key=lambda timing: timing[1])
    again = later[len(later) // 2]
    print(line("ours, integrands known", rows, *again))
    base = rounds[0][1] / len(rows)
    ratios = []
    for name, scorer in rivals(options.trl, options.verl).items():
        if isinstance(scorer, str):
            print(f"| {name} | not here: {scorer} | | | | | |")
            continue
        scores, seconds = timed(scorer, rows, options.seconds)
        print(line(name, rows, scores, seconds), flush=True)
        ratios.append(f"{name}: {seconds / len(scores) / base:.2f} times our (first) time")
    print("\n" + "\n".join(ratios))


if __name__ == "__main__":
    main()
