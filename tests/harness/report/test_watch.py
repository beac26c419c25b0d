"""The page of a running sweep: served on loopback, made anew when the run grows, read-only."""

from __future__ import annotations

import http.client
import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from calculus_harness import harness
from calculus_harness.harness.core.errors import UserError
from calculus_harness.harness.report.page.watch import Watch
from calculus_harness.harness.report.sources import Sources
from tests.harness.browser import browser
from tests.harness.conftest import Command


@contextmanager
def watching(run: Path) -> Iterator[Watch]:
    watch = Watch([run], lambda: Sources.open([run]), pause=0.05)
    thread = threading.Thread(target=watch.run)
    thread.start()
    try:
        yield watch
    finally:
        watch.close()
        thread.join(30)
        assert not thread.is_alive()


def get(watch: Watch, path: str = "/", method: str = "GET", host: str = "") -> tuple[int, str]:
    connection = http.client.HTTPConnection(urlsplit(watch.url).netloc, timeout=30)
    connection.request(method, path, headers={"Host": host} if host else {})
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


def count(page: str) -> int:
    return int(re.findall(r'data-samples="(\d+)"', page)[0])


def wait_for_another(watch: Watch, version: str) -> str:
    """The page of another version."""
    deadline = time.monotonic() + 60
    while get(watch, "/version")[1] == version:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return get(watch)[1]


def files(run: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in run.rglob("*") if path.is_file()}


def test_the_page_follows_a_run_and_changes_nothing(tmp_path: Path, model: str, bench: str) -> None:
    run = tmp_path / "run"
    harness.sweep([model], [bench], samples=1, out=run)
    original = files(run)
    with watching(run) as watch:
        status, page = get(watch)
        version = get(watch, "/version")[1]
        assert (status, count(page)) == (200, 24)
        assert f'data-version="{version}"' in page
        assert "connect-src 'self'" in page
        assert files(run) == original
        harness.sweep([model], [bench], samples=2, out=run)
        while count(page := wait_for_another(watch, version)) < 48:  # while samples arrive
            version = re.findall(r'data-version="(\w+)"', page)[0]
    assert not (run / "report.html").exists()


def test_only_this_machine_may_read_and_nobody_write(
    tmp_path: Path, model: str, bench: str
) -> None:
    run = tmp_path / "run"
    harness.sweep([model], [bench], limit=2, out=run)
    with watching(run) as watch:
        assert urlsplit(watch.url).hostname == "127.0.0.1"
        assert get(watch, host="attacker.example")[0] == 403
        assert get(watch, host="localhost:9999")[0] == 200  # a forwarded port
        assert get(watch, "/manifest.json")[0] == 404
        assert get(watch, "/../run/manifest.json")[0] == 404
        assert get(watch, method="POST")[0] == 501
        with pytest.raises(UserError, match="cannot listen on"):
            Watch([run], lambda: Sources.open([run]), urlsplit(watch.url).port or 0)


def test_a_run_without_verdicts_has_a_page(tmp_path: Path, model: str, bench: str) -> None:
    run = tmp_path / "run"
    with pytest.raises(UserError, match="not a run"):
        Watch([run], lambda: Sources.open([run]))
    harness.sweep([model], [bench], limit=2, out=run)
    manifest = json.loads((run / "manifest.json").read_text())
    (run / "manifest.json").write_text(json.dumps(manifest | {"policies": {}}))
    with watching(run) as watch:
        version, page = get(watch, "/version")[1], get(watch)[1]
        assert count(page) == 0
        (run / "manifest.json").write_text(json.dumps(manifest))
        assert count(wait_for_another(watch, version)) == 2


def test_other_outputs_do_not_go_with_watch(
    tmp_path: Path, model: str, bench: str, cli: Command
) -> None:
    harness.sweep([model], [bench], limit=2, out=tmp_path / "run")
    for words in (["--latex"], ["--out", "x.html"], ["--figures", "x"], ["--majority"]):
        done = cli("report", "run", "--watch", *words)
        assert done.returncode == 2
        assert "--watch shows the page alone" in done.stderr
    assert "--port goes with --watch" in cli("report", "run", "--port", "1").stderr


@pytest.mark.browser
def test_an_opened_page_shows_what_is_new_at_the_same_place(
    tmp_path: Path, model: str, bench: str
) -> None:
    run = tmp_path / "run"
    harness.sweep([model], [bench], samples=1, out=run)
    with watching(run) as watch, browser() as chromium:
        chromium.open(watch.url, "problems?subset=bench/hard&sort=key&down=1")
        chromium.do("document.querySelector('tr.row').click()")
        chromium.wait("document.querySelector('tr.open .pane pre') !== null")
        harness.sweep([model], [bench], samples=3, out=run)
        chromium.wait("document.querySelectorAll('.siblings button').length >= 3")
        assert chromium.do("document.getElementById('count').textContent") == "12 of 24 problems"
        assert chromium.do("document.querySelector('tr.row').textContent").startswith("hard12")
        assert chromium.errors == []
