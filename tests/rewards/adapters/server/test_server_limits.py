"""Tokens, metrics, readiness, draining, and the request bodies of other trainers."""

from __future__ import annotations

import asyncio
import base64
import shutil
import signal
import ssl
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from calculus_harness.rewards.adapters.for_openrlhf import make_reward_func
from calculus_harness.rewards.adapters.server import shadow as shadows
from calculus_harness.rewards.adapters.server.client import RewardClient, RewardServerError
from calculus_harness.rewards.adapters.server.http import LOOK, Endpoint, make_ready, serving
from calculus_harness.rewards.adapters.server.service import RewardServer, ServerLimits
from calculus_harness.rewards.errors import UserError
from tests.rewards.adapters.server.sockets import health, until
from tests.rewards.adapters.server.test_server import RIGHT, ROOT, WRONG, items, server

pytestmark = pytest.mark.serve


def test_a_token_is_needed_for_all_but_health() -> None:
    import aiohttp

    async def run() -> dict[str, list[int]]:
        gym = RewardServer(make_reward_func(workers=1), token="secret")
        codes: dict[str, list[int]] = {}
        async with serving(gym, Endpoint()) as address, aiohttp.ClientSession(address) as session:
            basic = base64.b64encode(b"any:secret").decode()
            for name, header in (
                ("none", ""),
                ("wrong", "Bearer secreT"),
                ("odd", "Basic ###"),
                ("bearer", "Bearer secret"),
                ("basic", f"Basic {basic}"),
            ):
                headers = {"Authorization": header} if header else {}
                codes[name] = []
                for path in ("/health", "/live", "/ready", "/metrics"):
                    async with session.get(path, headers=headers) as response:
                        codes[name].append(response.status)
                async with session.post("/score", json=items(RIGHT), headers=headers) as response:
                    codes[name].append(response.status)
        return codes

    codes = asyncio.run(run())
    for name in ("none", "wrong", "odd"):
        assert codes[name] == [200, 200, 200, 401, 401]
    for name in ("bearer", "basic"):
        assert codes[name] == [200] * 5


def test_metrics_name_kinds_seconds_and_saturation() -> None:
    import aiohttp
    from prometheus_client.parser import text_string_to_metric_families

    async def run() -> str:
        gym = server(components=["correctness", "format"])
        async with serving(gym, Endpoint()) as address, aiohttp.ClientSession(address) as session:
            bad = items(RIGHT, WRONG, "no box")
            bad["items"][0]["truncated"] = True
            async with session.post("/score", json=bad) as response:
                assert response.status == 200
            async with session.post("/score", json=[]) as response:
                assert response.status == 400
            await asyncio.sleep(5 * LOOK)  # until the loop was looked at
            async with session.get("/metrics") as response:
                return await response.text()

    samples = {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(asyncio.run(run()))
        for sample in family.samples
    }
    assert samples["calculus_reward_verdicts_total", "correct"] == 1
    assert samples["calculus_reward_verdicts_total", "incorrect"] == 1
    assert samples["calculus_reward_verdicts_total", "no_answer"] == 1
    assert samples["calculus_reward_verdict_seconds_count", "correct"] == 1
    assert samples["calculus_reward_truncated_total",] == 1
    assert samples["calculus_reward_requests_total", "400"] == 1
    assert samples["calculus_reward_saturation",] == 0
    assert samples["calculus_reward_ready",] == 1
    assert samples["calculus_reward_loop_lag_seconds_count", "own"] > 0


def test_slimes_body() -> None:
    """As sent by slime's ``remote_rm`` (slime/rollout/rm_hub): the answer is the reward."""
    import aiohttp

    async def run() -> list[Any]:
        replies = []
        async with (
            serving(server(), Endpoint()) as address,
            aiohttp.ClientSession(address) as session,
        ):
            for text, label in ((RIGHT, "2x"), (WRONG, "2x"), (RIGHT, {"integrand": "2x"})):
                body = {"prompt": "Integrate.", "response": text, "label": label}
                async with session.post("/score", json=body) as response:
                    replies.append(await response.json())
            body = {"prompt": [{"role": "user", "content": "?"}], "response": RIGHT, "label": "2x+"}
            async with session.post("/score?detail=1", json=body) as response:
                replies.append(await response.json())
        return replies

    *rewards, detailed = asyncio.run(run())
    assert rewards == [1.0, 0.0, 1.0]
    assert (detailed["reward"], detailed["status"]) == (0.0, "bad_problem")


def test_nemo_gyms_session() -> None:
    """As an agent of NeMo Gym (responses_api_agents/simple_agent/app.py) asks."""
    import aiohttp

    def row(text: str, **fields: Any) -> dict[str, Any]:
        message = {
            "type": "message",
            "role": "assistant",
            "id": "m",
            "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}],
        }
        thought = {"type": "reasoning", "id": "r", "summary": []}
        return {
            "responses_create_params": {"input": [{"role": "user", "content": "Integrate 2x."}]},
            "response": {"id": "1", "object": "response", "output": [thought, message]},
            "integrand": "2x",
        } | fields

    async def run() -> list[dict[str, Any]]:
        gym = server(components=["correctness", "format"])
        replies = []
        async with serving(gym, Endpoint()) as address, aiohttp.ClientSession(address) as session:
            async with session.post("/seed_session", json=row("x")) as response:
                assert (response.status, await response.json()) == (200, {})
            for sent in (
                row(RIGHT),
                row(WRONG),
                row(RIGHT, integrand="2x+"),
                row(RIGHT + r" \boxed{", response={"output": row(RIGHT)["response"]["output"]}),
            ):
                async with session.post("/verify", json=sent) as response:
                    assert response.status == 200
                    replies.append(await response.json())
            tool = row(RIGHT)
            tool["response"]["output"].append({"type": "function_call_output", "output": RIGHT})
            async with session.post("/verify", json=tool) as response:
                replies.append(await response.json())
        return replies

    right, wrong, bad, _, tool = asyncio.run(run())
    assert right["reward"] == 1.1
    assert right["reward_components"] == {"correctness": 1.0, "format": 1.0}
    assert right["mask_sample"] is False
    assert right["response"]["output"][1]["content"][0]["text"] == RIGHT
    assert (wrong["reward"], wrong["status"]) == (0.0, "incorrect")
    assert (bad["reward"], bad["mask_sample"], bad["status"]) == (0.0, True, "bad_problem")
    assert bad["failure_kind"] == "verifier_error"
    assert tool["reward"] == 0.0  # text of a tool is no answer


