"""The function in a process of its own, as AWS runs it: the runtime interface emulator starts awslambdaric.

Unlike Lambda, the emulator dies of two simultaneous calls, answers errors with status 200, cuts requests at 6 MiB and
neither limits memory nor the time of initialisation. One `Emulator` is one execution environment.
"""

from __future__ import annotations

import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from tests.aws.rie import emulator_binary
from tests.servers import free_ports

ROOT = Path(__file__).parent.parent.parent
HANDLER = "handler.lambda_handler.lambda_handler"
PATH = "/2015-03-31/functions/function/invocations"
MAX_REQUEST = 6 << 20  # bytes; the emulator would cut the rest off in silence
START_TIMEOUT_S = 30
START_ATTEMPTS = 3  # a port found free may be taken by another process before the emulator binds it


class FunctionError(Exception):
    """The function raised, timed out, or its process ended: what Lambda marks with X-Amz-Function-Error."""

    def __init__(self, payload: Any) -> None:
        super().__init__(json.dumps(payload) if isinstance(payload, dict) else str(payload))
        self.payload = payload


class EmulatorGoneError(Exception):
    """The emulator did not answer: it was killed, or died."""


@dataclass
class Emulator:
    """One execution environment; use it as a context manager.

    environment: of the function, on top of PATH and a temp folder. timeout_s: the function's time limit. prefix: a command
    that starts the command it is given, such as an enclosure. calls: events answered so far.
    """

    environment: Mapping[str, str]
    timeout_s: int = 120
    memory_mb: int = 1769
    handler: str = HANDLER
    root: Path = ROOT
    prefix: Sequence[str] = ()
    unset: Sequence[str] = ()
    calls: int = 0
    _process: subprocess.Popen[bytes] | None = None
    _port: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _stack: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> Self:
        self._folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="function-")))
        self.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.kill()
        self._stack.close()

    def start(self) -> None:
        """Begin with a fresh process; nothing of the function runs before the first call."""
        for _ in range(START_ATTEMPTS):
            if self._try_to_start():
                return
        raise RuntimeError(f"the emulator did not start:\n{self.logs()[-4000:]}")

    def invoke(self, event: Any) -> Any:
        """The function's reply. Raises FunctionError and EmulatorGoneError."""
        body = json.dumps(event).encode()
        if len(body) > MAX_REQUEST:
            raise ValueError(f"Lambda takes events of up to {MAX_REQUEST} bytes, not {len(body)}")
        with self._lock:
            connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=self.timeout_s + 60)
            try:
                connection.request("POST", PATH, body)
                answer = connection.getresponse()
                status, payload = answer.status, answer.read()
            except (OSError, http.client.HTTPException) as error:
                raise EmulatorGoneError(f"{type(error).__name__}: {error}\n{self.logs()[-2000:]}") from error
            finally:
                connection.close()
            self.calls += 1
        return _reply(status, payload)

    def kill(self) -> None:
        """End the emulator and the function at once, as when a machine fails."""
        process, self._process = self._process, None
        if process is None:
            return
        # The emulator gives the function a process group of its own, which would outlive it; it goes first, or it would
        # start the function again.
        for pid in [process.pid, *descendants(process.pid)]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.wait()

    def runtime_pid(self) -> int:
        """The process of the function itself. Raises LookupError while there is none."""
        assert self._process is not None
        for pid in descendants(self._process.pid):
            with suppress(OSError):
                if b"awslambdaric" in Path(f"/proc/{pid}/cmdline").read_bytes():
                    return pid
        raise LookupError("the function's process does not run")

    def logs(self) -> str:
        """All that the emulator and the function have written, over restarts too."""
        path = self._folder / "log"
        return path.read_text(errors="replace") if path.is_file() else ""

    def _try_to_start(self) -> bool:
        self._port, api_port = free_ports(2)
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [*_dies_with_us(), *self.prefix, *self._command(api_port)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.root,
                env=self._environment(),
                start_new_session=True,
            )
        if self._wait_until_up():
            return True
        self.kill()
        return False

    def _command(self, api_port: int) -> list[str]:
        return [
            str(emulator_binary()),
            "--log-level=info",
            f"--runtime-interface-emulator-address=127.0.0.1:{self._port}",
            f"--runtime-api-address=127.0.0.1:{api_port}",
            sys.executable,
            "-m",
            "awslambdaric",
            self.handler,
        ]

    def _environment(self) -> dict[str, str]:
        variables = {
            "PATH": os.environ["PATH"],
            "HOME": str(self._folder),
            "TMPDIR": str(self._folder),
            "PYTHONDONTWRITEBYTECODE": "1",
            "LAMBDA_TASK_ROOT": str(self.root),
            "AWS_LAMBDA_FUNCTION_NAME": "scenescore",
            "AWS_LAMBDA_FUNCTION_TIMEOUT": str(self.timeout_s),
            "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(self.memory_mb),
            "AWS_REGION": self.environment.get("AWS_DEFAULT_REGION", "us-east-1"),
            **self.environment,
        }
        return {name: value for name, value in variables.items() if name not in self.unset}

    def _wait_until_up(self) -> bool:
        assert self._process is not None
        deadline = time.monotonic() + START_TIMEOUT_S
        while time.monotonic() < deadline and self._process.poll() is None:
            connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=5)
            try:  # any answer, as a call would already start the function
                connection.request("GET", "/")
                connection.getresponse().read()
                return True
            except OSError:
                time.sleep(0.02)
            finally:
                connection.close()
        return False


@contextmanager
def emulators(count: int, environment: Mapping[str, str], **options: Any) -> Iterator[list[Emulator]]:
    """Several environments of one function, as Lambda makes them for simultaneous events."""
    with ExitStack() as stack:
        yield [stack.enter_context(Emulator(environment, **options)) for _ in range(count)]


def _dies_with_us() -> list[str]:
    """A command in front of the emulator that has the kernel end it when the tests are killed."""
    return ["setpriv", "--pdeathsig", "KILL"] if shutil.which("setpriv") else []


def descendants(pid: int) -> list[int]:
    """The processes under a process, the deepest first."""
    children = []
    for path in Path("/proc", str(pid), "task").glob("*/children"):
        with suppress(OSError):
            children += [int(child) for child in path.read_text().split()]
    return [*(deeper for child in children for deeper in descendants(child)), *children]


def _reply(status: int, payload: bytes) -> Any:
    try:
        reply = json.loads(payload or b"null")
    except ValueError:
        raise FunctionError(payload.decode(errors="replace")) from None  # "Task timed out after 3.00 seconds"
    if status != 200 or (isinstance(reply, dict) and {"errorType", "errorMessage"} <= reply.keys()):
        raise FunctionError(reply)
    return reply
