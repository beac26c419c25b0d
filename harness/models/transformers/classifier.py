"""Sequence classifiers of `run.py train encoder` as models with a label as the answer."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from ....benchmarks.derivations.sequences import SEPARATOR, without_sizes
from ....benchmarks.payloads import DerivationInputs, SequenceInputs
from ....benchmarks.problem import Problem
from ...core.errors import ModelError
from ...core.requests import Completion, FinishReason, Request
from .shared import BatchModel, device_of, import_module, load_error

PUBLISHED, CLEAN, QUOTED = "published", "clean", "quoted"
TEXTS = (PUBLISHED, CLEAN, QUOTED)


@dataclass(frozen=True, kw_only=True)
class Encoder(BatchModel):
    r"""An encoder with a classification head, from a directory of `run.py train encoder`.

    The encoder reads the problem's sequence and answers ``\boxed{0}`` or ``\boxed{1}``; prompt and
    sampling are ignored. ``text`` is the form of the sequence: ``published`` (also in training sets
    of `generate`), ``clean``, or ``quoted``, as in the released evaluation script, with quotes and
    thin spaces that the training data lack.
    """

    text: str = PUBLISHED
    max_tokens: int = 256

    example: ClassVar[str] = (
        "run.py sweep --model encoder/runs/encoder/model --benchmark derivations/step2"
    )

    def __post_init__(self) -> None:
        if self.text not in TEXTS:
            raise ValueError(f"text must be {', '.join(TEXTS[:-1])} or {TEXTS[-1]}")
        if self.batch_size < 1 or self.max_tokens < 2:
            raise ValueError("batch-size must be positive, max-tokens at least 2")
        if not (self._folder / "config.json").is_file():
            raise ModelError(f"model {self.spec}: there is no model in {self._folder}")

    @property
    def _folder(self) -> Path:
        return Path(self.name_in_spec)

    def _answer(self, requests: Sequence[Request]) -> list[Completion]:
        for request in requests:
            if not isinstance(request.problem.inputs, SequenceInputs):
                raise ModelError(
                    f"{self.spec} judges steps; it cannot do the task {request.problem.task!r}"
                )
        start = time.perf_counter()
        results = self._loaded([sequence_text(request.problem, self.text) for request in requests])
        latency = (time.perf_counter() - start) / len(requests)
        return [
            Completion.to(
                request,
                rf"\boxed{{{label}}}",
                finish_reason=FinishReason.STOP,
                logprob=logprob,
                prompt_tokens=tokens,
                latency=latency,
            )
            for request, (label, logprob, tokens) in zip(requests, results, strict=True)
        ]

    @cached_property
    def _loaded(self) -> _Classifier:
        return _Classifier(self)


def sequence_text(problem: Problem, text: str) -> str:
    """Return a problem's sequence in a form of `TEXTS`."""
    inputs = problem.inputs_as(SequenceInputs)
    if text == PUBLISHED:
        return inputs.sequence
    if text == CLEAN:
        return inputs.clean_sequence
    if not isinstance(inputs, DerivationInputs):
        raise ModelError("no evaluation script was released for the calculus task: no quoted text")
    return quoted_text(inputs)


def quoted_text(inputs: DerivationInputs) -> str:
    r"""The sequence in the form of the released evaluation script, with quotes and ``\,``."""
    steps = ", ".join(f"[{_items(name)}, '{equation}']" for name, equation in inputs.steps)
    annotation = inputs.annotation
    context = f"[{steps}]{SEPARATOR}{_items(annotation)}".replace("[[", "[").replace("]]", "]")
    thin = "\0"
    text = (context + SEPARATOR + inputs.equation).replace(r"\,", thin)
    return without_sizes(text).replace(thin, r"\,")


def _items(annotation: str) -> str:
    """``[add, 1, x]`` as ``['add', 1, 'x']``; ``premise`` as ``'premise'``."""
    inner = re.fullmatch(r"\[(.*)\]", annotation, re.DOTALL)
    if inner is None:
        return f"'{annotation}'"
    name, *operands = re.split(r", (?=\d+(?:, |$))|(?<=\d), ", inner[1], maxsplit=2)
    items = [
        f"'{name}'",
        *(operand if operand.isdigit() else f"'{operand}'" for operand in operands),
    ]
    return f"[{', '.join(items)}]"


class _Classifier:
    """A classifier with the tokenizer in memory."""

    def __init__(self, options: Encoder) -> None:
        self.torch = import_module("torch", "encoder")
        transformers = import_module("transformers", "encoder")
        self.device, self.length = device_of(options.device, self.torch), options.max_tokens
        try:
            folder = str(options._folder)
            self.tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
            self.model = transformers.AutoModelForSequenceClassification.from_pretrained(folder)
        except (OSError, ValueError) as error:
            raise load_error(options.spec, error) from None
        self.model = self.model.to(self.device).eval()

    def __call__(self, texts: Sequence[str]) -> list[tuple[int, float, int]]:
        """Return each text's likelier label, the log-probability in nats, and the token count."""
        tokens = self.tokenizer(
            list(texts), truncation=True, max_length=self.length, padding=True, return_tensors="pt"
        ).to(self.device)
        with self.torch.inference_mode():
            log_probabilities = self.model(**tokens).logits.double().log_softmax(dim=-1)
        best, labels = log_probabilities.max(dim=-1)
        counts = tokens["attention_mask"].sum(dim=-1)
        return list(zip(labels.tolist(), best.tolist(), counts.tolist(), strict=True))
