"""Untrusted text on its way into a page: nothing in it can become markup, script or a turn of the reading direction."""

from __future__ import annotations

import html
import re
from typing import Any

import orjson

__all__ = ["clean", "data_block", "escaped", "isolated", "tag"]

# Controls but tab and line feed, line and paragraph separators, what turns or overrides the reading direction until it is
# ended, the byte order mark, and half characters.
_HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
_IN_SCRIPT = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def clean(text: str) -> str:
    """The text with characters that would act instead of show written as `[U+202E]`."""
    if text.isascii() and text.isprintable():  # most are, and a page cleans some 350,000
        return text
    unified = text.replace("\r\n", "\n").replace("\r", "\n")
    return _HIDDEN.sub(lambda found: f"[U+{ord(found[0]):04X}]", unified)


def escaped(text: str) -> str:
    """The cleaned text, safe between tags and inside a quoted attribute."""
    return html.escape(clean(text))


def isolated(text: str) -> str:
    """The text in an element of its own direction, so that right-to-left text leaves its neighbours in their places."""
    return f"<bdi>{escaped(text)}</bdi>"


def tag(name: str, content: str, /, **attributes: str) -> str:
    """An element around markup that is safe already. Attribute values are escaped; `class_` gives `class`."""
    given = "".join(f' {key.rstrip("_").replace("_", "-")}="{escaped(value)}"' for key, value in attributes.items())
    return f"<{name}{given}>{content}</{name}>"


def data_block(identity: str, value: Any) -> str:
    """A block of JSON that no text in it can end. Raises TypeError for a value that is not JSON."""
    text = orjson.dumps(value).decode()
    inert = re.sub("[<>&\u2028\u2029]", lambda found: _IN_SCRIPT[found[0]], text)
    return f'<script type="application/json" id="{identity}">{inert}</script>'
