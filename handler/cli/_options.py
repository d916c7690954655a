"""Options that several verbs share."""

from __future__ import annotations

import argparse

from handler.errors import RequestError

__all__ = ["add_reading", "assignment", "mapping"]


def add_reading(parser: argparse.ArgumentParser) -> None:
    """How to read the file."""
    add = parser.add_argument
    add("--format", default="auto", help="the file's format (auto)")
    add("--map", action="append", default=[], metavar="FIELD=COLUMN", help="read FIELD from COLUMN or #n; repeatable")
    add("--encoding", help="text encoding of the file (utf-8)")


def mapping(given: list[str]) -> dict[str, str]:
    """The --map options as {field: column}."""
    return dict(assignment(one, "--map") for one in given)


def assignment(text: str, option: str) -> tuple[str, str]:
    """NAME=VALUE, split. Raises RequestError naming the option."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise RequestError(f"{option} {text!r} is not NAME=VALUE", field=option.lstrip("-"))
    return name, value
