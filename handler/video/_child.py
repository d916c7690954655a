"""The child process that decodes: requests on stdin, messages on stdout (see `_protocol`), until stdin ends."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any, BinaryIO, cast

from handler.errors import RequestError
from handler.video._decoding import Decoded, DecodingError, decode
from handler.video._protocol import DECODED, FAILED, HEAD, PROGRESS

PULSE = 0.5  # seconds between signs of progress


class _Pulse:
    """Says that work goes on, but not with every frame."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._last = time.monotonic()

    def __call__(self) -> None:
        now = time.monotonic()
        if now - self._last >= PULSE:
            self._last = now
            _send(self._out, PROGRESS, b"")


def _send(out: BinaryIO, tag: bytes, content: bytes) -> None:
    out.write(HEAD.pack(tag, len(content)) + content)
    out.flush()


def _answer(request: dict[str, Any], out: BinaryIO) -> None:
    try:
        found = decode(**request, progress=_Pulse(out))
    except DecodingError as error:
        _send(out, FAILED, json.dumps({"reason": error.reason, "detail": error.detail}).encode())
    except RequestError as error:
        _send(out, FAILED, json.dumps({"refused": error.message, "field": error.field, "hint": error.hint}).encode())
    except MemoryError:
        _send(out, FAILED, json.dumps({"reason": "too_large", "detail": "out of memory"}).encode())
    except Exception as error:  # whatever a damaged file makes the library raise is the file's, and must be said
        _send(out, FAILED, json.dumps({"reason": "crashed", "detail": f"{type(error).__name__}: {error}"}).encode())
    else:
        _send_decoded(out, found)


def _send_decoded(out: BinaryIO, found: Decoded) -> None:
    images = [
        {"index": index, "pts": found.times[index], "shape": list(pixels.shape), "dtype": pixels.dtype.name}
        for index, pixels in found.pixels.items()
    ]
    _send(out, DECODED, json.dumps({"indices": found.indices, "facts": found.facts, "images": images}).encode())
    for pixels in found.pixels.values():
        out.write(memoryview(cast("Any", pixels)).cast("B"))
    out.flush()


def main() -> None:
    """Answer requests until the parent closes stdin."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a codec prints must not stand among the messages
    for line in sys.stdin.buffer:
        _answer(json.loads(line), out)


if __name__ == "__main__":
    main()
