"""`run.py serve-reward`."""

from __future__ import annotations

import json
import os
import signal
import threading
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import click

from ...rewards.adapters.for_openrlhf import make_reward_func
from ...rewards.adapters.scoring import MIXED, TASKS, Rubric
from ...rewards.adapters.server.http import Endpoint, run
from ...rewards.adapters.server.on_ray import deployed
from ...rewards.adapters.server.service import RewardServer, ServerLimits
from ...rewards.adapters.server.shadow import Shadow
from ...rewards.arguments import check_choice
from ...rewards.workers.pool import DEFAULT_MEMORY_MB
from ..core.errors import UserError
from ..core.wording import counted
from .options import cluster_address


@dataclass(frozen=True)
class _Options:
    """The flags of `serve_reward`, with help texts."""

    host: str
    port: int
    task: str
    components: tuple[str, ...]
    no_gate: bool
    no_strict: bool
    options: tuple[str, ...]
    fields: tuple[str, ...]
    eos_tokens: tuple[str, ...]
    workers: int | None
    deadline: float
    memory_mb: int
    max_batch: int
    max_queue: int
    max_body_mb: int
    max_in_flight_mb: int
    max_connections: int
    token_file: Path | None
    tls_certificate: Path | None
    tls_key: Path | None
    access_log: str | None
    shadow: float
    cluster: str | None
    replicas: int | None


