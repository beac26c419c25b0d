"""Log-probabilities of given texts (teacher forcing), for `search_error`.

Scores are stored in the run under ``scores/MODEL/``, a row for each text. If a command was killed,
the next command continues from the stored scores. The score of a text is the log-probability that
the model continues the run's prompt with this text.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ....benchmarks.lample_charton.codec.prefix import PrefixError
from ....benchmarks.lample_charton.prefix_forms import prefix_form
from ....benchmarks.problem import Problem
from ....prompts import ANSWER, Prompt, parse
from ....rewards.verdict import Status
from ...core.asynchronous import run_async, stream
from ...core.errors import ModelError, UserError
from ...core.policy import AnswerFormat
from ...core.requests import digest
from ...models import Model
from ...models.base import Capability, Continuation, Scored
from ...store.log.appending import Log
from ...store.log.reader import LogReader
from ...store.run import Run
from ...store.writer import rescoring
from .search_error import Ranked, RankedCandidate, by_likelihood

#: The default form of an answer; ``%s`` is the antiderivative.
WRITTEN = r"\boxed{%s}"
#: The fields that the index of rows leaves out, and the fields of every row.
SCORES = (("token_logprobs",), ("key", "problem", "text", "logprob"))
#: Candidates that are scored for each problem, best first.
CANDIDATES = 10

REFERENCE = "reference"


@dataclass(frozen=True, slots=True)
class ScoringResult:
    """The number of newly scored texts, and why other texts have no score."""

    scored: int
    remarks: tuple[str, ...] = ()


def score_texts(
    path: str | os.PathLike[str],
    model: Model,
    *,
    candidates: int = CANDIDATES,
    written: str | None = None,
    answer_format: AnswerFormat = "latex",
    limit: int | None = None,
) -> ScoringResult:
    """Compute a model's log-probabilities of reference solutions and of best candidates.

    Texts with a stored log-probability are skipped.

    Args:
        path: a run of this model.
        model: the same model, with `Capability.SCORING`.
        candidates: the number of best candidates per problem. Equal texts count as one candidate.
        written: a template of an answer. The antiderivative replaces ``%s`` in the template. The
            default template is `WRITTEN` for the format ``latex``, and ``%s`` for ``prefix``.
        answer_format: the notation of reference solutions: ``latex``, or ``prefix`` tokens.
        limit: the largest number of problems. The earliest problems of the run are scored.

    Returns:
        How many texts were scored, and remarks on texts without a score.

    Raises:
        ModelError: the model cannot score texts.
        UserError: the run has no answers of this model, or ``written`` has no ``%s``.

    """
    if Capability.SCORING not in model.capabilities:
        lacking = f"model {model.spec} has no {Capability.SCORING}"
        raise ModelError(lacking + model.hint({Capability.SCORING}))
    if written is None:
        written = WRITTEN if answer_format == "latex" else "%s"
    if "%s" not in written:
        raise UserError(f"the way to write an answer needs a %s for it, not {written!r}")
    with rescoring(Path(path)) as run:
        if model.hash not in run.models:
            labels = ", ".join(entry["label"] for entry in run.models.values())
            raise UserError(f"{run.path} has no answers of {model.label}; it has {labels}")
        # Scores are appended one by one: a stopped scoring resumes with the missing texts.
        with Log(_scores_path(run, model.hash), *SCORES) as log:
            stored = {row["key"] for _, row in log.heads()}
            unscored = {
                text.key: text
                for text in _texts(run, model.hash, candidates, written, answer_format, limit)
                if text.key not in stored
            }

            remarks: list[str] = []

            async def scoring() -> None:
                ready = model.with_state(run.path / "state" / model.hash)
                try:
                    async with aclosing(ready.score(stream(unscored.values()))) as scores:
                        async for scored in scores:
                            log.append(_row(unscored[scored.key], scored))
                            remarks.extend([scored.detail] if scored.detail else [])
                finally:
                    await ready.close()

            if unscored:
                run_async(scoring())
    return ScoringResult(len(unscored) - len(remarks), tuple(remarks))


def ranked_candidates(run: Run, model: str, policy: str | None = None) -> dict[str, Ranked]:
    """For each problem, its candidates and its reference solution with log-probabilities.

    The keys of the result are problem keys. The log-probability of a text is its stored score.
    Without a stored score, a candidate has the log-probability that was recorded with its
    completion. If none was recorded, the log-probability is None. Candidates of a beam search keep
    their order. Sampled candidates are sorted by probability.
    """
    scores: dict[str, float] = {}
    references: dict[str, float] = {}
    for _, row in LogReader(_scores_path(run, model), *SCORES).heads():
        if row["logprob"] is None:
            continue  # it could not be scored
        scores[row["key"]] = row["logprob"]
        if row.get("role") == REFERENCE:
            references[row["problem"]] = row["logprob"]
    correct = {
        row["key"]: row["status"] == Status.CORRECT
        for _, row in run.verdicts(policy).heads()
        if row["model"] == model
    }
    by_problem: dict[str, list[tuple[int, RankedCandidate]]] = {}
    for row in run.completions.rows():
        if row["model"] == model and row["stage"] == ANSWER:
            scored = scores.get(_key(row["problem"], row["text"]))
            logprob = row.get("logprob") if scored is None else scored
            candidate = RankedCandidate(row["text"], correct.get(row["key"], False), logprob)
            by_problem.setdefault(row["problem"], []).append((row["sample"], candidate))
    beams = bool(run.manifest["identity"]["sampling"].get("beams"))
    problems = {}
    for key, rows in by_problem.items():
        candidates = tuple(candidate for _, candidate in sorted(rows, key=lambda row: row[0]))
        in_order = candidates if beams else by_likelihood(candidates)
        problems[key] = Ranked(key, in_order, references.get(key))
    return problems


def _texts(
    run: Run,
    model: str,
    candidates: int,
    written: str,
    answer_format: AnswerFormat,
    limit: int | None,
) -> Iterator[Continuation]:
    """Yield the texts to score: the reference solution and the best candidates of each problem."""
    prompts = {
        task: parse(entry["name"], entry["source"])
        for task, entry in run.manifest["identity"]["prompts"].items()
    }
    keys = list(run.problems)[:limit]
    best: dict[str, list[str]] = {key: [] for key in keys}
    for key, problem in ranked_candidates(run, model).items():
        if key in best:
            best[key] = [candidate.text for candidate in problem.candidates[:candidates]]
    for key in keys:
        problem_ = run.problems[key]
        prompt = _prompt(prompts, problem_)
        reference = _reference(problem_, answer_format)
        if reference is not None:
            text = written.replace("%s", reference)
            yield Continuation(_key(key, text, REFERENCE), prompt.render(problem_), text)
        # Equal candidates are scored once.
        for text in dict.fromkeys(best[key]):
            yield Continuation(_key(key, text), prompt.render(problem_), text)


def _reference(problem: Problem, answer_format: AnswerFormat) -> str | None:
    """Write a problem's reference solution in the notation ``answer_format``.

    The result is None if there is no reference solution, or if the notation cannot express it.
    """
    reference = problem.target.reference
    if reference is None or answer_format == "latex":
        return reference
    try:
        return prefix_form(problem, "antiderivative")
    except PrefixError:
        return None  # the model cannot write it


def _prompt(prompts: Mapping[str, Prompt], problem: Problem) -> Prompt:
    prompt = prompts[problem.task]
    if len(prompt.stages) > 1:
        raise UserError(f"texts after the prompt {prompt.name!r} cannot be scored: it has stages")
    return prompt


def _key(problem: str, text: str, role: str = "") -> str:
    return f"{problem}:{role}{digest(text)}"


def _row(text: Continuation, scored: Scored) -> dict[str, Any]:
    problem, _, role = text.key.rpartition(":")
    row: dict[str, Any] = {
        "key": text.key,
        "problem": problem,
        "text": text.text,
        "logprob": None if scored.detail else scored.logprob,
        "ended": scored.ended,
        "token_logprobs": list(scored.token_logprobs),
    }
    row |= {"detail": scored.detail} if scored.detail else {}
    return row | ({"role": REFERENCE} if role.startswith(REFERENCE) else {})


def _scores_path(run: Run, model: str) -> Path:
    return run.path / "scores" / model
