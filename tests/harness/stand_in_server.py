"""A local server in place of remote models: chats, texts, batches, given texts."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from aiohttp import web

from calculus_harness.benchmarks import load
from tests.harness.faulty_server import Body, FaultyServer, payload_for
from tests.harness.models.openai.test_batch import BatchServer


@cache
def table() -> list[tuple[str, str]]:
    """Integrands as JSON, with antiderivatives."""
    subsets = ("brittleness/primitive_x", "brittleness/primitive_exp", "bee/qualifier")
    problems = [problem for name in subsets for problem in load(name)]
    return [
        (json.dumps(f"{problem.inputs.integrand}")[1:-1], problem.target.antiderivative)
        for problem in problems
        if problem.target.reference is not None
    ]


class StandInServer(BatchServer):
    """Answers at once, by prompt and seed; tokens are characters."""

    def __init__(self) -> None:
        super().__init__()
        self.respond = respond

    def add_routes(self, application: web.Application) -> None:
        FaultyServer.add_routes(self, application)
        super().add_routes(application)
        application.router.add_post("/tokenize", self.tokenise)

    async def tokenise(self, request: web.Request) -> web.StreamResponse:
        body = json.loads(await request.read())
        text = body.get("prompt") or "".join(turn["content"] for turn in body["messages"])
        return web.json_response({"tokens": [ord(letter) for letter in text]})


def respond(body: Body) -> Any:
    """An answer, right for some integrals, or log-probabilities of given tokens."""
    if not body.get("echo"):
        payload = payload_for(body)
        prompt = json.dumps(body.get("messages") or body["prompt"])
        answers = [(len(integrand), text) for integrand, text in table() if integrand in prompt]
        if answers and "messages" in body:  # the longest, as others are parts of it
            payload["choices"][0]["message"]["content"] = rf"\boxed{{{max(answers)[1]}}}"
        return payload
    logprobs = [None, *(-0.01 * (token % 100) for token in body["prompt"][1:])]
    return {"choices": [{"index": 0, "text": "", "logprobs": {"token_logprobs": logprobs}}]}
