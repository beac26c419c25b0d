"""Skipped tests, slow tests, and settings of all tests."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import sys
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings

# Every core has a test of its own: threads of a matrix product wait for each other for nothing.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Compiled modules are kept, also where the environment says otherwise (as in many containers): each
# of hundreds of processes would compile everything again.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# The same examples every time, so that a green commit stays green; HYPOTHESIS_PROFILE=thorough
# draws more of them, and HYPOTHESIS_PROFILE=search new ones.
settings.register_profile("few", derandomize=True, deadline=None, max_examples=25)
settings.register_profile("thorough", derandomize=True, deadline=None)
settings.register_profile("search", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "few"))

#: Marker -> the module that must be there, and how to get it.
EXTRAS = {
    "data": ("datasets", "pip install 'calculus-harness[data]'"),
    "published": ("latex2sympy2_extended", "pip install 'calculus-harness[published]'"),
    "images": ("sklearn", "pip install 'calculus-harness[images]'"),
    "plots": ("matplotlib", "pip install 'calculus-harness[plots]'"),
    "openai": ("openai", "pip install 'calculus-harness[openai]'"),
    "litellm": ("litellm", "pip install 'calculus-harness[litellm]'"),
    "alkahest": ("alkahest", "pip install 'calculus-harness[alkahest]'"),
    "vllm": ("vllm", "pip install 'calculus-harness[vllm]'"),
    "train": ("trl", "pip install 'calculus-harness[train]'"),
    "ray": ("ray", "pip install 'calculus-harness[ray]'"),
    "inspect": ("inspect_ai", "pip install 'calculus-harness[inspect]'"),
    "lmeval": ("lm_eval", "pip install 'calculus-harness[lm-eval]'"),
    "verifiers": ("verifiers", "pip install 'calculus-harness[verifiers]'"),
    "serve": ("ijson", "pip install 'calculus-harness[serve]'"),
    "skyrl": ("skyrl_gym", "pip install 'calculus-harness[skyrl]'"),
    "openenv": ("openenv", "pip install 'calculus-harness[openenv]'"),
}


#: Tests that start clusters, trainers or browsers are slow.
SLOW = {"browser", "ray", "train"}
#: A module all of whose tests are slow.
ALL_SLOW = re.compile(r"^pytestmark = .*\bmark\.(browser|ray|slow|train)\b", re.MULTILINE)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Fast tests import no module whose tests are all slow: many load torch or Ray."""
    if "not slow" not in config.option.markexpr or collection_path.suffix != ".py":
        return None
    return bool(ALL_SLOW.search(collection_path.read_text(encoding="utf-8"))) or None


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their markers
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        markers = {marker.name for marker in item.iter_markers()}
        if markers & SLOW:
            item.add_marker(pytest.mark.slow)
        for marker in markers & EXTRAS.keys():
            module, remedy = EXTRAS[marker]
            if not installed(module):
                reason = f"needs the extra {marker!r} ({remedy})"
                item.add_marker(pytest.mark.skip(reason=reason))
        if "browser" in markers and not chromium():
            item.add_marker(pytest.mark.skip(reason="needs headless Chromium on the PATH"))


@cache
def installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


@cache
def chromium() -> str | None:
    names = ("chromium", "chromium-browser", "google-chrome")
    return next(filter(None, map(shutil.which, names)), None)
