"""Costs of answers: prices from a user's file, times the tokens that the server counted.

A file of prices is TOML, with dollars per million tokens for each model (a pattern of the spec, as
in ``openai/gpt-*``; the first match counts). Without a price or without token counts, a model has
no cost. For example::

    ["openai/some-model*"]
    prompt = 1.25
    completion = 10.0
    cached = 0.125    # prompt tokens from the server's cache; by default as prompt
    reasoning = 12.5  # completion tokens of the reasoning; by default as completion
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
    """Dollars per million tokens of a model.

    Attributes:
        prompt: the price of prompt tokens.
        completion: the price of completion tokens.
        cached: the price of prompt tokens from the server's cache; by default as ``prompt``.
        reasoning: the price of reasoning tokens; by default as ``completion``.

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
    """The prices in a file, by pattern, in the file's order.

    Attributes:
        path: the file.
        prices: the price by pattern of a model's spec; the first match counts.

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
            path: a TOML file in the format of this module's docstring.

        Returns:
            The prices.

        Raises:
            UserError: the file cannot be read, or is not a file of prices.

        """
        entries = read_file(path, tomllib.loads, tomllib.TOMLDecodeError)
        return cls(path, {pattern: _price(path, pattern, entries[pattern]) for pattern in entries})

    def find(self, spec: str) -> Price | None:
        """The price of a model.

        Args:
            spec: the model's spec.

        Returns:
            The price, or None if unknown.

        """
        return next((p for pattern, p in self.prices.items() if fnmatchcase(spec, pattern)), None)

    def without(self, specs: Iterable[str]) -> str:
        """A remark on the models without a price; empty if all models have prices.

        Args:
            specs: the specs of models.

        Returns:
            The remark.

        """
        lacking = list(dict.fromkeys(spec for spec in specs if self.find(spec) is None))
        return f"{self.path} has no price for {', '.join(lacking)}." if lacking else ""


def _price(path: Path, pattern: str, entry: Any) -> Price:
    names = [item.name for item in fields(Price)]
    if not isinstance(entry, dict):
        raise UserError(f"{path}: a price is a table of a model, not {pattern} = {entry!r}")
    for name, value in entry.items():
        if name not in names:
            raise UserError(f"{path}: {pattern!r} has no price {name!r}; {suggest(name, names)}")
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e9:
            raise UserError(f"{path}: {pattern!r}: {name} must be dollars, not {value!r}")
    if lacking := [name for name in ("prompt", "completion") if name not in entry]:
        raise UserError(f"{path}: {pattern!r} lacks the price of {' and '.join(lacking)} tokens")
    return Price(**{name: float(value) for name, value in entry.items()})
