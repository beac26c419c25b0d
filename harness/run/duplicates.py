"""Detection of identical samples, for example from a server that ignores the seed."""

from __future__ import annotations

import hashlib

from ..core.requests import Completion

#: The number and the share of problems with identical samples from which on there is a warning: a
#: model that is sure may well repeat itself.
PROBLEMS, SHARE = 3, 0.5


class DuplicateSamples:
    """Counts the problems whose samples are all the same text."""

    def __init__(self) -> None:
        self._first: dict[str, bytes] = {}
        self._same: dict[str, bool] = {}

    def add(self, completion: Completion) -> None:
        """Count a sample."""
        if not completion.text:
            return
        text = hashlib.blake2b(completion.text.encode(), digest_size=8).digest()
        first_text = self._first.setdefault(completion.problem, text)
        if completion.problem in self._same or first_text is not text:
            same = self._same.get(completion.problem, True)
            self._same[completion.problem] = same and first_text == text

    def warning(self) -> str:
        """A warning, or an empty text."""
        copies = sum(self._same.values())
        if copies < PROBLEMS or copies < SHARE * len(self._same):
            return ""
        return (
            f"on {copies} of {len(self._same)} problems all samples are the same text: the model "
            "or its server may ignore the seed; pass@k then counts one sample k times"
        )
