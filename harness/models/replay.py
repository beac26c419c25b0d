"""The completions of another run as a model: `replay/RUN`."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from ..core.errors import ModelError, suggest
from ..core.requests import Completion, Request, digest, problem_key
from ..store.log.reader import LogReader
from ..store.log.shards import Place, Row
from ..store.run import Run
from .base import Capability, Model

#: The number of cached blocks of a compressed log, each of a quarter of a megabyte of text.
CACHED_BLOCKS = 64


@dataclass(frozen=True, kw_only=True)
class Replay(Model):
    """The completions of an earlier run, by problem, sample and stage, for new grading.

    ``model`` is the label of a model of the run, if there are several. Prompt and sampling are
    ignored. An extended run is still the same model.
    """

    model: str = ""

    example: ClassVar[str] = "run.py sweep --model replay/runs/demo --benchmark bee --limit 40"

    def __post_init__(self) -> None:
        _ = self._source

    @property
    def capabilities(self) -> frozenset[Capability]:
        return frozenset(Capability) - {Capability.SCORING}

    @property
    def deterministic(self) -> bool:
        return bool(self._run.models[self._source].get("deterministic"))

    @property
    def config(self) -> dict[str, Any]:
        """The replayed run, without the path."""
        manifest, chosen = self._run.manifest, self._source
        return {
            "kind": "replay",
            "of": manifest["models"][chosen]["label"],
            "source": digest([manifest["created"], manifest["identity"], chosen]),
        }

    @cached_property
    def _run(self) -> Run:
        return Run(Path(self.name_in_spec))

    @cached_property
    def _source(self) -> str:
        """The hash of the model whose completions are replayed."""
        labels = {entry["label"]: model for model, entry in self._run.models.items()}
        if not labels:
            raise ModelError(f"model {self.spec}: that run has asked no model")
        if not self.model and len(labels) == 1:
            return next(iter(labels.values()))
        if self.model not in labels:
            hint = suggest(self.model, labels) if self.model else f"known: {', '.join(labels)}"
            raise ModelError(f"model {self.spec}: -M model=LABEL says which one; {hint}")
        return labels[self.model]

    @cached_property
    def _positions(self) -> dict[tuple[str, int, str], Place]:
        return {
            (row["problem"], row["sample"], row["stage"]): position
            for position, row in self._run.completions.heads({"model": self._source.__eq__})
        }

    async def complete(self, requests: AsyncIterator[Request]) -> AsyncGenerator[Completion, None]:
        rows = _RowCache(self._run.completions)
        async for request in requests:
            key = problem_key(request.problem)
            stored = self._run.problems.get(key)
            if stored is not None and stored.content_hash != request.problem.content_hash:
                raise ModelError(f"model {self.spec}: that run has another problem {key}")
            for sample in request.samples:
                position = self._positions.get((key, sample, request.stage))
                if position is None:
                    raise ModelError(
                        f"model {self.spec}: that run has no sample {sample} of {key} "
                        f"(stage {request.stage}); ask for no more problems or samples than it has"
                    )
                completion = Completion.from_dict(rows.read(position))
                yield replace(completion, model=request.model, request=request.hash)


class _RowCache:
    """Reads rows of a log, with a cache of blocks."""

    def __init__(self, log: LogReader) -> None:
        self._log = log
        self._blocks: dict[tuple[int, int], dict[Place, Row]] = {}

    def read(self, position: Place) -> Row:
        if position.line is None:
            return self._log.read(position)
        block = self._blocks.get((position.shard, position.offset))
        if block is None:
            while len(self._blocks) >= CACHED_BLOCKS:
                del self._blocks[next(iter(self._blocks))]
            block = self._blocks[position.shard, position.offset] = self._log.block(position)
        return block[position]
