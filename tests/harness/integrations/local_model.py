"""Our integrals, a model with all sorts of answers, and a server for the model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from aiohttp import web

from tests.harness.faulty_server import Body, FaultyServer, payload_for

#: Integrand -> what the model says, and what that is.
ANSWERS = {
    "2x": (r"Since $(x^2)' = 2x$, it is $\boxed{x^2 + C}$.", "correct"),
    r"3\cos(3x)": (r"\boxed{\sin(3x)}", "correct"),
    "5e^{5x}": (r"The box is nearly $\boxed{x}$, but no: $\boxed{e^{5x} + 7}$", "correct"),
    "7x^6": (r"\boxed{x^8}", "incorrect"),
    "e^{-x^2}": ("I do not know.", "no_answer"),
    r"\frac{2}{x}": (r"\boxed{2\ln|x|} \boxed{\frac{}", "correct"),
    "6x": (r"\boxed{3x^2 + 10^{-5000}x}", "undecided"),
}


def write_problems(folder: Path) -> str:
    """Write a benchmark of the integrals as a file and return the name."""
    path = folder / "mine.jsonl"
    rows = [{"id": f"p{number}", "integrand": text} for number, text in enumerate(ANSWERS)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def answer(prompt: str) -> str:
    """The model's answer to the longest integrand of the prompt; else a text without an answer."""
    integrands = [integrand for integrand in ANSWERS if integrand in prompt]
    return ANSWERS[max(integrands, key=len)][0] if integrands else "Hm."


def _respond(body: Body) -> Any:
    payload = payload_for(body)
    choice = payload["choices"][0]
    if "messages" not in body:
        choice["text"] = answer(body["prompt"])
        return payload
    content = body["messages"][-1]["content"]
    text = content if isinstance(content, str) else "".join(block["text"] for block in content)
    choice["message"]["content"] = answer(text)
    return _stream(payload) if body.get("stream") else payload


def _stream(payload: Body) -> web.Response:
    """The response as server-sent events, for a client with streaming."""
    [choice] = payload["choices"]
    delta = {"index": 0, "delta": choice["message"], "finish_reason": None}
    end = {"index": 0, "delta": {}, "finish_reason": "stop"}
    common = {**payload, "object": "chat.completion.chunk", "usage": None}
    chunks = [
        {**common, "choices": [delta]},
        {**common, "choices": [end]},
        {**common, "choices": [], "usage": payload["usage"]},
    ]
    events = [json.dumps(chunk) for chunk in chunks] + ["[DONE]"]
    text = "".join(f"data: {event}\n\n" for event in events)
    return web.Response(text=text, content_type="text/event-stream")


def server() -> FaultyServer:
    """A server without faults, where the model lives."""
    faulty = FaultyServer()
    faulty.respond = _respond
    return faulty
