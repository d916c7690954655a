"""report.html: one page that needs nothing from anywhere, and is allowed nothing from anywhere."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from handler.errors import InputError
from handler.reports._terminal import noun_of
from handler.reports.page._boxes import boxes
from handler.reports.page._calibration import calibration
from handler.reports.page._comparison import comparison
from handler.reports.page._description import Description
from handler.reports.page._frames import SEED, Frames
from handler.reports.page._metrics import describe
from handler.reports.page._nested import nested
from handler.reports.page._problems import problems
from handler.reports.page._summary import head, independence_note, metric_card
from handler.reports.page._tables import group_tables, session_table
from handler.reports.page._text import clean, data_block, escaped, isolated, tag
from handler.reports.page._worst import worst_indexes, worst_samples

__all__ = ["decision_page", "page"]

SCRIPTS = ("basics", "difference", "grid", "threshold", "claims", "tables", "frame", "start")
GROUP_LIMIT = 12  # tables of tag values

_DECISIONS = {"calibration": calibration, "comparison": comparison}
Section = tuple[str, str, str]
"""Name in the address, title, content; a section without content is left out."""


def page(report: Mapping[str, Any], *, lines: Iterable[bytes], errors: Iterable[Mapping[str, Any]]) -> str:
    """The page. lines: of samples.jsonl. errors: the rows of errors.jsonl.

    Texts of the input appear as text, whatever they hold: they are escaped where they stand in markup and in the data block,
    and the policy lets no script run but the page's own, whose hash it names.
    """
    metrics = report["metrics"]
    descriptions = {name: describe(name, metric["overall"]) for name, metric in metrics.items()}
    n = report["counts"]["n_samples"]
    frames = Frames(lines, n=n, metrics=descriptions, keep=set(worst_indexes(metrics)))
    shown = [one for one in _sections(report, errors, descriptions, frames) if one[2]]
    links = "".join(f'<a href="#{name}">{title}</a>' for name, title, _ in shown)
    body = [
        '<a class="skip" href="#main">Skip to the content</a>',
        head(report),
        tag("nav", links, aria_label="Sections"),
        tag("main", "".join(_section(*one) for one in shown), id="main"),
        f"<footer><p>{_footer(report)}</p></footer>",
        '<dialog id="frame" aria-labelledby="frame-title"></dialog>',
        data_block("data", _document(report, descriptions, frames)),
    ]
    return _document_of(clean(report["input"]["name"]), "\n".join(body))


def decision_page(document: Mapping[str, Any]) -> str:
    """The page of a calibration or of a comparison alone, told by its schema. Raises InputError for anything else."""
    kind = str(document.get("schema", "")).removeprefix("scenescore.").partition("/")[0]
    if kind not in _DECISIONS:
        raise InputError(
            f"there is no page for {document.get('schema', 'a document without schema')!r}",
            field="schema",
            hint="Name a result folder, or a calibration or comparison that scenescore wrote",
        )
    body = [
        f'<header><p class="eyebrow">scenescore</p><h1>{kind.capitalize()}</h1></header>',
        tag("main", _section(kind, "Findings", _decision(kind, document)), id="main"),
        data_block("data", {}),
    ]
    return _document_of(kind.capitalize(), "\n".join(body))


def _sections(
    report: Mapping[str, Any],
    errors: Iterable[Mapping[str, Any]],
    descriptions: Mapping[str, Description],
    frames: Frames,
) -> list[Section]:
    metrics = report["metrics"]
    n_sessions = report["counts"]["n_sessions"]
    calibration_part = report.get("calibration") or {}
    calibrated = set(calibration_part.get("metrics") or metrics) if calibration_part.get("calibrated") else set()
    cards = [
        metric_card(place, name, descriptions[name], metric, calibrated=name in calibrated)
        for place, (name, metric) in enumerate(metrics.items())
    ]
    has_threshold = any(one.score.form == "below" for one in descriptions.values()) and len(frames)
    return [
        ("summary", "At a glance", tag("div", "".join(cards), class_="cards") + independence_note(metrics, n_sessions)),
        ("threshold", "Move the threshold", _NEEDS_SCRIPT if has_threshold else ""),
        ("calibration", "Calibration", _decision("calibration", report.get("calibration"))),
        ("comparison", "Comparison", _decision("comparison", report.get("comparison"))),
        ("sessions", "Sessions", _NEEDS_SCRIPT if n_sessions > 1 else ""),
        ("groups", "Groups", _NEEDS_SCRIPT if any(metric["groups"] for metric in metrics.values()) else ""),
        ("worst", "Look at these first", worst_samples(metrics, descriptions, frames.kept)),
        ("pictures", "What the detector saw", boxes(report.get("detections"))),
        ("frames", "All samples", _NEEDS_SCRIPT if len(frames) else ""),
        ("problems", "Skipped, unreadable, noticed", problems(report, errors)),
        ("made", "How this was made", _made(report)),
    ]


def _decision(kind: str, document: Any) -> str:
    """The section of a calibration or comparison; one that is built otherwise than this version knows is listed as it is."""
    try:
        return _DECISIONS[kind](document)
    except (AttributeError, KeyError, TypeError, ValueError):
        return nested(document)


def _section(name: str, title: str, content: str) -> str:
    return f'<section id="{name}" aria-labelledby="{name}-title"><h2 id="{name}-title">{title}</h2>{content}</section>'


def _made(report: Mapping[str, Any]) -> str:
    signatures = "".join(f"<li><code>{escaped(one)}</code></li>" for one in report.get("signature", {}).values())
    parts = {key: report.get(key) or {} for key in ("request", "input", "environment", "timing")}
    details = "".join(
        f"<details><summary>{key.capitalize()}</summary>{nested(value)}</details>" for key, value in parts.items()
    )
    return (
        f'<p>Two reports with the same signature can be compared.</p><ul class="signatures">{signatures}</ul>{details}'
    )


def _footer(report: Mapping[str, Any]) -> str:
    version = report.get("environment", {}).get("scenescore") or ""
    return f"Made by scenescore {isolated(version)}. This page loads nothing and sends nothing."


def _document(report: Mapping[str, Any], descriptions: Mapping[str, Description], frames: Frames) -> dict[str, Any]:
    metrics = report["metrics"]
    counted = [(place, name) for place, name in enumerate(metrics) if descriptions[name].score.form == "below"]
    threshold = None
    if counted:
        place, name = counted[0]
        threshold = {"metric": place, "value": metrics[name]["overall"]["threshold"]}
    return {
        "noun": noun_of(metrics),
        "seed": SEED if frames.is_sampled else None,
        "metrics": [{"name": name, "label": one.score.label, "form": one.score.form} for name, one in descriptions.items()],
        "threshold": threshold,
        "sessions": session_table(metrics, descriptions),
        "groups": group_tables(metrics, descriptions)[:GROUP_LIMIT],
        "frames": frames.document(),
    }  # fmt: skip


def _document_of(title: str, body: str) -> str:
    style, script = _asset("page.css"), _script()
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n<meta name="color-scheme" content="light dark">\n'
        f'<title>{escaped(title)} – scenescore</title>\n<link rel="icon" href="data:,">\n'
        f"<style>{style}</style>\n</head>\n<body>\n{body}\n<script>{script}</script>\n</body>\n</html>\n"
    )


@cache
def _script() -> str:
    parts = "\n".join(_asset(f"{name}.js") for name in SCRIPTS)
    return f'(() => {{\n"use strict";\n{parts}}})();\n'


@cache
def _asset(name: str) -> str:
    return (files("handler.reports.page") / "data" / name).read_text(encoding="utf-8")


def _digest(block: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(block.encode()).digest()).decode()}"


_NEEDS_SCRIPT = '<div class="live"><p class="note">This part needs JavaScript.</p></div>'
