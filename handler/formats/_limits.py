"""Bounds that keep one hostile or broken file from taking the process down."""

from __future__ import annotations

CHUNK_BYTES = 1 << 18
"""Bytes read at a time; also the most of a file that sniffing looks at."""

MAX_DEPTH = 64
"""Nesting levels of one JSON element: real annotation files use about six."""

MAX_TEXT = 1_000_000
"""Characters of one text: a description of a frame is a few hundred, a transcript of a day a few hundred thousand."""

MAX_ELEMENT = 64_000_000
"""Characters of one JSON element or line held at once, small beside a Lambda function's memory."""

MAX_CHECKED_IDS = 250_000
"""Sample ids remembered for the duplicate check, as 64-bit hashes: about 24 MB."""

MAX_RATIO = 300
"""gzip turns annotation files into a tenth to a hundredth; its own ceiling, zeros only, is 1032."""

RATIO_FREE_BYTES = 64_000_000
"""Decompressed bytes before the ratio is looked at."""

MAX_DECOMPRESSED = 1 << 36
"""Decompressed bytes of one file, 64 GiB."""

MAX_JOINED = 1_000_000
"""Entries of a question or reference file held in memory: VQA v2, the largest such set in use, has 443,757 in one file."""
