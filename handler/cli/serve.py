"""`scenescore serve`: a page and the HTTP API, on this machine."""

from __future__ import annotations

import argparse
import importlib.util
import socket
from dataclasses import replace
from pathlib import Path

from handler.cli._model import model_folder
from handler.errors import RequestError
from handler.settings import Settings

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verb's options."""
    add = parser.add_argument
    add("--host", default="127.0.0.1", help="address to listen on; others than this machine's own open it to a network")
    add("--port", type=int, default=8000, help="port to listen on, 0 for any free one (8000)")
    add("--model", type=Path, metavar="DIR", help="folder of an exported text encoder (SCENESCORE_MODEL)")
    add("--output", metavar="DIR", help="where result folders go, a path or s3:// prefix (./scenescore-results)")


def run(options: argparse.Namespace) -> int:
    """Serve until stopped."""
    if importlib.util.find_spec("uvicorn") is None:
        raise RequestError(
            "serving needs the serve extra, which is not installed", hint="pip install 'scenescore[serve]'"
        )
    listening = _listen(options.host, options.port)
    with listening:
        settings = Settings.from_environment()
        settings = replace(settings, model=model_folder(options.model), output=options.output or settings.output)
        settings.check()
        import uvicorn

        from handler.api import create_local_app

        app = create_local_app(settings, options.host)
        config = uvicorn.Config(app, lifespan="off", log_level="warning", access_log=False, server_header=False)
        host = f"[{options.host}]" if ":" in options.host else options.host
        print(f"Open http://{host}:{listening.getsockname()[1]}/ (Ctrl+C ends it)", flush=True)
        try:
            uvicorn.Server(config).run(sockets=[listening])
        except KeyboardInterrupt:  # uvicorn has shut down in order by then
            print()
    return 0


def _listen(host: str, port: int) -> socket.socket:
    """A listening socket, or one clear line why there is none."""
    if not 0 <= port <= 65535:
        raise RequestError(f"there is no port {port}", field="port", hint="Ports are 0 to 65535")
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise RequestError(
            f"cannot listen on {host}:{port}: {error.strerror}",
            field="port",
            hint="Choose another with --port or --host",
        ) from error
