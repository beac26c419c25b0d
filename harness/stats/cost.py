"""What answers cost: prices that the user states, times the tokens that the server counted.

A file of prices is TOML: for each model (a pattern of its spec, as in ``openai/gpt-*``; the first
that fits is taken) dollars per million tokens. Nothing is guessed: a model without a price, or
whose server does not count tokens, has no cost.

    ["openai/some-model*"]
    prompt = 1.25
    completion = 10.0
    cached = 0.125      # of the prompt's tokens, those that the server had ready; else as prompt
    reasoning = 10.0    # of the completion's tokens, those of the reasoning; else as completion
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.errors import UserError, suggest
from .metrics import Cost, Summary, Usage, usages

if TYPE_CHECKING:
    from ..store.run import Run


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars per million tokens of one model."""

    prompt: float
    completion: float
    cached: float | None = None
    reasoning: float | None = None

    def of(self, used: Usage | None) -> Cost | None:
        """What was spent; None where the tokens are not known."""
        if used is None or used.tokens_per_problem is None:
            return None
        cached = used.cached_tokens_per_problem or 0.0
        reasoning = used.reasoning_tokens_per_problem or 0.0
        dollars = (
            self.prompt * ((used.prompt_tokens_per_problem or 0.0) - cached)
            + (self.prompt if self.cached is None else self.cached) * cached
            + self.completion * (used.tokens_per_problem - reasoning)
            + (self.completion if self.reasoning is None else self.reasoning) * reasoning
        ) / 1e6
        return Cost(dollars, dollars * used.problems / used.solved if used.solved else None)


@dataclass(frozen=True)
class Prices:
    """The prices in a file, by pattern and in its order."""

    path: Path
    prices: dict[str, Price]

    @classmethod
    def read(cls, path: Path) -> Prices:
        try:
            entries = tomllib.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise UserError(f"cannot read {path}: {error.strerror}") from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise UserError(f"{path}: {error}") from None
        return cls(path, {pattern: _price(path, pattern, entries[pattern]) for pattern in entries})

    def find(self, spec: str) -> Price | None:
        return next((p for pattern, p in self.prices.items() if fnmatchcase(spec, pattern)), None)

    def without(self, specs: Iterable[str]) -> str:
        """A remark on the models that have no price; empty where all have one."""
        lacking = list(dict.fromkeys(spec for spec in specs if self.find(spec) is None))
        return f"{self.path} has no price for {', '.join(lacking)}." if lacking else ""


def _price(path: Path, pattern: str, entry: Any) -> Price:
    known = [item.name for item in fields(Price)]
    if not isinstance(entry, dict):
        raise UserError(f"{path}: a price is a table of a model, not {pattern} = {entry!r}")
    for name, value in entry.items():
        if name not in known:
            raise UserError(f"{path}: {pattern!r} has no price {name!r}; {suggest(name, known)}")
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e9:
            raise UserError(f"{path}: {pattern!r}: {name} must be dollars, not {value!r}")
    if lacking := [name for name in ("prompt", "completion") if name not in entry]:
        raise UserError(f"{path}: {pattern!r} lacks the price of {' and '.join(lacking)} tokens")
    return Price(**{name: float(value) for name, value in entry.items()})


def spec_of(run: Run, model: str) -> str:
    """The name by which a model was asked for, as in ``openai/gpt-5``."""
    entry = run.models[model]
    return str(entry["config"].get("spec", entry["label"]))


def with_costs(summary: Summary, run: Run, prices: Prices) -> Summary:
    """The summary with what each row cost."""
    rows = []
    for row in summary.rows:
        price = prices.find(spec_of(run, row.model))
        rows.append(replace(row, cost=price.of(row.usage) if price else None))
    lacking = prices.without(spec_of(run, model) for model in run.models)
    notes = (*summary.notes, lacking) if lacking else summary.notes
    return replace(summary, rows=tuple(rows), notes=notes)


def costs(run: Run, prices: Prices, policy: str | None = None) -> dict[str, Cost | None]:
    """What each model of a run cost, over all its problems."""
    found = {}
    for model, used in usages(run, policy).items():
        price = prices.find(spec_of(run, model))
        found[model] = price.of(used) if price else None
    return found
