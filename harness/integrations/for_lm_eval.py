"""lm-evaluation-harness: the functions for the task YAML of `lm_eval_path`.

Options come as one JSON object in the metadata, apart from the arguments of models:

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
from ..core.policy import Policy
from ..report.lm_eval_logs import reference
from .questions import UNDECIDED, PromptedQuestion, judge, questions

OPTIONS = ("prompt", "shots", "limit", "seed", "strict")


def dataset(
    benchmark: str, calculus: Mapping[str, Any] | None = None, **_: Any
) -> dict[str, datasets.Dataset]:
    """Return the split ``test``, with a document for each problem.

    Args:
        benchmark: As for `questions.questions`.
        calculus: options by the names in `OPTIONS`: the arguments of `questions.questions`, and
            ``strict``.

    All other metadata of lm-evaluation-harness (arguments of the model) is ignored.

    Raises:
        UserError: An option is unknown, or the prompt is not a single text.

    """
    options = dict(calculus or {})
    if unknown := options.keys() - set(OPTIONS):
        raise UserError(
            f"no such option: {', '.join(sorted(unknown))}; there are {', '.join(OPTIONS)}"
        )
    strict = bool(options.pop("strict", False))
    rows = [_document(question, strict) for question in questions(benchmark, **options)]
    return {"test": datasets.Dataset.from_list(rows)}


def _document(question: PromptedQuestion, strict: bool) -> dict[str, Any]:
    prompt, rendered = question.prompt, question.rendered()
    roles = [message.role for message in rendered.messages]
    if len(prompt.stages) > 1 or roles not in ([], ["user"]):
        raise UserError(
            f"lm-evaluation-harness asks once, and with one text: prompt {prompt.name!r} has "
            f"{'stages' if len(prompt.stages) > 1 else 'several messages'}"
        )
    return {
        "id": question.key,
        "question": rendered.messages[0].content if rendered.messages else rendered.text,
        "answer": reference(question.problem),
        "problem": json.dumps(question.problem.to_dict(), ensure_ascii=False),
        "stop": list(prompt.stop),
        "strict": strict,
    }


def every_response(responses: Sequence[Any], documents: Sequence[Any]) -> list[Any]:
    """A filter that keeps all responses; lm-evaluation-harness would keep only the first."""
    return [list(texts) for texts in responses]


def process_results(document: Mapping[str, Any], results: Sequence[Any]) -> dict[str, float]:
    """Return ``pass@1``, ``no_answer`` and ``undecided``: means over the repeats of a document.

    An undecided answer counts as not correct, as in `harness.stats.tallies`. lm-evaluation-harness
    does not report truncated texts.
    """
    [texts] = results
    verdicts = _verdicts(document, [texts] if isinstance(texts, str) else list(texts))

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

    # In another thread, as the main thread of a notebook has a running event loop.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, judge_all()).result()
