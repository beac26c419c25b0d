"""Requests and bodies for the tests of an OpenAI-compatible model."""

from __future__ import annotations

from typing import Any

import pytest

from calculus_harness.benchmarks import Problem
from calculus_harness.harness import Sampling
from calculus_harness.harness.core.requests import Request, request_hash
from calculus_harness.harness.models import create
from calculus_harness.prompts import Message, Rendered

pytest.importorskip("openai", reason="needs the extra 'openai'")
from tests.harness.faulty_server import Body


def request(prompt: Rendered, count: int = 1, **sampling: Any) -> Request:
    inputs = {"integrand": "x", "variable": "x"}
    problem = Problem("p", "integration", "toy", "s", inputs=inputs, target=inputs)
    settings = Sampling(**{"max_tokens": 50} | sampling)
    return Request(
        "m", problem, prompt, settings, request_hash(problem, prompt, settings), seed=7, count=count
    )


CHAT = Rendered(messages=(Message("system", "s"), Message("user", "u")))
TEXT = Rendered(text="2+2=")


def body(prompt: Rendered, options: dict[str, str] | None = None, **sampling: Any) -> Body:
    model: Any = create("openai/m", options or {})
    sent: Body = model.body(request(prompt, **sampling))
    return sent
