r"""Benchmarks, a verifier and rewards for language models that do calculus.

>>> import calculus_harness as ch
>>> ch.verify_antiderivative(r"\boxed{\sin(x^2) + C}", r"2x\cos(x^2)").correct
True

`calculus_harness.harness` asks models and counts, `calculus_harness.rewards` judges answers,
`calculus_harness.benchmarks` has the problems and `calculus_harness.prompts` the templates. In a
checkout these four are folders beside this one, to which the links here point. The public names of
the first two are here, too; each is imported when it is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .harness import *
    from .harness.integrations import *
    from .rewards import *

#: `CalculusTaskset` is in the second, because verifiers looks for a taskset here.
_PACKAGES = (".harness", ".harness.integrations", ".rewards")


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return sorted(
            {name for home in _PACKAGES for name in import_module(home, __name__).__all__}
        )
    for home in _PACKAGES if not name.startswith("_") else ():
        package = import_module(home, __name__)
        if name in package.__all__:
            return getattr(package, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__getattr__("__all__"))
