"""OpenEnv: episodes over OpenEnv's own server and client."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.openenv


@pytest.fixture
def problems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text(
        '{"integrand": "2x", "id": "a"}\n{"integrand": "3 t^2", "variable": "t", "id": "b"}\n'
    )
    monkeypatch.setenv("CALCULUS_BENCHMARK", str(path))
    monkeypatch.setenv("CALCULUS_RUBRIC", '{"components": ["correctness", "format"], "workers": 1}')
    monkeypatch.setenv("CALCULUS_TURNS", '{"checks": 1}')


@pytest.mark.usefixtures("problems")
def test_episodes_over_the_packages_own_server() -> None:
    from fastapi.testclient import TestClient

    from calculus_harness.harness.integrations.for_openenv import app

    with TestClient(app()) as client, client.websocket_connect("/ws") as socket:

        def ask(message_type: str, **data: Any) -> dict[str, Any]:
            socket.send_json({"type": message_type, "data": data})
            reply: dict[str, Any] = socket.receive_json()
            return reply

        begun = ask("reset", problem="mine/problems/b")["data"]
        assert "3 t^2" in begun["observation"]["messages"][-1]["content"]
        assert "<check>" in begun["observation"]["messages"][-1]["content"]
        checked = ask("step", text="Is it <check>t^2</check>")["data"]
        assert (checked["done"], checked["reward"]) == (False, 0.0)
        assert checked["observation"]["messages"][0]["content"].startswith("incorrect")
        done = ask("step", text=r"$\boxed{t^3}$")["data"]
        assert (done["done"], done["reward"]) == (True, 1.1)
        ask("reset", problem="mine/problems/a")
        assert ask("step", text=r"$\boxed{t^3}$")["data"]["reward"] == 0.0


@pytest.mark.usefixtures("problems")
def test_seeds_choose_problems() -> None:
    from calculus_harness.harness.integrations.for_openenv import CalculusEnvironment
    from calculus_harness.harness.integrations.questions import questions
    from calculus_harness.rewards.adapters.environments.episode import Turns

    env = CalculusEnvironment(questions("drills", limit=8), Turns(), {"workers": 1})
    keys = [env.reset(seed=seed).metadata["problem"] for seed in range(20)]
    assert keys == [env.reset(seed=seed).metadata["problem"] for seed in range(20)]
    assert len(set(keys)) > 3
    with pytest.raises(ValueError, match="no problem"):
        env.reset(problem="mine/none")
