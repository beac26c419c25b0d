"""Tests of an extra that is not installed are skipped, with the reason."""

from __future__ import annotations

import importlib.util
import os
import shutil

import pytest
from hypothesis import settings

# Every core has a test of its own: threads of a matrix product wait for each other for nothing.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# The same examples every time, so that a green commit stays green; HYPOTHESIS_PROFILE=search draws
# new ones, to look for more.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("search", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))

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
    "serve": ("aiohttp", "pip install 'calculus-harness[serve]'"),
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        for marker, (module, remedy) in EXTRAS.items():
            if item.get_closest_marker(marker) and importlib.util.find_spec(module) is None:
                reason = f"needs the extra {marker!r} ({remedy})"
                item.add_marker(pytest.mark.skip(reason=reason))
        if item.get_closest_marker("browser") and not chromium():
            item.add_marker(pytest.mark.skip(reason="needs headless Chromium on the PATH"))


def chromium() -> str | None:
    names = ("chromium", "chromium-browser", "google-chrome")
    return next(filter(None, map(shutil.which, names)), None)