@click.command("serve-reward")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    default=8000,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="0: any free one.",
)
@click.option(
    "--task",
    default="antiderivative",
    show_default=True,
    type=click.Choice([*TASKS, MIXED]),
    help="What completions have to answer; mixed: what each item's own task says.",
)
@click.option(
    "--component",
    "components",
    multiple=True,
    metavar="NAME[=WEIGHT]",
    help="correctness (the default), format; repeatable.",
)
@click.option(
    "--no-gate", is_flag=True, help="Other components count without a correct answer, too."
)
@click.option("--no-strict", is_flag=True, help="An answer need not stand in a box.")
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="KEY=VALUE",
    help="Option of the verifier, such as strict_domain=true; repeatable.",
)
@click.option(
    "--rubric",
    "fields",
    multiple=True,
    metavar="KEY=VALUE",
    help="Any other field of Rubric, such as min_coverage=0.5; repeatable.",
)
@click.option(
    "--eos-token",
    "eos_tokens",
    multiple=True,
    metavar="TEXT",
    help="An OpenRLHF query that ends in none of these was cut off; repeatable.",
)
@click.option("--workers", type=click.IntRange(1), help="By default one for each core.")
@click.option(
    "--deadline",
    default=10.0,
    show_default=True,
    type=click.FloatRange(0, min_open=True),
    help="Seconds for one completion.",
)
@click.option(
    "--memory-mb",
    default=DEFAULT_MEMORY_MB,
    show_default=True,
    type=click.IntRange(64),
    help="Megabytes that a worker may take beyond its code.",
)
@click.option("--max-batch", default=4096, show_default=True, type=click.IntRange(1))
@click.option(
    "--max-queue",
    default=16_384,
    show_default=True,
    type=click.IntRange(1),
    help="Completions in work or waiting; beyond that, 429.",
)
@click.option("--max-body-mb", default=64, show_default=True, type=click.IntRange(1))
@click.option(
    "--max-in-flight-mb",
    default=96,
    show_default=True,
    type=click.IntRange(1),
    help="Of the bodies of all requests in progress; beyond that, 429.",
)
@click.option(
    "--max-connections",
    default=1000,
    show_default=True,
    type=click.IntRange(1),
    help="For one more, the longest idle one is closed.",
)
@click.option(
    "--token-file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="File with a token that clients must send (Authorization: Bearer TOKEN, or as the "
    "password of http://any:TOKEN@HOST). Also the variable CALCULUS_HARNESS_TOKEN.",
)
@click.option(
    "--tls-certificate",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="PEM file; HTTPS is served then.",
)
@click.option(
    "--tls-key",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="PEM file of the certificate's key, where that is another file.",
)
@click.option("--access-log", metavar="FILE", help="A line for each request; - is stderr.")
@click.option(
    "--shadow",
    default=0.0,
    show_default=True,
    type=click.FloatRange(0, 1),
    help="Share of the completions that is judged again, with five times the deadline; the rate "
    "of changed verdicts is a metric.",
)
@click.option(
    "--cluster",
    metavar="ray[:ADDRESS]",
    help="Serve on a Ray cluster, with a proxy on every node; --workers and --max-queue are for "
    "each replica.",
)
@click.option(
    "--replicas",
    type=click.IntRange(1),
    help="With --cluster: how many servers; by default as many as there are CPUs for.",
)
def serve_reward(**flags: Any) -> None:
    """Serve rewards over HTTP to trainers on other machines.

    POST /score takes completions with targets, or requests of OpenRLHF and slime; POST /verify is
    for NeMo Gym. Without a token, everybody who reaches the address may ask.
    """
    import asyncio

    options = _Options(**flags)
    named = dict(_component(text) for text in options.components) or {"correctness": None}
    rubric: dict[str, Any] = {
        "task": options.task,
        "components": tuple(named),
        "weights": _weights(named),
        "gate": not options.no_gate,
        "strict": not options.no_strict,
        "options": dict(map(_option, options.options)),
        "workers": options.workers,
        "deadline": options.deadline,
        "memory_mb": options.memory_mb,
    }
    others = [item.name for item in fields(Rubric) if item.name not in rubric]
    for name, value in map(_option, options.fields):
        check_choice("--rubric", name, others)
        rubric[name] = value
    try:
        function = make_reward_func(eos_tokens=options.eos_tokens, **rubric)
    except (TypeError, ValueError) as error:
        raise UserError(str(error)) from None
    limits = ServerLimits(
        batch=options.max_batch,
        queue=options.max_queue,
        body=options.max_body_mb << 20,
        in_flight=options.max_in_flight_mb << 20,
        connections=options.max_connections,
    )
    checks = Shadow(options.shadow) if options.shadow else None
    server = RewardServer(function, limits, _token(options.token_file), checks)
    if options.cluster is not None:
        _serve_on_cluster(server, options, options.cluster)
        return
    if options.replicas is not None:
        raise UserError("--replicas are of a cluster: say --cluster ray, too")
    endpoint = Endpoint(
        options.host, options.port, options.tls_certificate, options.tls_key, options.access_log
    )
    asyncio.run(run(server, endpoint, lambda line: click.echo(line, err=True)))


def _serve_on_cluster(server: RewardServer, options: _Options, cluster: str) -> None:
    """Serve until SIGINT or SIGTERM."""
    host, port = options.host, options.port
    if port == 0:
        raise UserError("with --cluster, --port must be that of all nodes, not 0")
    address = cluster_address(cluster)
    stop = threading.Event()
    with deployed(server, host, port, address=address, replicas=options.replicas) as count:
        for name in (signal.SIGINT, signal.SIGTERM):
            signal.signal(name, lambda *_: stop.set())
        at = f"http://{host}:{port}"
        click.echo(
            f"rewards at {at}/score by {counted(count, 'replica')}, health at {at}/health", err=True
        )
        stop.wait()
        click.echo("stopping: requests in progress are finished", err=True)


def _token(file: Path | None) -> str | None:
    """The token of a file, or of the environment; a command line would be visible to everybody."""
    if file is None:
        return os.environ.get("CALCULUS_HARNESS_TOKEN") or None
    token = file.read_text().strip()
    if not token:
        raise UserError(f"{file} is empty")
    return token


def _component(text: str) -> tuple[str, float | None]:
    name, equals, weight = text.partition("=")
    try:
        return name, float(weight) if equals else None
    except ValueError:
        raise UserError(f"--component takes NAME or NAME=WEIGHT, not {text!r}") from None


def _weights(named: dict[str, float | None]) -> tuple[float, ...] | None:
    weights = [weight for weight in named.values() if weight is not None]
    if weights and len(weights) < len(named):
        raise UserError("give every --component a weight, or none")
    return tuple(weights) or None


def _option(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise UserError(f"--option and --rubric take KEY=VALUE, not {text!r}")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value
