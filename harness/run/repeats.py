"""Noticing that a model says the same every time, as where a server ignores the seed."""

from __future__ import annotations

import hashlib

from ..core.requests import Completion

#: So many problems must have nothing but copies, and be so large a share, before it is remarked:
#: a sure model may well say the same thing twice.
PROBLEMS, SHARE = 3, 0.5


class Repeats:
    """Counts, problem by problem, whether all samples seen are the same text."""

    def __init__(self) -> None:
        self._first: dict[str, bytes] = {}
        self._same: dict[str, bool] = {}

    def see(self, completion: Completion) -> None:
        if not completion.text:
            return
        text = hashlib.blake2b(completion.text.encode(), digest_size=8).digest()
        first = self._first.setdefault(completion.problem, text)
        if completion.problem in self._same or first is not text:
            same = self._same.get(completion.problem, True)
            self._same[completion.problem] = same and first == text

    def remark(self) -> str:
        """A sentence for the user, or an empty one."""
        copies = sum(self._same.values())
        if copies < PROBLEMS or copies < SHARE * len(self._same):
            return ""
        return (
            f"on {copies} of {len(self._same)} problems all samples are the same text: the model "
            "or its server may ignore the seed; pass@k then counts one sample k times"
        )
