"""The samples on the page: an index to filter and sort, and compressed chunks.

The chunks share `BUDGET`. A sample's text is shown completely if the budget suffices; otherwise the
page has the beginning and the end of the text (`LEVELS`).
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from ....prompts import ANSWER
from ....rewards.verdict import Verdict
from ....rewards.verify.solution_steps import Judgement
from ...core.requests import FinishReason
from ...core.wording import counted
from ...stats.findings.failures import failure_of
from ...stats.steps import StepCounts, read_steps
from ...stats.verdict_changes import reason
from ...store.log.shards import Tests
from ...store.samples import Sample, samples
from ..sources import Sources
from .marks import Mark, pieces
from .packing import CHUNK, WORDS, Formula, formula, pack, shortened, shortened_formula
from .problems import FAILURES, FINISHES, STATUSES, PageProblems
from .refutation import plot

#: Samples on one page, and plots of wrong answers.
MAX_SAMPLES, MAX_PLOTS = 40_000, 1_000
#: The base64 characters of all chunks together.
BUDGET = 36_000_000
#: Characters of head and tail, the first that fit a chunk's share.
LEVELS = ((20_000, 20_000), (8_000, 12_000), (1_500, 2_500), (300, 500), (0, 200), (0, 0))

#: Characters of the JSON of a stored response without its texts: what every server sends takes
#: 200 to 600, log-probabilities of tokens up to millions.
RESPONSE = 1_500

COLUMNS = (
    *("problem", "model", "sample", "status", "finish", "failure"),
    *("answer", "tokens", "length", "seconds"),
)


@dataclass(frozen=True)
class PageSamples:
    """The samples of a page. ``index`` has columns by name, and the chunks are in base64.

    The formulas of answers are separate from the other details, because rows of the table show
    formulas.
    """

    index: dict[str, list[Any]]
    formulas: list[str]
    details: list[str]
    left_out: int


@dataclass(frozen=True)
class _Selection:
    """The samples on the page: the first ``limit`` samples per model, on evenly chosen problems."""

    limit: int
    problems: frozenset[int]
    number: int
    total: int


def page_samples(sources: Sources, problems: PageProblems) -> PageSamples:
    """Collect the samples of all runs, as many as fit on a page.

    If there are too many samples, the page has the first samples of each problem. If there are
    still too many, the page has the samples of some of the problems only, the same for all models.
    """
    selection = _selected_samples(problems, MAX_SAMPLES)
    # Every chunk has an equal share of the page's bytes: long texts are shortened evenly.
    share = BUDGET // max(1, -(-selection.number // CHUNK))
    index: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    models = {(at, model): number for number, (at, model, _) in enumerate(problems.models)}
    plots: dict[tuple[str, str], Any] = {}
    steps = {row.key: row for run in sources.runs for row in read_steps(run.path)}
    formulas, details = [], []
    chosen = _chosen(sources, problems, selection)
    while chunk := list(islice(chosen, CHUNK)):
        for at, sample in chunk:
            number = problems.positions[at, sample.key]
            row = {"problem": number, "model": models[at, sample.model]} | _indexed(sample)
            for name, value in row.items():
                index[name].append(value)
        formulas.append(_formulas([_answer(sample) for _, sample in chunk], share // 4))
        rows = [_detail(sample, plots, steps.get(sample.completion["key"])) for _, sample in chunk]
        details.append(_packed(rows, share - len(formulas[-1])))
    return PageSamples(index, formulas, details, left_out=selection.total - len(index["status"]))


def _selected_samples(problems: PageProblems, max_samples: int) -> _Selection:
    """Choose the samples for the page."""
    counts: list[list[int]] = [
        problem_counts["samples"] for problem_counts in problems.index["counts"]
    ]
    by_problem = list(zip(*counts, strict=True))
    total = sum(map(sum, by_problem))
    limit = max(map(max, by_problem), default=1) if counts else 1

    def size(limit: int) -> int:
        return sum(min(number, limit) for row in by_problem for number in row)

    limit = max(1, bisect_right(range(1, limit + 1), max_samples, key=size))
    number = size(limit)
    kept_count = (
        len(by_problem) if number <= max_samples else len(by_problem) * max_samples // number
    )
    chosen = frozenset(at * len(by_problem) // kept_count for at in range(kept_count))
    return _Selection(limit, chosen, min(number, max_samples), total)


def _chosen(
    sources: Sources, problems: PageProblems, selection: _Selection
) -> Iterator[tuple[int, Sample]]:
    """The samples for the page, each with the index of the run."""
    for at, run in enumerate(sources.runs):

        def in_problems(key: str, at: int = at) -> bool:
            return problems.positions[at, key] in selection.problems

        tests: Tests = {
            "stage": ANSWER.__eq__,
            "sample": range(selection.limit).__contains__,
            "problem": in_problems,
        }
        for sample in samples(run, sources.policy, tests=tests):
            if sample.judged is not None:
                yield at, sample


def _indexed(sample: Sample) -> dict[str, Any]:
    completion, judged = sample.completion, sample.judged or {}
    return {
        "sample": completion["sample"],
        "status": STATUSES.index(judged["status"]),
        "finish": FINISHES.index(FinishReason(completion["finish_reason"])),
        "failure": FAILURES.index(failure_of(sample.problem, judged) or ""),
        "answer": (judged.get("answer") or "")[:WORDS],
        "tokens": completion.get("completion_tokens"),
        "length": len(completion["text"]) + len(completion.get("reasoning", "")),
        "seconds": round(completion.get("latency", 0.0), 3),
    }


def _answer(sample: Sample) -> str:
    return (sample.judged or {}).get("answer") or ""


def _detail(
    sample: Sample, plots: dict[tuple[str, str], Any], steps: StepCounts | None
) -> dict[str, Any]:
    verdict = Verdict.from_dict(sample.judged or {})
    key = (sample.key, verdict.answer or "")
    if verdict.evidence.witness and key not in plots and len(plots) < MAX_PLOTS:
        plots[key] = plot(sample.problem, verdict.answer, verdict.evidence.witness)
    return {
        "facts": [
            [name, text[:600]]
            for name, text in (
                *facts(verdict, sample.completion),
                *(step_facts(steps, sample.completion["text"]) if steps else ()),
            )
        ],
        "plot": plots.get(key) if verdict.evidence.witness else None,
        "marks": steps.marks if steps else (),
        "response": _response(sample.completion),
        "texts": {
            "Reasoning": sample.completion.get("reasoning", ""),
            "Completion": sample.completion["text"],
        },
    }


def _response(completion: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """The stored row without texts and long fields, and the names of the omitted fields."""
    row = {name: value for name, value in completion.items() if name not in ("text", "reasoning")}
    extra = dict(row.get("extra") or {})
    remaining: list[str] = []
    while extra and len(json.dumps(row)) > RESPONSE:
        remaining.append(max(extra, key=lambda name: len(json.dumps(extra[name]))))
        del extra[remaining[-1]]
        row["extra"] = extra
    return row, ", ".join(remaining)


def facts(verdict: Verdict, completion: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """A verdict's evidence as names and texts."""
    evidence = verdict.evidence
    if completion.get("detail"):
        yield "recorded", completion["detail"]
    if evidence.witness:
        yield from evidence.witness.described().items()
        if evidence.detail:
            yield "because", evidence.detail
    elif why := reason(verdict):
        yield "because", why
    if evidence.flags and evidence.witness:
        yield "notes", ", ".join(evidence.flags)
    if evidence.extracted_by:
        yield "answer found by", evidence.extracted_by
    if evidence.reading:
        yield "read as", evidence.reading
    yield "method", f"{evidence.method}, {1000 * evidence.seconds:.1f} ms"
    tokens = completion.get("completion_tokens")
    length = f", {counted(tokens, 'token')}" if tokens is not None else ""
    seconds = completion.get("latency", 0)
    yield "model", f"finished by {completion['finish_reason']}, {seconds:.2f} s{length}"


