"""lm-evaluation-harness: what the task YAML of `lm_eval_path` calls.

Options that are ours come as one JSON object, so that no argument of a model is mistaken for them:

    lm_eval run ... --metadata '{"calculus": {"prompt": "direct", "limit": 100, "strict": true}}'
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import datasets

from ...benchmarks.problem import Problem
from ...rewards.verdict import Status, Verdict
from ..core.errors import UserError
from ..report.lm_eval_logs import reference
from ..run.grade import Policy
from .asking import UNDECIDED, Question, judge, questions

OPTIONS = ("prompt", "shots", "limit", "seed", "strict")


def dataset(
    benchmark: str, calculus: Mapping[str, Any] | None = None, **_: Any
) -> dict[str, datasets.Dataset]:
    """The split ``test``: a document a problem, with ``question``, ``answer`` and what we need.

    ``calculus`` are `OPTIONS`, all but ``strict`` those of `asking.questions`. Whatever else is in
    lm-evaluation-harness's metadata (arguments of the model) is not for us.
    """
    options = dict(calculus or {})
    if unknown := options.keys() - set(OPTIONS):
        raise UserError(
            f"no such option: {', '.join(sorted(unknown))}; there are {', '.join(OPTIONS)}"
        )
    strict = bool(options.pop("strict", False))
    rows = [_document(question, strict) for question in questions(benchmark, **options)]
    return {"test": datasets.Dataset.from_list(rows)}


def _document(question: Question, strict: bool) -> dict[str, Any]:
    prompt, shown = question.prompt, question.rendered()
    roles = [message.role for message in shown.messages]
    if len(prompt.stages) > 1 or roles not in ([], ["user"]):
        raise UserError(
            f"lm-evaluation-harness asks once, and with one text: prompt {prompt.name!r} has "
            f"{'stages' if len(prompt.stages) > 1 else 'several messages'}"
        )
    return {
        "id": question.key,
        "question": shown.messages[0].content if shown.messages else shown.text,
        "answer": reference(question.problem),
        "problem": json.dumps(question.problem.to_dict(), ensure_ascii=False),
        "stop": list(prompt.stop),
        "strict": strict,
    }


def every_response(responses: Sequence[Any], documents: Sequence[Any]) -> list[Any]:
    """The filter: all that a model said, where lm-evaluation-harness would keep the first only."""
    return [list(said) for said in responses]


def process_results(document: Mapping[str, Any], results: Sequence[Any]) -> dict[str, float]:
    """``pass@1``, and the shares of the answers that were missing and that were undecided.

    The mean over all ``repeats`` of a document. An undecided answer counts as not correct, as in
    `harness.stats.metrics`; lm-evaluation-harness does not tell which texts were cut off.
    """
    [said] = results
    verdicts = _verdicts(document, [said] if isinstance(said, str) else list(said))

    def share(*statuses: Status) -> float:
        return sum(verdict.status in statuses for verdict in verdicts) / len(verdicts)

    return {
        "pass@1": share(Status.CORRECT),
        "no_answer": share(Status.NO_ANSWER, Status.UNPARSEABLE),
        "undecided": share(*UNDECIDED),
    }


def _verdicts(document: Mapping[str, Any], texts: Sequence[str]) -> list[Verdict]:
    problem = Problem.from_dict(json.loads(document["problem"]))
    policy, stop = Policy(strict=document["strict"]), tuple(document["stop"])

    async def judge_all() -> list[Verdict]:
        return await asyncio.gather(*(judge(problem, text, policy, stop=stop) for text in texts))

    # In a thread of its own: in a notebook this one has a running event loop.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, judge_all()).result()
