"""What is wrong with a piece of JSON, in words that say what to do."""

from __future__ import annotations

from handler.formats._values import clip

_PYTHON_WORDS = ("True", "False", "None", "undefined", "nan", "inf")
COMMENTS = ("//", "/*", "#")


def explain(message: str, text: str, pos: int, *, at_end: bool) -> str:
    """One clause for the parser's `message` about `text` at `pos`. at_end: no more text follows `text`."""
    rest = text[pos : pos + 40].lstrip()
    before = text[max(0, pos - 40) : pos].rstrip()[-1:]
    if at_end and (not rest or message.startswith("Unterminated")):
        return "unexpected end of JSON: the file seems cut off"
    if message.startswith("Invalid control character"):
        code = ord(text[pos])
        return f"control character U+{code:04X} inside a text: write it as \\u{code:04x} (a tab as \\t, a line break as \\n)"
    if rest[:1] in ("]", "}") and before == ",":
        return f"trailing comma before {rest[0]!r}: remove it"
    if message.startswith("Illegal trailing comma"):
        return "trailing comma: remove it"
    if rest.startswith("'"):
        return "single quotes: JSON needs double quotes"
    if rest.startswith(COMMENTS):
        return "comments are not JSON: remove them"
    if rest.startswith(_PYTHON_WORDS):
        return f"{clip(rest.split(',')[0], 12)!r} is not JSON: write true, false or null"
    if message.startswith("Extra data"):
        if rest.startswith(("{", "[")):
            return "extra data after the JSON document: it looks like JSON Lines, which has one object a line"
        return f"extra data after the JSON document: {clip(rest, 12)!r}"
    return f"not valid JSON: {_lowered(message)}" + (f", found {clip(rest, 12)!r}" if rest else "")


def _lowered(message: str) -> str:
    return (message[:1].lower() + message[1:]).removesuffix(" at")
