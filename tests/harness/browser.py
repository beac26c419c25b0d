"""Headless Chromium by the DevTools protocol over a pipe: no driver and no port."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1300,900",
)

#: What is wider than its place or sticks out of the page, apart from what scrolls by itself.
OVERFLOWING = """[...document.querySelectorAll('body *')].filter((one) => {
  const box = one.getBoundingClientRect();
  if (!box.width || one.closest('svg, math') || one.matches('option, .skip')) return false;
  const scrolls = getComputedStyle(one).overflowX !== 'visible';
  const within = one.parentElement.closest('.scroll, .contents, .family, .formula, pre, code');
  return (!within && box.right > document.documentElement.clientWidth + 1)
    || (!scrolls && one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0);
}).map((one) => `${one.tagName} ${one.className}: ${one.textContent.slice(0, 40)}`)"""
#: Cells that hide a part of their text.
CLIPPED = """[...document.querySelectorAll('th, td, button, summary, h2, h4, dt, p, a')].filter(
  (one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0
    && /hidden|clip/.test(getComputedStyle(one).overflowX)).map((one) => one.textContent)"""
#: Text that stands in more lines than words, with fewer than four characters a line.
NARROW = """[...document.querySelectorAll('th, td, h4, dt, label, button, span')].flatMap((one) =>
  [...one.childNodes].filter((text) => text.nodeType === 3).map((text) => {
    const range = document.createRange();
    range.selectNodeContents(text);
    const lines = new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size;
    const words = text.textContent.trim();
    return lines > words.split(/\\s+/).length && words.length < 4 * lines ? words : '';
  }).filter(Boolean))"""
#: Labels of figures that stick out of them, cover each other, or are too small to read.
BAD_LABELS = """[...document.querySelectorAll('figure svg')].flatMap((svg) => {
  const frame = svg.getBoundingClientRect();
  const labels = [...svg.querySelectorAll('text')].map((one) => [one, one.getBoundingClientRect()]);
  return labels.filter(([, a], at) => a.width && (
    a.left < frame.left - 1 || a.right > frame.right + 1 || a.height < 9.9
    || labels.slice(0, at).some(([, b]) => a.left < b.right - 1 && b.left < a.right - 1
      && a.top < b.bottom - 3 && b.top < a.bottom - 3))).map(([one]) => one.textContent);
})"""


class Browser:
    """A browser tab. ``errors`` collects all complaints of the console and the scripts."""

    def __init__(self, to: int, back: int) -> None:
        self._to, self._back = to, back
        self._buffer = b""
        self._number = 0
        self._session: str | None = None
        self.errors: list[str] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                result: dict[str, Any] = answer["result"]
                return result

    def _read(self) -> dict[str, Any]:
        deadline = time.monotonic() + 60
        while b"\0" not in self._buffer:
            if not select.select([self._back], [], [], max(0, deadline - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            data = os.read(self._back, 1 << 20)
            if not data:
                raise RuntimeError("the browser has ended")
            self._buffer += data
        raw, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(raw)
        if message.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded"):
            self.errors.append(json.dumps(message["params"])[:600])
        if message.get("method") == "Runtime.consoleAPICalled":
            self.errors.append(json.dumps(message["params"])[:600])
        return message

    def open(self, page: Path | str, anchor: str = "") -> float:
        """Open a page anew. Returns the milliseconds until the first rows are visible."""
        self.call("Page.navigate", url="about:blank")
        url = page.as_uri() if isinstance(page, Path) else page
        self.call("Page.navigate", url=url + (f"#{anchor}" if anchor else ""))
        return float(self.wait("document.body && document.body.dataset.ready"))

    def resize(self, width: int, height: int = 900) -> None:
        """Give the tab another size."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def screenshot(self, path: Path) -> None:
        """Write the visible page to a PNG file."""
        image = self.call("Page.captureScreenshot", format="png")["data"]
        path.write_bytes(base64.b64decode(image))

    def do(self, script: str) -> Any:
        """The value of an expression in the page; the resolved value of a promise."""
        answer = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"])[:600])
        return answer["result"].get("value")

    def wait(self, script: str, seconds: float = 60) -> Any:
        """Wait until an expression (not an element) is true. Returns the value."""
        deadline = time.monotonic() + seconds
        while not (value := self.do(script)):
            if time.monotonic() > deadline:
                raise TimeoutError(script)
            time.sleep(0.05)
        return value

    def press(self, key: str) -> None:
        codes = {"Enter": 13, "ArrowDown": 40, "ArrowUp": 38, "/": 191, "Escape": 27}
        text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
        for event in ("keyDown", "keyUp"):
            typed = text if event == "keyDown" else {}
            self.call(
                "Input.dispatchKeyEvent",
                type=event,
                key=key,
                windowsVirtualKeyCode=codes[key],
                **typed,
            )


@contextmanager
def browser() -> Iterator[Browser]:
    """A fresh browser with an empty profile."""
    executable = next(
        (
            path
            for name in ("chromium", "google-chrome", "chromium-browser")
            if (path := shutil.which(name))
        ),
        None,
    )
    if executable is None:
        raise FileNotFoundError("Chromium is needed for tests marked browser")
    into, to = os.pipe()
    back, out = os.pipe()

    def place_pipes() -> None:  # the protocol's pipes are descriptors 3 and 4
        keep_in, keep_out = os.dup2(into, 13), os.dup2(out, 14)
        os.dup2(keep_in, 3)
        os.dup2(keep_out, 4)

    with tempfile.TemporaryDirectory() as profile:
        process = subprocess.Popen(
            [executable, *FLAGS, f"--user-data-dir={profile}", "--remote-debugging-pipe"],
            preexec_fn=place_pipes,
            pass_fds=(3, 4),
            stderr=subprocess.DEVNULL,
        )
        os.close(into)
        os.close(out)
        try:
            yield Browser(to, back)
        finally:
            process.kill()
            process.wait()
            os.close(to)
            os.close(back)
            for _ in range(50):  # its helpers may still write to the profile
                shutil.rmtree(profile, ignore_errors=True)
                if not Path(profile).exists():
                    break
                time.sleep(0.1)
            Path(profile).mkdir(exist_ok=True)
