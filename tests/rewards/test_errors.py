"""A single base class for all errors with a fix by the user."""

from __future__ import annotations

import re

import pytest

from calculus_harness.benchmarks import UnknownBenchmarkError
from calculus_harness.benchmarks.bee.augmented import AugmentationError
from calculus_harness.benchmarks.brittleness import DerivationError
from calculus_harness.benchmarks.derivations.examples import NoExampleError
from calculus_harness.benchmarks.files.table import ProblemFileError
from calculus_harness.harness.core import errors as core
from calculus_harness.prompts import PromptError
from calculus_harness.rewards import ProblemError, UserError, errors

ERRORS = [
    errors.ArgumentTypeError,
    errors.MissingExtraError,
    errors.NoCertificateError,
    errors.UnknownNameError,
    ProblemError,
    core.RunError,
    core.ModelError,
    UnknownBenchmarkError,
    ProblemFileError,
    AugmentationError,
    DerivationError,
    NoExampleError,
    PromptError,
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.__name__)
def test_every_error_of_the_tree_is_a_user_error(error: type[Exception]) -> None:
    assert issubclass(error, UserError)
    assert issubclass(error, ValueError)


def test_the_docstring_shows_the_tree() -> None:
    drawn = set(re.findall(r"\w+Error\b", (errors.__doc__ or "").split("\n\n")[2]))
    assert drawn == {error.__name__ for error in ERRORS} | {"UserError"}


def test_the_names_of_the_core_are_the_same_classes() -> None:
    assert core.UserError is UserError
    assert core.suggest is errors.suggest
