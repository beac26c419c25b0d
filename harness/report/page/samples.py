"""The samples on the page: an index to filter and sort, and compressed chunks.

A chunk is gzip in base64, which the page unpacks when one of its samples is shown; that way 15,000
samples open at once. The chunks share `BUDGET`: a sample's text is shown whole if there is room,
and otherwise its head and tail (`LEVELS`).
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from ....rewards.verdict import Verdict
from ...stats.verdict_changes import reason
from ...store.samples import Sample, samples
from ..sources import Sources
from .mathml import to_mathml
from .refutation import plot

#: Samples on one page, and plots of wrong answers.
MOST, PLOTS = 20_000, 2_000
#: Samples in a chunk, and the base64 characters of all chunks together.
CHUNK, BUDGET = 128, 36_000_000
#: Characters of head and tail, the first that fit a chunk's share.
LEVELS = ((8_000, 12_000), (1_500, 2_500), (300, 500), (0, 200), (0, 0))
#: Characters of integrand and answer in the index, for finding and for rows.
WORDS = 160


@dataclass(frozen=True)
class PageSamples:
    """The samples of a page: ``index`` has columns by name, the chunks are base64.

    ``formulas`` are question, answer and reference, each as text and as MathML; they are apart
    because every row of the table shows some. ``names`` are what numbers in the index stand for.
    """

    index: dict[str, list[Any]]
    formulas: list[str]
    details: list[str]
    names: dict[str, list[str]]
    left_out: int


COLUMNS = (
    "run",
    "problem",
    "subset",
    "label",
    "sample",
    "status",
    "integrand",
    "answer",
    "tokens",
    "length",
    "seconds",
)


def page_samples(sources: Sources) -> PageSamples:
    """Collect the samples of all runs, as many as fit on a page.

    Of too many the first samples of each problem are taken.
    """
    (limit, number), total = _shown(sources)
    share = BUDGET // max(1, -(-number // CHUNK))
    index: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    subsets: dict[str, int] = {}
    labels: dict[str, int] = {}
    plots: dict[tuple[str, str], Any] = {}
    formulas, details = [], []
    chosen = islice(_chosen(sources, limit), MOST)
    while chunk := list(islice(chosen, CHUNK)):
        for run, label, one in chunk:
            numbers = {
                "run": run,
                "subset": subsets.setdefault(one.problem.name, len(subsets)),
                "label": labels.setdefault(label, len(labels)),
            }
            for name, value in (numbers | _indexed(one)).items():
                index[name].append(value)
        shown = [_detail(one, plots) for _, _, one in chunk]
        formulas.append(_formulas([those for those, _ in shown], share // 4))
        details.append(_packed([detail for _, detail in shown], share - len(formulas[-1])))
    runs = [str(run.path) for run in sources.runs]
    names = {"run": runs, "subset": list(subsets), "label": list(labels)}
    return PageSamples(index, formulas, details, names, left_out=total - number)


def _shown(sources: Sources) -> tuple[tuple[int, int], int]:
    """How many samples of each problem are shown, how many that is, and how many there are."""
    counted: dict[int, int] = {}
    for run in sources.runs:
        for entry in run.models.values():
            counted[entry["samples"]] = counted.get(entry["samples"], 0) + entry["problems"]

    def size(limit: int) -> int:
        return sum(min(samples, limit) * problems for samples, problems in counted.items())

    largest = max(counted, default=1)
    limit = next((n for n in range(largest, 1, -1) if size(n) <= MOST), 1)
    return (limit, min(size(limit), MOST)), size(largest)


def _chosen(sources: Sources, limit: int) -> Iterator[tuple[int, str, Sample]]:
    """The samples to show: the place of each one's run, its model's label, and itself."""
    for place, (run, names) in enumerate(zip(sources.runs, sources.names, strict=True)):
        for one in samples(run, sources.policy):
            if one.final and one.completion["sample"] < limit and one.judged is not None:
                yield place, names[one.model], one


def _indexed(one: Sample) -> dict[str, Any]:
    problem, completion, judged = one.problem, one.completion, one.judged or {}
    return {
        "problem": problem.id,
        "sample": completion["sample"],
        "status": judged["status"],
        "integrand": question(one)[:WORDS],
        "answer": (judged.get("answer") or "")[:WORDS],
        "tokens": completion.get("completion_tokens"),
        "length": len(completion["text"]) + len(completion.get("reasoning", "")),
        "seconds": round(completion.get("latency", 0.0), 3),
    }


def question(one: Sample) -> str:
    """The question, as a formula where it is one."""
    inputs = one.problem.inputs
    if "integrand" in inputs:
        return str(inputs["integrand"])
    return " ; ".join(str(value) for value in inputs.values() if isinstance(value, str | int))


Formulas = list[tuple[str, Any]]


def _detail(one: Sample, plots: dict[tuple[str, str], Any]) -> tuple[Formulas, dict[str, Any]]:
    verdict = Verdict.from_dict(one.judged or {})
    answer = verdict.answer or ""
    reference = str(one.problem.target.get("antiderivative", ""))
    formulas = [(text[:2000], to_mathml(text)) for text in (question(one), answer, reference)]
    key = (one.key, answer)
    if verdict.evidence.witness and key not in plots and len(plots) < PLOTS:
        plots[key] = plot(one.problem, verdict.answer, verdict.evidence.witness)
    return formulas, {
        "facts": [[name, text[:600]] for name, text in facts(verdict, one.completion)],
        "plot": plots.get(key) if verdict.evidence.witness else None,
        "view": f"{one.key}#{one.completion['sample']}",
        "texts": {
            "Reasoning": one.completion.get("reasoning", ""),
            "Completion": one.completion["text"],
        },
    }


def facts(verdict: Verdict, completion: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """A verdict's evidence as names and texts."""
    evidence = verdict.evidence
    if completion.get("detail"):
        yield "recorded", completion["detail"]
    if evidence.witness:
        witness = evidence.witness
        if witness.point:
            yield "at", witness.point
        jump = "just above" in witness.point
        yield ("answer there" if jump else "expected"), witness.expected
        yield ("answer just above" if jump else "derivative of the answer"), witness.got
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
    counted = f", {tokens} tokens" if tokens is not None else ""
    seconds = completion.get("latency", 0)
    yield "model", f"finished by {completion['finish_reason']}, {seconds:.2f} s{counted}"


