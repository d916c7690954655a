"""How the child process that decodes and its parent talk.

A request is one line of JSON. A message back is a tag and the length of what follows: `PROGRESS` (nothing), `FAILED`
(JSON), or `DECODED` (JSON), after which the pixels of each distinct frame come as they are in memory.
"""

import struct

__all__ = ["DECODED", "FAILED", "HEAD", "PROGRESS"]

HEAD = struct.Struct(">cQ")
PROGRESS, FAILED, DECODED = b"p", b"f", b"d"
