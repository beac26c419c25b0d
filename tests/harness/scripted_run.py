"""Runs with scripted outcomes, written at once: for tests of reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from calculus_harness.benchmarks.problem import Parent, Problem
from calculus_harness.harness.core.requests import Sampling, problem_key
from calculus_harness.harness.store.log.appending import Log
from calculus_harness.harness.store.manifest import Identity, ModelPlan
from calculus_harness.harness.store.run import COMPLETIONS, VERDICTS, Run
from calculus_harness.harness.store.writer import rescoring, writing
from calculus_harness.prompts import load
from tests.harness.large_run import row

#: A verdict's status, its answer, and why the completion ended.
Outcome: TypeAlias = tuple[str, str | None, str]
Script: TypeAlias = Callable[[str, int, int], Outcome]

RIGHT: Outcome = ("correct", r"\sin x + x^2", "stop")
SIGN: Outcome = ("incorrect", r"-\sin x + x^2", "stop")
MISSING: Outcome = ("incorrect", r"\sin x", "stop")
NO_BOX: Outcome = ("no_answer", None, "stop")
CUT: Outcome = ("no_answer", None, "length")
ERROR: Outcome = ("error", None, "error")
REFUSED: Outcome = ("no_answer", None, "refusal")
FILTERED: Outcome = ("no_answer", None, "content_filter")


def problems(subset: str, number: int, parent: str | None = None) -> list[Problem]:
    """Integrals of cos x + 2x; the problems of a subset with a parent are perturbations."""
    formula = {"integrand": r"\cos x + 2x", "variable": "x"}
    return [
        Problem(
            id=f"{parent or subset}{i}" + (f"-{subset}" if parent else ""),
            task="integration",
            benchmark="bench",
            subset=subset,
            inputs=formula,
            target=formula,
            parents=(Parent(f"{parent}{i}", "original"),) if parent else (),
            pair_parent=f"{parent}{i}" if parent else None,
            perturbation=subset if parent else None,
        )
        for i in range(number)
    ]


def make(
    path: Path,
    models: Mapping[str, Script],
    chosen: Sequence[Problem],
    samples: int = 1,
    arrived: Sequence[int] | None = None,
) -> Run:
    """Write a run; a model's script maps subset, problem's number and sample to an outcome.

    ``arrived`` has the indices of problems in the order in which their answers arrive; by default
    the order of the plan.
    """
    identity = Identity(("bench",), {"integration": load("antiderivbench")}, Sampling(), 0)
    hashes = {name: f"{index:016}" for index, name in enumerate(models)}
    plans = [ModelPlan(hashes[name], name, {"spec": name}, samples, len(chosen)) for name in models]
    with writing(path, identity) as run:
        run.extend(plans, chosen)
    with rescoring(path) as run, run.scoring("balls-1", {"method": "balls"}):
        pass
    with (
        Log(path / "completions", *COMPLETIONS) as completions,
        Log(path / "verdicts" / "balls-1", *VERDICTS) as judged,
    ):
        for name, script in models.items():
            subsets = [problem.subset for problem in chosen]
            for index in range(len(chosen)) if arrived is None else arrived:
                problem = chosen[index]
                number = subsets[:index].count(problem.subset)
                for sample in range(samples):
                    status, answer, reason = script(problem.subset, number, sample)
                    head = row(hashes[name], index, problem_key(problem), sample)
                    head["finish_reason"] = reason
                    completions.append(
                        head
                        | {"request": f"{index:016}", "seed": sample, "text": answer or "..."}
                        | {"completion_tokens": 50, "prompt_tokens": 90, "latency": 0.5}
                    )
                    reward = float(status == "correct")
                    judged.append(
                        head
                        | {"status": status, "reward": reward, "answer": answer}
                        | {"evidence": {"method": "balls", "extracted_by": "boxed"}}
                    )
    return Run(path)
