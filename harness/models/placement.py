"""The needs of a model's engines on a cluster, and the assignment of engines to nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ..core.errors import ModelError


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """The needs of a model with engines on the nodes of a cluster.

    Attributes:
        gpus: the number of GPUs of each engine; 0 for none.
        engines: the number of engines; by default as many as the GPUs allow, or an engine per node.
        at_once: the number of concurrent requests of an engine.
        block: the number of requests sent and answered together.
        without_gpu: whether the engine runs on CPUs if the cluster has no GPU.

    >>> Placement(gpus=2, at_once=512).engines is None
    True

    """

    gpus: int = 0
    engines: int | None = None
    at_once: int = 1
    block: int = 1
    without_gpu: bool = False


@dataclass(frozen=True, slots=True)
class EngineGroup:
    """The resources of an engine: bundles of GPUs, each bundle on one node.

    Attributes:
        bundles: the number of GPUs of each bundle; empty for an engine without GPUs.
        strategy: how Ray spreads the bundles.

    """

    bundles: tuple[int, ...]
    strategy: Literal["STRICT_PACK", "PACK"] = "STRICT_PACK"


def groups(spec: str, placement: Placement, gpus: Sequence[int]) -> list[EngineGroup]:
    """The resources of all engines on the nodes of a cluster.

    Args:
        spec: the model's name, for error messages.
        placement: the needs of the engines.
        gpus: the number of GPUs of each node.

    Returns:
        A group for each engine. An engine that fits on a node has a single bundle; a larger engine
        has bundles of one GPU, as vLLM's Ray executor requires, on as few nodes as possible.

    Raises:
        ModelError: there are too few GPUs.

    >>> groups("vllm/m", Placement(gpus=2), [4, 1])
    [EngineGroup(bundles=(2,), strategy='STRICT_PACK'),
     EngineGroup(bundles=(2,), strategy='STRICT_PACK')]

    """
    if not placement.gpus or (placement.without_gpu and not any(gpus)):
        return [EngineGroup(())] * (placement.engines or len(gpus))
    # An engine fits on a node, or is spread over as few nodes as possible.
    if placement.gpus <= max(gpus):
        fitting = sum(node // placement.gpus for node in gpus)
        group = EngineGroup((placement.gpus,))
    else:
        fitting = sum(gpus) // placement.gpus
        group = EngineGroup((1,) * placement.gpus, "PACK")
    engines = placement.engines or max(1, fitting)
    if fitting < engines:
        per_engine = f"{engines} x {placement.gpus}" if engines > 1 else f"{placement.gpus}"
        on = ", ".join(map(str, sorted((node for node in gpus if node), reverse=True)))
        available = f"the cluster's nodes have {on}" if on else "the cluster has none"
        raise ModelError(f"model {spec} needs {per_engine} GPUs, and {available}")
    return [group] * engines


def gpus_of(resources: Mapping[str, float]) -> int:
    """The GPUs among a node's resources, by Ray's names.

    >>> gpus_of({"CPU": 8.0, "GPU": 4.0})
    4

    """
    return int(resources.get("GPU", 0))
