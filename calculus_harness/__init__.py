r"""Benchmarks, a verifier and rewards for language models that do calculus.

>>> import calculus_harness as ch
>>> ch.verify_antiderivative(r"\boxed{\sin(x^2) + C}", r"2x\cos(x^2)").correct
True

`calculus_harness.harness` asks models and counts, `calculus_harness.rewards` judges answers,
`calculus_harness.benchmarks` has the problems and `calculus_harness.prompts` the templates. In a
checkout these four are folders beside this one, to which the links here point.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .harness import (
        Capability,
        Completion,
        FinishReason,
        Model,
        Policy,
        Prices,
        Request,
        Run,
        Sampling,
        SweepSpec,
        UserError,
        ask_each,
        compare,
        plan,
        print_comparison,
        print_summary,
        register,
        run_phases,
        score,
        summarise,
        sweep,
        to_pandas,
    )
    from .harness.integrations.for_verifiers import CalculusTaskset
    from .rewards import (
        Evidence,
        ProblemError,
        Status,
        Verdict,
        Witness,
        averify_many,
        verify_antiderivative,
        verify_equivalent,
        verify_integer,
        verify_label,
        verify_many,
        verify_value,
    )

#: Public name -> the package that it comes from, which is imported when the name is used.
_PACKAGES = {
    ".harness": (
        "Capability Completion FinishReason Model Policy Prices Request Run Sampling SweepSpec "
        "UserError ask_each compare plan print_comparison print_summary register run_phases score "
        "summarise sweep to_pandas"
    ),
    ".harness.integrations": "CalculusTaskset",  # verifiers looks for a taskset here
    ".rewards": (
        "Evidence ProblemError Status Verdict Witness averify_many verify_antiderivative "
        "verify_equivalent verify_integer verify_label verify_many verify_value"
    ),
}
_HOMES = {name: package for package, names in _PACKAGES.items() for name in names.split()}

__all__ = [
    "CalculusTaskset",
    "Capability",
    "Completion",
    "Evidence",
    "FinishReason",
    "Model",
    "Policy",
    "Prices",
    "ProblemError",
    "Request",
    "Run",
    "Sampling",
    "Status",
    "SweepSpec",
    "UserError",
    "Verdict",
    "Witness",
    "ask_each",
    "averify_many",
    "compare",
    "plan",
    "print_comparison",
    "print_summary",
    "register",
    "run_phases",
    "score",
    "summarise",
    "sweep",
    "to_pandas",
    "verify_antiderivative",
    "verify_equivalent",
    "verify_integer",
    "verify_label",
    "verify_many",
    "verify_value",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name], __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
