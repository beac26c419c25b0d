"""Tasks for the tests of the worker pool: well-behaved, hostile, and everything between.

The pool gets the path of the file; no test imports the module, and workers load the path.
"""

import ctypes
import itertools
import os
import signal
import sys
import time
from pathlib import Path


def double(value):
    return 2 * value


def identify(value, seconds=0):
    time.sleep(seconds)
    return [os.getpid(), value]


def slow_at_first(begun, value, log=None):
    """Stands still at the first call with a path, as on a machine without time."""
    if begun is not None and not Path(begun).exists():
        Path(begun).touch()
        time.sleep(3600)
    if log is not None:
        with Path(log).open("a") as file:
            file.write(f"{value}\n")
    return value


def package():
    main = sys.modules["__main__"]
    names = [name for name in ("rewards", "calculus_harness_rewards") if name in sys.modules]
    files = [sys.modules[name].__file__ for name in names]
    return {"main": main.__file__, "names": names, "files": files}


def hold(seconds, value=None):
    time.sleep(seconds)
    return value


def spin(path=None):
    """Loop inside C without a release of the interpreter's lock (a hanging native call)."""
    if path is not None:
        Path(path).write_text(str(os.getpid()))
    sum(itertools.repeat(0))


def behave(behaviour, value):
    """A task with many faults, for mixed batches."""
    if behaviour == "sleep":
        time.sleep(3600)
    elif behaviour == "spin":
        spin()
    elif behaviour == "python_memory":
        return len([bytearray(1 << 20) for _ in range(1 << 20)])
    elif behaviour == "native_memory":
        import flint

        return str(flint.fmpz(3) ** (1 << 36))[:1]
    elif behaviour == "exit":
        os._exit(3)
    elif behaviour == "segfault":
        ctypes.string_at(0)
    elif behaviour == "abort":
        os.abort()
    elif behaviour == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    elif behaviour == "raise":
        raise LookupError("no such thing")
    elif behaviour == "noise":
        for descriptor in (1, 2):
            os.write(descriptor, b'\0\0\0\x09["ready"]' * 20_000)
        print("hello " * 10_000, flush=True)
    elif behaviour == "unserialisable":
        return object()
    elif behaviour == "recursion":
        return behave(behaviour, value)
    elif behaviour == "long":
        return "x" * (8 << 20)
    return value


def crash_unless_first(served=[]):  # noqa: B006 - state of the process, on purpose
    """Fails in a worker with an earlier call."""
    served.append(1)
    if len(served) > 1:
        os.abort()
    return os.getpid()


def judge(completion, integrand, options):
    """In place of the verifier: judges as usual, unless the completion has a command."""
    from calculus_harness.rewards import ProblemError
    from calculus_harness.rewards.worker_tasks import verify

    if completion == "do problem":
        raise ProblemError("this one is bad")
    if completion.startswith("do "):
        behave(completion.removeprefix("do "), None)
    return verify(completion, integrand, options)


def distracted(value):
    """Double a number. Before the second item the worker is kept from the processor for a while.

    By then the parent has the first answer, and takes back all items behind the second: the worker
    hears of the change before the start of the second item.
    """
    if value == 0:
        time.sleep(0.07)  # slow enough for the worker to look for messages
        channel = sys.modules["__main__"].Channel
        look = channel.waiting

        def late(self):
            channel.waiting = look
            time.sleep(0.5)
            return look(self)

        channel.waiting = late
    return 2 * value
