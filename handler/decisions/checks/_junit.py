"""JUnit XML, as Jenkins, GitLab and GitHub's report actions read it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape, quoteattr

from handler.decisions.checks._check import Check

__all__ = ["junit"]

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(suite: str, checks: Sequence[Check]) -> bytes:
    """A test suite with a test case per check; characters that XML 1.0 cannot hold become U+FFFD.

    `open` passes, and its reason stands in system-out. Times are 0: a check takes none.
    """
    return "\n".join(_lines(suite, checks)).encode("utf-8") + b"\n"


def _lines(suite: str, checks: Sequence[Check]) -> Iterator[str]:
    failures = sum(one.outcome == "failed" for one in checks)
    counts = f'tests="{len(checks)}" failures="{failures}" errors="0" time="0"'
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f"<testsuites name={_attribute(suite)} {counts}>"
    yield f'  <testsuite name={_attribute(suite)} skipped="0" {counts}>'
    for one in checks:
        yield f'    <testcase classname={_attribute(one.group)} name={_attribute(one.name)} time="0">'
        if one.outcome == "failed":
            reason = f"{one.name}: {one.reason}"
            yield f'      <failure type="gate" message={_attribute(one.reason)}>{escape(_valid(reason))}</failure>'
        else:
            yield f"      <system-out>{escape(_valid(f'{one.outcome}: {one.reason}'))}</system-out>"
        yield "    </testcase>"
    yield "  </testsuite>"
    yield "</testsuites>"


def _attribute(text: str) -> str:
    return quoteattr(" ".join(_valid(text).split()))


def _valid(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
