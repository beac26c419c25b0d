"""What an engine of a model needs of a cluster, and where so many of them fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ..core.errors import ModelError


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """How a model that runs in this process runs on a cluster instead: as engines on its nodes.

    Attributes:
        gpus: of each engine; 0 for one that needs none.
        engines: how many; by default as many as there are GPUs for, or one on each node.
        at_once: requests that an engine gets at a time.
        block: how many of them are one message, and come back together.
        without_gpu: whether it runs on CPUs, too, where a cluster has no GPU.

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
    """What one engine gets: bundles of GPUs, each bundle on one node.

    Attributes:
        bundles: the GPUs of each bundle; none for an engine without GPUs.
        strategy: how Ray spreads the bundles.

    """

    bundles: tuple[int, ...]
    strategy: Literal["STRICT_PACK", "PACK"] = "STRICT_PACK"


def groups(spec: str, placement: Placement, gpus: Sequence[int]) -> list[EngineGroup]:
    """Where engines go, on nodes with so many GPUs each.

    Args:
        spec: the model's name, for error messages.
        placement: what its engines need.
        gpus: the number of GPUs of each node.

    Returns:
        A group for each engine. An engine that fits on a node stays there; a larger one has
        bundles of one GPU, as vLLM's Ray executor takes them, on as few nodes as possible.

    Raises:
        ModelError: there are too few GPUs.

    >>> groups("vllm/m", Placement(gpus=2), [4, 1])
    [Group(bundles=(2,), strategy='STRICT_PACK'), Group(bundles=(2,), strategy='STRICT_PACK')]

    """
    if not placement.gpus or (placement.without_gpu and not any(gpus)):
        return [EngineGroup(())] * (placement.engines or len(gpus))
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
    """The GPUs among a node's resources, as Ray names them.

    >>> gpus_of({"CPU": 8.0, "GPU": 4.0})
    4

    """
    return int(resources.get("GPU", 0))