def _formulas(chunk: Sequence[Formulas], share: int) -> str:
    """A chunk of formulas, in base64; as text alone, and cut, where there is no room for more."""
    packed = pack(chunk)
    if len(packed) > share:
        packed = pack([[(text[:200], None) for text, _ in shown] for shown in chunk])
    return packed


def _packed(chunk: Iterable[dict[str, Any]], share: int) -> str:
    """A chunk in base64, its texts shortened until it has room."""
    chunk = list(chunk)
    for head, tail in LEVELS:
        rows = [
            detail
            | {
                "texts": {
                    name: shortened(text, head, tail)
                    for name, text in detail["texts"].items()
                    if text or name == "Completion"
                }
            }
            for detail in chunk
        ]
        packed = pack(rows)
        if len(packed) <= share:
            return packed
    return pack([{"view": detail["view"]} for detail in chunk])


def pack(value: Any) -> str:
    """JSON, compressed, in base64: nothing in it can end the element that holds it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode("utf-8", "replace"), 6, mtime=0)).decode()


def shortened(text: str, head: int, tail: int) -> list[Any]:
    """Head, number of characters left out, tail."""
    if len(text) <= head + tail + 200 and head:
        return [text, 0, ""]
    return [text[:head], max(0, len(text) - head - tail), text[len(text) - tail :] if tail else ""]
