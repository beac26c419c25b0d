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
from dataclasses import dataclass, fields
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from .errors import UserError, read_file, suggest


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars per million tokens of one model.

    Attributes:
        prompt: of the prompt's tokens.
        completion: of the completion's tokens.
        cached: of the prompt's tokens that the server had ready; by default as ``prompt``.
        reasoning: of the reasoning's tokens; by default as ``completion``.

    """

    prompt: float
    completion: float
    cached: float | None = None
    reasoning: float | None = None

    def dollars(
        self, prompt: float, completion: float, cached: float = 0.0, reasoning: float = 0.0
    ) -> float:
        """The price of tokens; the prompt's include ``cached``, the completion's ``reasoning``."""
        return (
            self.prompt * (prompt - cached)
            + (self.prompt if self.cached is None else self.cached) * cached
            + self.completion * (completion - reasoning)
            + (self.completion if self.reasoning is None else self.reasoning) * reasoning
        ) / 1e6


@dataclass(frozen=True)
class Prices:
    """The prices in a file, by pattern and in its order.

    Attributes:
        path: the file.
        prices: price by pattern of a model's spec; the first that fits is taken.

    >>> prices = Prices(Path("prices.toml"), {"openai/*": Price(prompt=1.25, completion=10.0)})
    >>> prices.find("openai/gpt-5").dollars(prompt=1000, completion=500)
    0.00625

    """

    path: Path
    prices: dict[str, Price]

    @classmethod
    def read(cls, path: Path) -> Prices:
        """Read a file of prices.

        Args:
            path: a TOML file; the module describes it.

        Returns:
            The prices.

        Raises:
            UserError: the file cannot be read, or is no file of prices.

        """
        entries = read_file(path, tomllib.loads, tomllib.TOMLDecodeError)
        return cls(path, {pattern: _price(path, pattern, entries[pattern]) for pattern in entries})

    def find(self, spec: str) -> Price | None:
        """The price of a model.

        Args:
            spec: the model's spec.

        Returns:
            The price, if there is one.

        """
        return next((p for pattern, p in self.prices.items() if fnmatchcase(spec, pattern)), None)

    def without(self, specs: Iterable[str]) -> str:
        """A remark on the models that have no price; empty where all have one.

        Args:
            specs: the specs of models.

        Returns:
            The remark.

        """
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
