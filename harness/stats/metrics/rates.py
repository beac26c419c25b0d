"""Shares of samples without a usable answer, or with an undecided verdict."""

from __future__ import annotations

import math
from functools import partial

from ....rewards.verdict import Status
from ..tallies import Group
from .registry import metric

#: In addition to the verifier's statuses: stopped by a limit of tokens or time, declined by the
#: model, declined by the provider's content filter, and errors of the model or the verifier.
_ENDINGS = ("truncated", "refused", "filtered", "failed")
NAMES = (*map(str, Status), *_ENDINGS)


def rate(name: str, group: Group) -> float:
    return math.fsum(sums.get(name, 0) for sums in group.verdicts) / group.samples


for _heading, _name in (
    ("no answer", "no_answer"),
    ("unparseable", "unparseable"),
    ("not closed", "not_closed_form"),
    ("undecided", "undecided"),
    ("timeout", "timeout"),
    ("truncated", "truncated"),
    ("refused", "refused"),
    ("filtered", "filtered"),
    ("failed", "failed"),
):
    metric(
        _heading,
        direction="lower",
        shown="nonzero" if _name in ("not_closed_form", *_ENDINGS) else "always",
        column=_name,
    )(partial(rate, _name))
