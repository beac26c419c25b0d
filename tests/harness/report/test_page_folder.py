"""`view --serve DIR`: the runs of a folder in a browser, on loopback, read-only, up to date."""

from __future__ import annotations

import http.client
import json
import re
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from calculus_harness import harness
from calculus_harness.harness.core.errors import UserError
from calculus_harness.harness.report.page.folder import (
    MOST_PAGES,
    MOST_TOGETHER,
    Folder,
    LivePage,
)
from calculus_harness.harness.report.page.loopback import MOST_CONNECTIONS
from calculus_harness.harness.report.sources import Sources
from tests.harness import scripted_run as scripted
from tests.harness.browser import OVERFLOWING, browser
from tests.harness.conftest import ROOT, Command
from tests.harness.report.test_page_in_browser import SCREENSHOTS, open_row
from tests.harness.report.test_watch import files


@contextmanager
def serving(folder: Path, pause: float = 0.05) -> Iterator[Folder]:
    server = Folder(folder, lambda runs: Sources.open(runs), pause=pause)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield server
    finally:
        server.close()
        thread.join(30)
        assert not thread.is_alive()


def get(
    server: Folder, path: str, method: str = "GET", **headers: str
) -> tuple[int, str, dict[str, str]]:
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=60)
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, headers=names)
    answer = connection.getresponse()
    return answer.status, answer.read().decode(), dict(answer.getheaders())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two runs with common problems, a run in a subfolder, and a damaged run."""
    runs = tmp_path / "runs"
    plain = scripted.problems("plain", 6)
    strong = {"api/strong": lambda s, n, k: scripted.RIGHT}
    weak = {"api/weak": lambda s, n, k: scripted.RIGHT if n % 2 else scripted.SIGN}
    scripted.make(runs / "first", strong, plain, 2)
    scripted.make(runs / "may" / "second & last", weak, plain, 2)
    (runs / "damaged").mkdir()
    (runs / "damaged" / "manifest.json").write_text("{")
    return runs


def test_the_list_has_every_run_of_the_folder(folder: Path) -> None:
    with serving(folder) as server:
        status, page, headers = get(server, "/")
        assert status == 200
        assert "connect-src 'self'" in page
        assert headers["X-Frame-Options"] == "DENY"
        rows = {row["name"]: row for row in json.loads(get(server, "/runs.json")[1])["runs"]}
        assert set(rows) == {"first", "may/second & last", "damaged"}
        (model,) = rows["may/second & last"]["models"]
        assert model == {
            **{"label": "api/weak", "planned": 12, "answers": 12},
            **{"judged": 12, "correct": 6},
        }
        assert "damaged" in rows["damaged"]["error"]


def test_runs_are_shown_and_compared(folder: Path) -> None:
    with serving(folder) as server:
        status, page, _ = get(server, "/page?run=first")
        assert status == 200
        assert 'href="/"' in page
        status, both, _ = get(server, "/page?run=first&run=may%2Fsecond+%26+last")
        assert status == 200
        assert "api/strong" in both
        assert "api/weak" in both
        assert "6 common problems" in both
        status, text, _ = get(server, "/page?run=damaged")
        assert status == 409
        assert "damaged" in text


@pytest.mark.parametrize(
    "path",
    [
        "/manifest.json",
        "/first/manifest.json",
        "/../runs/first/manifest.json",
        "/page",
        "/page?run=",
        "/page?run=..%2Fruns%2Ffirst",
        "/page?run=first%2F..%2Ffirst",
        "/page?run=%2Fetc",
        "/page?run=first&run=nothing",
        "/version?run=../first",
        "//first",
        "/page/../first",
    ],
)
def test_no_path_of_a_request_is_opened(folder: Path, path: str) -> None:
    with serving(folder) as server:
        status, text, _ = get(server, path)
        assert status in (404, 409)
        assert "begun" not in text


def test_a_link_out_of_the_folder_is_not_followed(folder: Path, tmp_path: Path) -> None:
    scripted.make(tmp_path / "secret", {"m": lambda s, n, k: scripted.RIGHT}, [])
    (folder / "link").symlink_to(tmp_path / "secret")
    with serving(folder) as server:
        rows = json.loads(get(server, "/runs.json")[1])["runs"]
        assert "link" not in {row["name"] for row in rows}
        assert get(server, "/page?run=link")[0] == 409


def test_only_this_machine_may_read_and_nobody_write(folder: Path) -> None:
    original = files(folder)
    with serving(folder) as server:
        assert urlsplit(server.url).hostname == "127.0.0.1"
        assert get(server, "/", Host="attacker.example")[0] == 403
        assert get(server, "/page?run=first", Sec_Fetch_Site="cross-site")[0] == 403
        followed = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate"}
        assert get(server, "/", **followed)[0] == 200  # a link elsewhere that somebody clicked
        for method in ("POST", "PUT", "DELETE", "OPTIONS"):
            assert get(server, "/page?run=first", method)[0] == 501
        assert get(server, "/page?run=first")[0] == 200
    assert files(folder) == original


def test_what_a_request_asks_for_is_bounded(tmp_path: Path) -> None:
    script = {"api/one": lambda s, n, k: scripted.RIGHT}
    for number in range(MOST_TOGETHER + 1):
        scripted.make(tmp_path / f"r{number}", script, scripted.problems("plain", 1))
    with serving(tmp_path) as server:
        names = [f"run=r{number}" for number in range(MOST_TOGETHER + 1)]
        status, text, _ = get(server, "/page?" + "&".join(names))
        assert status == 409
        assert "at most" in text
        for name in names:
            assert get(server, f"/page?{name}")[0] == 200
        assert len(server._pages) == MOST_PAGES
        assert get(server, "/page?" + "&".join(["run=r0"] * 3000))[0] == 200
        assert get(server, "/page?run=" + "x" * 70_000)[0] == 414


def test_connections_are_bounded(folder: Path) -> None:
    with serving(folder) as server:
        assert get(server, "/")[0] == 200
        threads = threading.active_count()
        host, port = urlsplit(server.url).netloc.split(":")
        silent = [socket.create_connection((host, int(port))) for _ in range(MOST_CONNECTIONS + 20)]
        with pytest.raises((ConnectionError, http.client.HTTPException)):
            get(server, "/")
        assert threading.active_count() <= threads + MOST_CONNECTIONS
        for connection in silent:
            connection.close()
        deadline = time.monotonic() + 60
        while threading.active_count() > threads:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert get(server, "/")[0] == 200


def test_one_who_leaves_early_is_no_fault(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with serving(folder) as server:
        host, port = urlsplit(server.url).netloc.split(":")
        connection = socket.create_connection((host, int(port)))
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.sendall(b"GET /page?run=first HTTP/1.0\r\nHost: localhost\r\n\r\n")
        connection.close()  # with a reset, while the page is made
        assert get(server, "/page?run=first")[0] == 200
    assert "Traceback" not in capfd.readouterr().err


def test_a_silent_connection_holds_nobody_up(folder: Path) -> None:
    with serving(folder) as server:
        host, port = urlsplit(server.url).netloc.split(":")
        with socket.create_connection((host, int(port))):
            assert get(server, "/")[0] == 200


def test_the_list_and_the_page_follow_a_sweep(tmp_path: Path, model: str, bench: str) -> None:
    run = tmp_path / "runs" / "run"
    harness.sweep([model], [bench], samples=1, out=run)
    with serving(tmp_path / "runs") as server:
        page = get(server, "/page?run=run")[1]
        version = re.findall(r'data-version="(\w+)"', page)[0]
        assert get(server, "/version?run=run")[1] == version
        harness.sweep([model], [bench], samples=2, out=run)
        deadline = time.monotonic() + 60
        while 'data-samples="48"' not in get(server, "/page?run=run")[1]:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        (row,) = json.loads(get(server, "/runs.json")[1])["runs"]
        assert row["models"][0]["answers"] == 48
        harness.sweep([model], [bench], samples=1, out=tmp_path / "runs" / "another")
        assert len(json.loads(get(server, "/runs.json")[1])["runs"]) == 2


def test_a_page_is_made_again_only_after_a_while(folder: Path) -> None:
    opened = []

    def sources() -> Sources:
        opened.append(True)
        return Sources.open([folder / "first"])

    live = LivePage([folder / "first"], sources, pause=60)
    page = live.page()
    version = live.version()
    manifest = folder / "first" / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"created": "20', '"created": "19'))
    assert live.page() == page
    assert live.version() == version
    assert len(opened) == 1
    eager = LivePage([folder / "first"], sources, pause=0.0)
    eager.page()
    manifest.write_text("{")  # damaged while it is watched: the last page stays
    while time.monotonic() < eager._due:
        time.sleep(0.05)
    assert eager.page()
    assert eager.version()


def test_the_command_says_where_the_list_is(folder: Path, cli: Command) -> None:
    command = [sys.executable, str(ROOT / "run.py"), "view", "--serve", str(folder)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        port = int(re.findall(r"http://127\.0\.0\.1:(\d+)/", line)[0])
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("GET", "/runs.json")
        assert b"second & last" in connection.getresponse().read()
    finally:
        process.terminate()
        process.wait(30)
    for words, message in (
        (["--serve", "nowhere"], "there is no folder nowhere"),
        (["run", "--serve", str(folder)], "filters are in the browser"),
        (["--port", "1", "run"], "--port goes with --serve"),
        ([], "view needs a RUN, or --serve DIR"),
    ):
        done = cli("view", *words)
        assert done.returncode == 2
        assert message in done.stderr
    with pytest.raises(UserError, match="cannot listen on"), serving(folder) as server:
        Folder(folder, lambda runs: Sources.open(runs), urlsplit(server.url).port or 0)


@pytest.mark.browser
@pytest.mark.parametrize("width", [1400, 420])
def test_runs_are_found_compared_and_opened(folder: Path, tmp_path: Path, width: int) -> None:
    screenshots = Path(SCREENSHOTS or tmp_path)
    screenshots.mkdir(parents=True, exist_ok=True)
    rows = "[...document.querySelectorAll('#runs tbody tr')]"
    with serving(folder) as server, browser() as chromium:
        chromium.resize(width)
        chromium.open(server.url)
        assert chromium.do(f"{rows}.length") == 3
        assert chromium.do(OVERFLOWING) == []
        chromium.screenshot(screenshots / f"runs-{width}.png")
        chromium.do("document.getElementById('find').value = 'weak'")
        chromium.do("document.getElementById('find').dispatchEvent(new Event('input'))")
        assert chromium.do("document.getElementById('count').textContent") == "1 of 3 runs"
        assert chromium.do("location.hash") == "#find=weak"
        chromium.press("Escape")
        assert chromium.do(f"{rows}.length") == 3
        scripted.make(  # while the list is shown
            folder / "new",
            {"api/third": lambda s, n, k: scripted.RIGHT},
            scripted.problems("plain", 1),
        )
        chromium.wait(f"{rows}.length === 4")
        assert chromium.do("document.getElementById('compare').disabled")
        for name in ("first", "may/second & last"):
            chromium.do(f"document.querySelector('input[aria-label=\"Mark {name}\"]').click()")
        assert chromium.do("document.getElementById('compare').innerText") == (
            "Compare 2 marked runs"
        )
        chromium.do("document.getElementById('compare').click()")
        chromium.wait("document.body?.dataset.version && document.body.dataset.ready")
        title = chromium.do("document.title").split(" · ")
        assert set(title) == {"first", "second & last", "calculus-harness"}
        open_row(chromium, 0)
        models = "[...document.querySelectorAll('.pane [aria-label=Model]')].map((e) => e.value)"
        assert len(chromium.do(models)) == 2
        chromium.do("document.querySelector('.contents a').click()")
        chromium.wait("document.getElementById('runs') && document.body.dataset.ready")
        assert chromium.errors == []


@pytest.mark.browser
def test_an_opened_problem_of_a_folder_follows_a_sweep(
    tmp_path: Path, model: str, bench: str
) -> None:
    runs = tmp_path / "runs"
    harness.sweep([model], [bench], samples=1, out=runs / "run")
    with serving(runs) as server, browser() as chromium:
        chromium.open(server.url)
        chromium.do("document.querySelector('#runs a').click()")
        chromium.wait("document.body?.dataset.version && document.body.dataset.ready")
        open_row(chromium, 0)
        assert chromium.do("document.querySelector('.siblings').children.length") == 1
        harness.sweep([model], [bench], samples=3, out=runs / "run")
        chromium.wait("document.querySelector('.siblings')?.children.length === 3")
        assert chromium.errors == []