def test_the_client_comes_again_and_keeps_the_order() -> None:
    async def run() -> list[float]:
        gym = server(ServerLimits(batch=16, queue=32), workers=1)
        async with (
            serving(gym, Endpoint()) as address,
            RewardClient(address, batch=16, parallel=8) as client,
        ):
            texts = [RIGHT if n % 3 else WRONG for n in range(160)]
            scores = await client.score(items(*texts)["items"])
            assert gym.refused > 0
            with pytest.raises(RewardServerError, match="400"):
                await client.score([{"completion": 3}])
        return [score["reward"] for score in scores]

    assert asyncio.run(run()) == [float(bool(n % 3)) for n in range(160)]


def test_a_client_gives_up_in_the_end() -> None:
    async def run() -> None:
        async with RewardClient("http://127.0.0.1:9", patience=0.5) as client:
            await client.score([{"completion": "x", "integrand": "x"}])

    with pytest.raises(RewardServerError, match="does not answer"):
        asyncio.run(run())


def test_readiness_is_not_liveness() -> None:
    import aiohttp

    async def run() -> list[int]:
        gym = server(workers=1)
        codes = []
        async with serving(gym, Endpoint()) as address, aiohttp.ClientSession(address) as session:
            for state in (True, False):
                gym.working = state
                for path in ("/live", "/ready", "/health"):
                    async with session.get(path) as response:
                        codes.append(response.status)
        return codes

    assert asyncio.run(run()) == [200, 200, 200, 200, 503, 200]


@pytest.mark.parametrize(
    ("host", "local"),
    [("127.0.0.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("::", False)],
)
def test_which_addresses_are_warned_of(host: str, local: bool) -> None:
    assert Endpoint(host).is_local == local


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")
def test_https(tmp_path: Path) -> None:
    import aiohttp

    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    command = "openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -addext"
    command = [*command.split(), "subjectAltName=IP:127.0.0.1", "-out", certificate, "-keyout", key]
    subprocess.run(command, check=True, capture_output=True)

    async def run() -> tuple[int, str]:
        trusted = ssl.create_default_context(cafile=certificate)
        https = Endpoint(certificate=certificate, key=key)
        async with (
            serving(server(workers=1), https) as address,
            aiohttp.ClientSession(address) as session,
            session.post("/score", json=items(RIGHT), ssl=trusted) as response,
        ):
            return response.status, address

    status, address = asyncio.run(run())
    assert status == 200
    assert address.startswith("https://127.0.0.1:")
    with pytest.raises(UserError, match="cannot use the certificate"):
        Endpoint(certificate=key, key=certificate).tls()
    with pytest.raises(UserError, match="needs its certificate"):
        Endpoint(key=key).tls()


def test_the_first_call_of_the_workers_is_no_completion_of_a_client() -> None:
    """The completion was judged again in the sample of shadow checks."""
    gym = RewardServer(make_reward_func(workers=1), shadow=shadows.Shadow(1.0))
    asyncio.run(make_ready(gym))
    assert (gym.scored, gym.statuses.total()) == (0, 0)
    assert gym.shadow is not None
    assert not gym.shadow.waiting


@pytest.mark.slow
def test_a_server_for_other_machines_warns_and_keeps_a_log(tmp_path: Path) -> None:
    log = tmp_path / "access.log"
    command = [sys.executable, "run.py", "serve-reward", "--port", "0", "--workers", "1"]
    with subprocess.Popen(
        [*command, "--host", "0.0.0.0", "--access-log", str(log)],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        address = process.stderr.readline().split()[2].removesuffix("/score,")
        assert "everybody there may use" in process.stderr.readline()
        assert asyncio.run(health(address.replace("0.0.0.0", "127.0.0.1"))) == 200
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
    assert '"GET /health HTTP/1.1" 200' in log.read_text()


def test_while_it_drains_new_requests_are_told_to_come_again() -> None:
    import aiohttp

    async def run() -> tuple[int, list[int], Any]:
        gym = server(workers=1)
        context = serving(gym, Endpoint())
        address = await context.__aenter__()
        async with aiohttp.ClientSession(address) as session:

            async def post(count: int) -> int:
                async with session.post("/score", json=items(*[RIGHT] * count)) as response:
                    await response.read()
                    return response.status

            request = asyncio.create_task(post(3000))
            await until(lambda: gym.waiting > 0)
            ending = asyncio.create_task(context.__aexit__(None, None, None))
            await until(lambda: gym.stopping)
            codes = [await post(1)]
            for path in ("/ready", "/live"):
                async with session.get(path) as response:
                    codes.append(response.status)
            done = await request
            await ending
            return done, codes, gym.scored

    assert asyncio.run(run()) == (200, [503, 503, 200], 3000)


#: Answers every connection at once: what a server costs that does nothing else.
