"""Errors that a user can fix. Each error has a clear message with a remedy.

The command line prints any `UserError` and exits with status 2. Every error of this tree is a
`ValueError`:

* UserError
  x UnknownNameError                a name that no registry has
  x MissingExtraError               an optional package is not installed
  x ArgumentTypeError               an argument of a wrong type
  x ProblemError                    an integrand or target that cannot be used (also in `rewards`)
  x NoCertificateError              a verdict without a certificate (also in `rewards`)
  x in `harness.core.errors`:
    - RunError                      a run directory that cannot be used as asked
    - ModelError                    a model that cannot be reached or set up
  x in `benchmarks`:
    - UnknownBenchmarkError         no such benchmark or subset
    - ProblemFileError              a file of problems that cannot be read
    - AugmentationError             no augmented problems can be made
    - DerivationError               no derived problem can be made
    - NoExampleError                no derivation fits the request
  x in `prompts`:
    - PromptError                   a template that cannot be used

A model's text never raises an error. If the text is at fault, the `Verdict` has a `Status` for
the fault. Errors of the verifier's workers are in `rewards.workers.errors`, and errors of the LaTeX
reader are in `rewards.reading.latex.errors`.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit


class UserError(ValueError):
    """An error that the user can fix. The command line prints the message and exits with status 2.

    Example:
        >>> from calculus_harness.rewards import ProblemError
        >>> issubclass(ProblemError, UserError)
        True

    """


class UnknownNameError(UserError):
    """A name that is in no registry."""


class ArgumentTypeError(UserError, TypeError):
    """An argument of a public function has a wrong type."""


class MissingExtraError(UserError, ImportError):
    """An optional package is not installed. The message has the command for installation."""


class ProblemError(UserError):
    """The problem cannot be used, whatever the answer: an unreadable integrand, a wrong variable.

    Example:
        >>> from calculus_harness.rewards import verify_antiderivative
        >>> verify_antiderivative("x", "t^2", variable="x")
        Traceback (most recent call last):
        ...
        calculus_harness.rewards.errors.ProblemError: the integrand is in t, but the variable is x

    """


class NoCertificateError(UserError):
    """A verdict has no certificate. The message says what the verdict rests on.

    Example:
        >>> from calculus_harness.rewards import certify
        >>> certify("no answer", "2x")
        Traceback (most recent call last):
        ...
        calculus_harness.rewards.errors.NoCertificateError: ...

    """


def install(extra: str) -> str:
    """The command that installs an extra. The command depends on the installation of the package.

    Args:
        extra: the name of the extra in ``pyproject.toml``.

    Returns:
        The command.

    >>> install("openai").endswith("[openai]'")
    True

    """
    checkout = Path(__file__).resolve().parents[1]
    if (checkout / "pyproject.toml").is_file():
        # Without --editable, a copy would replace what the clone holds.
        return f"pip install --editable '{'.' if checkout == Path.cwd() else checkout}[{extra}]'"
    return f"pip install '{_wheel() or 'calculus-harness'}[{extra}]'"


def _wheel() -> str | None:
    """The wheel file of the package's installation by pip, or None without a wheel file."""
    try:
        noted = distribution("calculus-harness").read_text("direct_url.json")
    except PackageNotFoundError:
        return None
    address = urlsplit(json.loads(noted)["url"]) if noted else None
    return unquote(address.path) if address and address.scheme == "file" else None


def require_extra(what: str, extra: str, *packages: str) -> None:
    """Raise `MissingExtraError` if a package is not installed.

    Args:
        what: the feature with this requirement, for the message.
        extra: the extra with the packages.
        packages: the names of the packages.

    Raises:
        MissingExtraError: a package is missing.

    """
    missing = [name for name in packages if not _installed(name)]
    if missing:
        raise MissingExtraError(
            f"{what} needs {' and '.join(missing)}, of the extra '{extra}': {install(extra)}"
        )


def _installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ValueError:  # it is None in sys.modules, so that it cannot be imported
        return False


def suggest(name: str, choices: Iterable[str]) -> str:
    """Name similar choices, as the end of an error message about an unknown name.

    Args:
        name: the unknown name.
        choices: all existing names.

    Returns:
        The names with a similar spelling. If no name is similar, all names.

    >>> suggest("labl", ["label", "value"])
    "did you mean 'label'?"

    """
    choices = sorted(choices)
    near = difflib.get_close_matches(name, choices, n=3)
    if near:
        return f"did you mean {' or '.join(map(repr, near))}?"
    return f"known: {', '.join(choices)}"
