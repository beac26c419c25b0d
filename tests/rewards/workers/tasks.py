"""Tasks for the tests of the worker pool: well-behaved, hostile, and everything between.

The pool is told this file's path; no test imports it, and workers load it by that path.
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
    """Stands still the first time that it is asked with a path, as on a machine without time."""
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
    """Loop inside C without ever releasing the interpreter's lock (a native call that hangs)."""
    if path is not None:
        Path(path).write_text(str(os.getpid()))
    sum(itertools.repeat(0))


def behave(behaviour, value):
    """One task with many ways to go wrong, so that a batch can mix them."""
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
    """Fails in a worker that has done something before."""
    served.append(1)
    if len(served) > 1:
        os.abort()
    return os.getpid()


def judge(completion, integrand, options):
    """In place of the verifier: judges as it does, unless the completion says what to do."""
    from calculus_harness.rewards import ProblemError
    from calculus_harness.rewards.worker_tasks import verify

    if completion == "do problem":
        raise ProblemError("this one is bad")
    if completion.startswith("do "):
        behave(completion.removeprefix("do "), None)
    return verify(completion, integrand, options)


def distracted(value):
    """Double; before the second item its worker is kept from the processor for a while.

    The parent has the first answer by then, and takes back what waits behind the second: the
    worker hears of it before it has begun the second.
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
