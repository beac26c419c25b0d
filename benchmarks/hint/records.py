"""Records as in HINT's release, a row of JSON for each expression, checked against our values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .pools import GREEK, folder_of
from .semantics import Expression, GrammarError, parse
from .splits import SPLITS, TRAIN_OPERATORS, TRAIN_VALUE

_FIELDS = ("id", "img_paths", "expr", "head", "res", "res_all")


class RecordError(ValueError):
    """A row that is no record, or contradicts the semantics; the message lists the faults."""


@dataclass(frozen=True, slots=True)
class HintRecord:
    """A row of the release.

    Attributes:
        id: As in ``test_00000012``.
        expression: The expression with tree and values.
        img_paths: A picture for each token, ``FOLDER/NAME``.
        split: ``I``, ``SS``, ``LS``, ``SL`` or ``LL``; None in a training set.

    """

    id: str
    expression: Expression
    img_paths: tuple[str, ...]
    split: str | None = None

    def to_row(self) -> dict[str, Any]:
        """The row in the form of the release, for `from_row`."""
        row: dict[str, Any] = {
            "id": self.id,
            "img_paths": self.img_paths,
            "expr": self.expression.text,
            "head": self.expression.head,
            "res": self.expression.value,
            "res_all": self.expression.values,
        }
        return row if self.split is None else row | {"eval": self.split}

    def to_completion(self) -> dict[str, str]:
        """The prompt and the completion that the release's notebook for fine-tuning writes.

        >>> HintRecord("a", parse("6*(5-2)"), ()).to_completion()
        {'prompt': '6 * ( 5 - 2 ) =', 'completion': '1 8 END'}

        """
        digits = " ".join(str(self.expression.value))
        return {"prompt": " ".join(self.expression.text) + " =", "completion": digits + " END"}


def from_row(row: Any) -> HintRecord:
    """Read and check a row of the release.

    Args:
        row: An object with ``id``, ``img_paths``, ``expr``, ``head``, ``res``, ``res_all`` and, for
            validation and test, ``eval``; other fields are left alone.

    Returns:
        The record.

    Raises:
        RecordError: If a field is missing, the expression is outside the grammar or undefined, or
            a field differs from what the expression determines.

    """
    if not isinstance(row, Mapping):
        raise RecordError("not a JSON object")
    # Faults of form end the reading at once, as no expression can be checked.
    missing = [name for name in _FIELDS if name not in row]
    if missing:
        raise RecordError(f"no {', '.join(missing)}")
    if not isinstance(row["expr"], str | list) or not row["expr"]:
        raise RecordError("expr is neither a text nor a list of symbols")
    try:
        expression = parse(row["expr"])
    except (GrammarError, TypeError) as error:
        raise RecordError(f"expr: {error}") from None
    # Faults of content are collected: a message with all contradictions saves repeated runs.
    wrong = []
    if expression.value is None:
        wrong.append("the expression is undefined")
    for name, ours in (
        ("res", expression.value),
        ("head", list(expression.head)),
        ("res_all", list(expression.values)),
    ):
        if not _same(row[name], ours):
            wrong.append(f"{name} is {str(row[name])[:60]}, not {str(ours)[:60]}")
    wrong += _wrong_pictures(row["img_paths"], expression.text)
    wrong += _wrong_split(row.get("eval"), expression)
    if wrong:
        raise RecordError("; ".join(wrong))
    return HintRecord(str(row["id"]), expression, tuple(row["img_paths"]), row.get("eval"))


def _same(row: Any, ours: Any) -> bool:
    """Equality that tells True from 1 and 5.0 from 5."""
    if isinstance(ours, list):
        return isinstance(row, Sequence) and len(row) == len(ours) and all(map(_same, row, ours))
    return type(row) is type(ours) and row == ours


def _wrong_pictures(paths: Any, text: str) -> list[str]:
    if not isinstance(paths, Sequence) or not all(isinstance(path, str) for path in paths):
        return ["img_paths is no list of texts"]
    if len(paths) != len(text):
        return [f"{len(paths)} pictures for {len(text)} tokens"]
    for position, (path, symbol) in enumerate(zip(paths, text, strict=True)):
        if path.partition("/")[0] not in (folder_of(symbol), GREEK.get(symbol)):
            return [f"picture {position}, {path[:60]!r}, is not of {symbol!r}"]
    return []


def _wrong_split(split: Any, expression: Expression) -> list[str]:
    if split is None:
        return []
    if split not in SPLITS:
        return [f"eval is {str(split)[:20]!r}, none of {', '.join(SPLITS)}"]
    short = len(expression.operators) <= TRAIN_OPERATORS
    small = expression.largest <= TRAIN_VALUE
    size = f"{len(expression.operators)} operators and values up to {expression.largest}"
    if (split == "I" and not (short and small)) or (
        split != "I" and split != ("S" if short else "L") + ("S" if small else "L")
    ):
        return [f"eval is {split}, but there are {size}"]
    return []
