"""A run directory as left by a sweep, but written at once: for limits and speed."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from calculus_harness.benchmarks.problem import Parent, Problem
from calculus_harness.harness.core.requests import Sampling, problem_key
from calculus_harness.harness.store.log.appending import Log
from calculus_harness.harness.store.manifest import Identity, ModelPlan
from calculus_harness.harness.store.run import COMPLETIONS, VERDICTS
from calculus_harness.harness.store.writer import rescoring, writing
from calculus_harness.prompts import load

WORDS = r"we substitute so that \frac{x}{2} the integral becomes \int u = x^2 by parts".split()
#: Up to a number between 0 and 1: the verdict, and the answer.
ANSWERS = (
    (0.5, "correct", r"\frac{x^2}{2} e^x + C"),
    (0.8, "incorrect", r"\frac{x^{%d}}{3} \sin x"),
    (0.9, "no_answer", None),
    (0.97, "unparseable", r"\frac{"),
    (1.0, "undecided", "x^x"),
)


def make(
    path: Path,
    *,
    models: int,
    problems: int,
    samples: int,
    subsets: int = 1,
    words: int = 600,
    noise: bool = True,
    shard_bytes: int | None = None,
) -> None:
    """Write a run with as many correct answers as a fixed seed says.

    The first subset's problems are the parents of all other problems. With ``noise`` texts compress
    badly, as hostile texts do.
    """
    chance = random.Random(0)
    every = [_problem(i, subset) for subset in range(subsets) for i in range(problems)]
    keys = [problem_key(problem) for problem in every]
    skill = [chance.betavariate(0.7, 0.9) for _ in range(problems)]
    names = [f"model{number:014}" for number in range(models)]
    begin(path, names, every, samples)
    # The set of verdicts must exist before verdicts are appended by hand.
    with rescoring(path) as run, run.scoring("balls-1", {"method": "balls"}):
        pass
    text = " ".join(chance.choices(WORDS, k=words))
    with (
        Log(path / "completions", *COMPLETIONS, shard_bytes=shard_bytes) as completions,
        Log(path / "verdicts" / "balls-1", *VERDICTS, shard_bytes=shard_bytes) as judged,
    ):
        for model, name in enumerate(names):
            for sample in range(samples):
                for number, key in enumerate(keys):
                    subset, which = divmod(number, problems)
                    # Perturbed subsets and later models are worse, for differences to find.
                    solved = chance.random() < skill[which] * (1 - 0.1 * subset - 0.05 * model)
                    at = 0.0 if solved else 0.5 + 0.5 * chance.random()
                    status, answer = next((s, a) for limit, s, a in ANSWERS if at <= limit)
                    answer = answer % chance.randrange(9) if answer and "%d" in answer else answer
                    head = row(name, number, key, sample)
                    own = f"{chance.getrandbits(12_000 if noise else 64):x} {text}"
                    completions.append(
                        head
                        | {
                            "request": f"{number:016}",
                            "seed": sample,
                            "text": own,
                            "completion_tokens": chance.randrange(10, 4000),
                            "prompt_tokens": 90,
                            "latency": 1.5,
                        }
                    )
                    evidence = {"method": "balls", "seconds": 0.001, "extracted_by": "boxed"}
                    if status == "incorrect":
                        evidence["witness"] = {
                            "point": "x=[0.5 +/- 1e-9]",
                            "expected": "1.0",
                            "got": "2.0",
                        }
                    judged.append(
                        head
                        | {
                            "status": status,
                            "reward": float(solved),
                            "answer": answer,
                            "correct": solved,
                            "evidence": evidence,
                        }
                    )


def begin(path: Path, models: Sequence[str], problems: Sequence[Problem], samples: int) -> None:
    """Write a run without any of the wanted samples."""
    identity = Identity(("large",), {"integration": load("antiderivbench")}, Sampling(), 0)
    plans = [
        ModelPlan(name, spec := f"api/model-{name[-1]}", {"spec": spec}, samples, len(problems))
        for name in models
    ]
    with writing(path, identity) as run:
        run.extend(plans, problems)


def row(model: str, number: int, problem: str, sample: int) -> dict[str, Any]:
    """Fields shared by the row of a completion and the row of the verdict."""
    return {
        "key": f"{model}:{number:016}:answer:{sample}",
        "model": model,
        "problem": problem,
        "sample": sample,
        "stage": "answer",
        "finish_reason": "stop",
    }


def _problem(index: int, subset: int) -> Problem:
    formula = {"integrand": rf"\frac{{x+{index}}}{{\sqrt{{x}}}} e^x", "variable": "x"}
    name = f"p{index:05}"
    return Problem(
        id=name if subset == 0 else f"{name}s{subset}",
        task="integration",
        benchmark="large",
        subset=f"subset{subset}",
        inputs=formula,
        target=formula | {"antiderivative": r"\frac{x^2}{2} e^x"},
        parents=(Parent(name, "original"),) if subset else (),
        pair_parent=name if subset else None,
        perturbation=f"shift{subset}" if subset else None,
    )


if __name__ == "__main__":
    import sys

    make(Path(sys.argv[1]), **json.loads(sys.argv[2]))
