"""How strictly answers are judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import msgspec

from ...rewards.arguments import (
    ACCEPTANCES,
    METHODS,
    Acceptance,
    Method,
    check_choice,
    check_switches,
)
from ...rewards.records import Record
from ...rewards.verdict import version_of
from .errors import UserError

AnswerFormat = Literal["latex", "prefix"]
#: Values that a policy's name leaves out, for the names of earlier stored verdicts.
_USUAL = (None, "latex", "agreement")


@dataclass(frozen=True, slots=True)
class Policy(Record):
    """The strictness of judging; with the verifier's version, the policy names a set of verdicts.

    Args:
        method: ``balls``, our verifier, or a published evaluator: ``published`` (AntiderivBench) or
            ``welleck`` (Welleck et al.).
        strict: take an answer only from a box.
        strict_domain: as in `rewards.verify_antiderivative`.
        require_continuous: as in `rewards.verify_antiderivative`.
        accept: as in `rewards.verify_antiderivative`; ``proof`` counts only proved answers. Labels
            and integers are compared exactly.
        deadline: seconds for an answer; None for the method's default.
        answer_format: ``latex``, or ``prefix`` for completions that consist of prefix tokens of
            Lample and Charton.

    Raises:
        UserError: a published evaluator is to respect domains, which it ignores.
        UnknownNameError: the method is unknown.
        ArgumentTypeError: a switch is neither true nor false.

    >>> Policy(strict=True).name.partition("-")[0]
    'balls'

    """

    computed: ClassVar[tuple[str, ...]] = ("verifier",)

    method: Method = "balls"
    strict: bool = False
    strict_domain: bool = False
    require_continuous: bool = False
    accept: Acceptance = "agreement"
    deadline: Annotated[float, msgspec.Meta(gt=0)] | None = None
    answer_format: AnswerFormat = "latex"

    def __post_init__(self) -> None:
        check_choice("method", self.method, METHODS)
        check_choice("accept", self.accept, ACCEPTANCES)
        check_switches(
            strict=self.strict,
            strict_domain=self.strict_domain,
            require_continuous=self.require_continuous,
        )
        if self.method != "balls":
            if self.accept == "proof":
                raise UserError(f"the method {self.method} proves nothing; leave out accept=proof")
            for name in ("strict_domain", "require_continuous"):
                if getattr(self, name):
                    raise UserError(
                        f"{name.replace('_', '-')} has no effect with the method {self.method}, "
                        "which ignores domains; leave it out"
                    )

    def to_dict(self) -> dict[str, Any]:
        """The fields with unusual values, and the verifier's version.

        Returns:
            A JSON-serialisable dictionary.

        """
        row = Record.to_dict(self)
        return {name: value for name, value in row.items() if value not in _USUAL}

    @property
    def options(self) -> dict[str, Any]:
        """The fields by name, as arguments of the verifiers of LaTeX."""
        settings: dict[str, Any] = msgspec.to_builtins(self)
        del settings["answer_format"]
        return settings

    @property
    def name(self) -> str:
        """The method, its version, and the settings other than the defaults, as in
        ``balls-1-strict``.
        """
        switches = [name for name, value in self.options.items() if value is True]
        if self.accept != "agreement":
            switches.append(self.accept)
        if self.deadline is not None:
            switches.append(f"deadline{self.deadline:g}")
        if self.answer_format != "latex":
            switches.append(self.answer_format)
        return "-".join([self.method, self.verifier, *switches])

    @property
    def verifier(self) -> str:
        """The version of the method's verdicts."""
        return version_of(self.method)
