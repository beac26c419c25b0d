"""How strictly answers are judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from ...rewards.version import VERSION

Method = Literal["balls", "published", "welleck"]


@dataclass(frozen=True, slots=True)
class Policy:
    """How strictly to judge; with the verifier's version it names a set of verdicts.

    Args:
        method: ``balls``, our verifier, or a published evaluator: ``published`` (AntiderivBench) or
            ``welleck`` (Welleck et al.).
        strict: take an answer only from a box.
        strict_domain: as in `rewards.verify_antiderivative`.
        require_continuous: as in `rewards.verify_antiderivative`.

    >>> Policy(strict=True).name.partition("-")[0]
    'balls'

    """

    method: Method = "balls"
    strict: bool = False
    strict_domain: bool = False
    require_continuous: bool = False

    @property
    def options(self) -> dict[str, Any]:
        """The fields by name, as the verifiers take them."""
        settings: dict[str, Any] = msgspec.to_builtins(self)
        return settings

    @property
    def name(self) -> str:
        """As in ``balls-1`` or ``balls-1-strict``: the method, its version, what is not default."""
        switches = [name for name, value in self.options.items() if value is True]
        return "-".join([self.method, VERSION, *switches])

    def to_dict(self) -> dict[str, Any]:
        """The fields and the verifier's version, as a manifest keeps them."""
        return self.options | {"verifier": VERSION}
