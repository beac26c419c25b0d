"""A run as logs of inspect_ai: a file for each model and benchmark, for `inspect view`.

The id of inspect_ai's sample is the problem's key, an epoch is one of our samples, and the score
``verified`` is our verdict, as in the tasks of `harness.integrations.for_inspect`. inspect_ai must
be installed; `export` imports the module only if needed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import groupby
from pathlib import Path
from typing import Any

from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalLog,
    EvalMetric,
    EvalResults,
    EvalSample,
    EvalScore,
    EvalSpec,
    write_eval_log,
)
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    Content,
    ContentImage,
    ContentReasoning,
    ContentText,
    GenerateConfig,
    ModelOutput,
    ModelUsage,
    StopReason,
)
from inspect_ai.scorer import CORRECT, INCORRECT, NOANSWER, Score

from ...prompts import Message, Rendered
from ...rewards.verdict import Status, Verdict
from ..core.requests import FinishReason, digest
from ..stats.summary import summarise
from ..store.counts import UNKNOWN
from ..store.run import Run
from ..store.samples import Prompts, Sample, samples
from .lm_eval_logs import reference

_CHAT: dict[str, Callable[..., ChatMessage]] = {
    "system": ChatMessageSystem,
    "user": ChatMessageUser,
    "assistant": ChatMessageAssistant,
}
_STOP: dict[str, StopReason] = {
    FinishReason.LENGTH: "max_tokens",
    FinishReason.CONTENT_FILTER: "content_filter",
    FinishReason.REFUSAL: "content_filter",
}
#: inspect_ai's names of reasons, where it has one.
_REASONS = {Status.NO_ANSWER: "no_response", Status.UNPARSEABLE: "invalid_response_format"}


def write_inspect(run: Run, policy: str | None, out: Path) -> int:
    """Write a directory of ``.eval`` files; returns the number of samples."""
    out.mkdir()
    policy = policy or run.policy
    prompts = Prompts(run)
    rates = {
        (row.model, row.subset): row.passes[0].value
        for row in summarise(run, policy).rows
        if row.passes
    }
    count = 0
    for model, group in groupby(samples(run, policy, out.parent), key=lambda sample: sample.model):
        tasks: dict[str, list[EvalSample]] = {}
        for sample in group:
            if sample.final:
                tasks.setdefault(sample.problem.name, []).append(_sample(sample, prompts, policy))
        for task, logged in tasks.items():
            log = _log(run, model, task, logged, rates.get((model, task)))
            name = re.sub(r"\W+", "_", f"{task} {run.labels[model]}")
            write_eval_log(log, str(out / f"{name}.eval"), format="eval")
            count += len(logged)
    return count


def messages(rendered: Rendered) -> list[ChatMessage]:
    """The messages of a prompt. A text to complete becomes a message of the user, because
    inspect_ai has only chats.
    """
    prompt_messages = rendered.messages or (Message("user", rendered.text),)
    return [_CHAT[message.role](content=_content(message)) for message in prompt_messages]


def _content(message: Message) -> str | list[Content]:
    """The text of a message; with pictures, a list of the pictures and the text."""
    if not message.pictures:
        return message.content
    urls = [f"data:image/png;base64,{picture}" for picture in message.pictures]
    return [*(ContentImage(image=url) for url in urls), ContentText(text=message.content)]


def score_of(verdict: Verdict, policy: str | None, leave_out: bool = True) -> Score:
    """A verdict as a score.

    An undecided verdict is left out (as not a number), or counts as wrong if ``leave_out`` is
    false.
    """
    status = verdict.status
    undecided = status in UNKNOWN
    value = {Status.CORRECT: CORRECT, Status.NO_ANSWER: NOANSWER}.get(status, INCORRECT)
    return Score(
        value=float("nan") if leave_out and undecided else value,
        answer=verdict.answer,
        explanation=verdict.evidence.detail or None,
        reason=_REASONS.get(status, status.value if undecided else None),
        metadata={"policy": policy, **verdict.to_dict()},
    )


def _sample(sample: Sample, prompts: Prompts, policy: str | None) -> EvalSample:
    row, problem = sample.completion, sample.problem
    prompt = prompts.render(problem)
    input_messages = messages(prompt) if prompt is not None else []
    content: Any = row["text"]
    if row.get("reasoning"):
        content = [ContentReasoning(reasoning=row["reasoning"]), ContentText(text=row["text"])]
    reply = ChatMessageAssistant(content=content, source="generate")
    output = ModelOutput(
        model=sample.label,
        choices=[
            ChatCompletionChoice(message=reply, stop_reason=_STOP.get(row["finish_reason"], "stop"))
        ],
        time=row.get("latency"),
    )
    if row.get("completion_tokens") is not None:
        asked_for, written = row.get("prompt_tokens") or 0, row["completion_tokens"]
        output.usage = ModelUsage(
            input_tokens=asked_for,
            output_tokens=written,
            total_tokens=asked_for + written,
            reasoning_tokens=row.get("reasoning_tokens"),
        )
    verdict = sample.verdict
    return EvalSample(
        id=sample.key,
        epoch=row["sample"] + 1,
        input=input_messages,
        target=reference(problem),
        messages=[*input_messages, reply],
        output=output,
        scores=None if verdict is None else {"verified": score_of(verdict, policy)},
        metadata={"problem": problem.to_dict(), "subset": problem.name, "seed": row["seed"]},
    )


def _log(
    run: Run, model: str, task: str, logged: Iterable[EvalSample], rate: float | None
) -> EvalLog:
    logged_samples = list(logged)
    ids = list(dict.fromkeys(str(sample.id) for sample in logged_samples))
    sampling = run.manifest["identity"]["sampling"]
    identity = digest([run.manifest["created"], run.manifest["identity"], model, task])
    metrics = {} if rate is None else {"pass@1": EvalMetric(name="pass@1", value=rate)}
    return EvalLog(
        status="success",
        eval=EvalSpec(
            eval_id=identity,
            run_id=identity,
            task_id=identity,
            created=run.manifest["created"],
            task=f"calculus_harness/{task.replace('/', '_')}",
            dataset=EvalDataset(name=task, samples=len(ids), sample_ids=ids),
            model=run.labels[model],
            model_generate_config=GenerateConfig(
                temperature=sampling["temperature"],
                top_p=sampling["top_p"],
                max_tokens=sampling["max_tokens"],
            ),
            config=EvalConfig(epochs=max(sample.epoch for sample in logged_samples)),
        ),
        results=EvalResults(
            total_samples=len(logged_samples),
            completed_samples=len(logged_samples),
            scores=[EvalScore(name="verified", scorer="verified", metrics=metrics)],
        ),
        samples=logged_samples,
    )