def step_facts(steps: StepCounts, text: str) -> Iterator[tuple[str, str]]:
    """The findings of `run.py steps` on a completion."""
    judged = Counter(mark[2] for mark in steps.marks)
    counts = ", ".join(f"{number} {judgement}" for judgement, number in judged.items())
    yield "steps", f"{counts or 'none'} ({steps.outcome})"
    wrong = next((mark for mark in steps.marks if mark[2] == Judgement.INCORRECT), None)
    if wrong:
        yield f"first wrong step ({wrong[3]})", text[wrong[0] : wrong[1]]


def _formulas(answers: Sequence[str], share: int) -> str:
    """A chunk of answers in base64: as formulas, text, or shortened text, whichever fits first."""
    formulas: list[Formula] = [formula(text) for text in answers]
    packed = pack(formulas)
    for longest in (2_000, 200):
        if len(packed) <= share:
            break
        packed = pack([shortened_formula(text, longest) for text, _ in formulas])
    return packed


def _packed(chunk: Iterable[dict[str, Any]], share: int) -> str:
    """A chunk in base64, with texts shortened until the chunk fits."""
    chunk = list(chunk)
    for head, tail in LEVELS:
        rows = [
            detail
            | {
                "marks": None,
                "texts": {
                    name: _marked(
                        text, head, tail, detail.get("marks", ()) if name == "Completion" else ()
                    )
                    for name, text in detail["texts"].items()
                    if text or name == "Completion"
                },
            }
            for detail in chunk
        ]
        packed = pack(rows)
        if len(packed) <= share:
            return packed
    return pack([{} for _ in chunk])


def _marked(text: str, head: int, tail: int, marks: Sequence[Mark]) -> list[Any]:
    """The beginning of a text, the number of omitted characters, the end; with marks, pieces."""
    head_text, omitted, tail_text = shortened(text, head, tail)
    if not marks:
        return [head_text, omitted, tail_text]
    return [pieces(head_text, marks), omitted, pieces(tail_text, marks, len(text) - len(tail_text))]
