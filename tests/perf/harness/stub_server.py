"""The fastest OpenAI-compatible server: the same answer to every request, after a delay."""

from __future__ import annotations

import argparse
import asyncio
import json

#: What it says: an answer that is judged in no time, and one as models give them.
ANSWERS = {
    "trivial": r"\boxed{x}",
    "realistic": r"""To find the antiderivative, we integrate by parts with $u = x$ and
$dv = e^{2x}\,dx$, so that $du = dx$ and $v = \tfrac12 e^{2x}$. This gives
\[ \int x e^{2x}\,dx = \frac{x e^{2x}}{2} - \int \frac{e^{2x}}{2}\,dx. \]
The remaining integral is elementary. Collecting the terms and factoring, we get
\[ \boxed{\frac{e^{2x}}{4}\left(2x - 1\right) + C} \]
As a check, its derivative is $\frac{e^{2x}}{2}(2x-1) + \frac{e^{2x}}{2} = x e^{2x}$.""",
}


class Stub(asyncio.Protocol):
    """A connection. Of requests only the length and the kind are read."""

    def __init__(self, text: str, delay: float) -> None:
        self.replies = {True: reply(text, chat=True), False: reply(text, chat=False)}
        self.delay, self.data = delay, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.data += data
        while (end := self.data.find(b"\r\n\r\n")) >= 0:
            head = self.data[:end].lower()
            start = head.find(b"content-length:")
            length = int(head[start + 15 :].split(b"\r\n", 1)[0]) if start >= 0 else 0
            if len(self.data) < end + 4 + length:
                return
            self.data = self.data[end + 4 + length :]
            answer = self.replies[b"/chat/" in head.split(b"\r\n", 1)[0]]
            if self.delay:
                asyncio.get_running_loop().call_later(self.delay, self.transport.write, answer)
            else:
                self.transport.write(answer)


def reply(text: str, chat: bool) -> bytes:
    content = {"message": {"role": "assistant", "content": text}} if chat else {"text": text}
    body = json.dumps(
        {
            "id": "stub",
            "object": "chat.completion" if chat else "text_completion",
            "created": 1,
            "model": "stub",
            "choices": [{"index": 0, "finish_reason": "stop"} | content],
            "usage": {"prompt_tokens": 100, "completion_tokens": 200, "total_tokens": 300},
        }
    ).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    return head.encode() + b"\r\n\r\n" + body


async def serve(text: str, delay: float) -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Stub(text, delay), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answer", choices=ANSWERS, default="trivial")
    parser.add_argument("--delay", type=float, default=0.0, help="seconds")
    options = parser.parse_args()
    asyncio.run(serve(ANSWERS[options.answer], options.delay))
