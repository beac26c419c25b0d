"""The completions in a log of inspect_ai as a model: `inspect/LOG.eval`."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from ..core.errors import ModelError, needing
from ..core.requests import Completion, FinishReason, Request, digest, problem_key
from .base import Capability, Model

_REASONS = {
    "max_tokens": FinishReason.LENGTH,
    "model_length": FinishReason.LENGTH,
    "content_filter": FinishReason.CONTENT_FILTER,
}


@dataclass(frozen=True, kw_only=True)
class InspectLog(Model):
    """The completions in a log of inspect_ai, by sample id and epoch, for grading and storage here.

    A sample's id is the problem's key, as in our tasks and in `export --to inspect`, or the
    problem's id. Epochs are samples. Prompt and sampling are ignored.
    """

    example: ClassVar[str] = "run.py sweep --model inspect/logs/x.eval --benchmark bee/competition"

    def __post_init__(self) -> None:
        _ = self._log

    @property
    def capabilities(self) -> frozenset[Capability]:
        return frozenset(Capability) - {Capability.SCORING, Capability.LOGPROBS}

    @property
    def config(self) -> dict[str, Any]:
        """The evaluation of the log, without the log's path."""
        evaluation = self._log.eval
        source = digest([evaluation.eval_id, evaluation.created, evaluation.task])
        return {"kind": "inspect", "of": evaluation.model, "source": source}

    @cached_property
    def _log(self) -> Any:
        path = Path(self.name_in_spec)
        with needing(f"model {self.spec} needs the extra `inspect`", "inspect", ModelError):
            from inspect_ai.log import read_eval_log
        if not path.is_file():
            raise ModelError(f"model {self.spec}: there is no file {path}")
        try:
            return read_eval_log(str(path))
        except Exception as error:  # whatever a damaged file makes of it
            reason = " ".join(f"{type(error).__name__}: {error}".split())[:200]
            raise ModelError(f"model {self.spec}: no log of inspect_ai ({reason})") from None

    @cached_property
    def _samples(self) -> dict[tuple[str, int], Any]:
        return {(str(sample.id), sample.epoch - 1): sample for sample in self._log.samples or ()}

    async def complete(self, requests: AsyncIterator[Request]) -> AsyncGenerator[Completion, None]:
        async for request in requests:
            key = problem_key(request.problem)
            for sample in request.samples:
                logged = self._samples.get((key, sample))
                logged = logged or self._samples.get((request.problem.id, sample))
                if logged is None:
                    raise ModelError(
                        f"model {self.spec}: the log has no epoch {sample + 1} of {key}; ask for "
                        "no more problems or samples than it has"
                    )
                yield _completion(request, sample, logged)


def _completion(request: Request, sample: int, logged: Any) -> Completion:
    if logged.error is not None:
        detail = logged.error.message[:500]
        return Completion.to(
            request, "", sample=sample, finish_reason=FinishReason.ERROR, detail=detail
        )
    output = logged.output
    usage = output.usage
    reasoning = ""
    if output.choices and not isinstance(content := output.choices[0].message.content, str):
        reasoning = "".join(
            content_part.reasoning for content_part in content if content_part.type == "reasoning"
        )
    return Completion.to(
        request,
        output.completion,
        sample=sample,
        reasoning=reasoning,
        finish_reason=_REASONS.get(output.stop_reason, FinishReason.STOP),
        prompt_tokens=usage.input_tokens if usage else None,
        completion_tokens=usage.output_tokens if usage else None,
        reasoning_tokens=usage.reasoning_tokens if usage else None,
        latency=round(output.time or 0.0, 3),
    )
