"""The head of the page and one card per metric."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from handler.counting import many
from handler.reports._reasons import count_decided
from handler.reports._terminal import noun_of
from handler.reports.page._description import Description, Table
from handler.reports.page._figures import interval_bar, interval_words, method_name, shown
from handler.reports.page._text import escaped, isolated, tag

__all__ = ["head", "independence_note", "metric_card", "table"]

FEW = 30  # scored samples under which a summary is called a first impression
_AS_INDEPENDENT = {"wilson", "student-t", "delta-method"}


def head(report: Mapping[str, Any]) -> str:
    """The input's name and what was looked at."""
    counts, timing = report["counts"], report.get("timing", {})
    size = f"{many(counts['n_samples'], noun_of(report['metrics']))} in {many(counts['n_sessions'], 'session')}"
    parts = [f"{size}."]
    if not counts["n_samples"]:
        parts.append("There is nothing to score.")
    if counts["n_unreadable"]:
        parts.append(f'<a href="#problems">{many(counts["n_unreadable"], "item")} could not be read.</a>')
    if limit := report["request"].get("limit"):
        parts.append(f"Only the first {limit:,} were asked for.")
    if started := timing.get("started"):
        parts.append(f"Scored {escaped(started[:10])} in {timing['seconds']:,.1f} s.")
    return (
        f'<header><p class="eyebrow">scenescore report</p><h1>{isolated(report["input"]["name"])}</h1>'
        f'<p class="lead">{" ".join(parts)}</p></header>'
    )


def metric_card(place: int, name: str, description: Description, metric: Mapping[str, Any], *, calibrated: bool) -> str:
    """The metric's main figure with its interval, in numbers, drawn and in words; what stands beside it below."""
    overall = metric["overall"]
    main = description.main
    value, interval = overall.get(main.key), (overall.get("intervals") or {}).get(main.key)
    parts = [
        tag("h3", escaped(description.question)),
        tag("p", f"<strong>{escaped(shown(value, main.form))}</strong> {escaped(main.label)}", class_="figure"),
    ]
    if interval and value is not None:
        parts.append(interval_bar(main, value, interval, description.axis))
    parts += [tag("p", escaped(sentence)) for sentence in _sentences(overall, interval, main.form)]
    if "threshold" in overall and not calibrated:
        parts.append(tag("p", _uncalibrated(overall["threshold"], description), class_="caution"))
    parts.append(_facts(description, overall))
    parts.append(f'<div class="plot" data-metric="{place}"></div>')
    parts += [table(overall[one.key], one) for one in description.tables if overall.get(one.key)]
    parts.append(tag("p", f"<code>{escaped(name)}</code>", class_="note"))
    return tag("article", "".join(parts), class_="card")


def _sentences(overall: Mapping[str, Any], interval: Mapping[str, Any] | None, form: str) -> Iterator[str]:
    if overall.get("summary"):
        yield str(overall["summary"])
    if interval:
        words = interval_words(interval, form)
        yield (
            f"With more of the same, anything from {words} would be no surprise "
            f"({interval['level']:.0%} interval, {method_name(interval['method'])})."
        )
    n = count_decided(overall)
    if 0 < n < FEW:
        yield f"Scored: {n}. That is a first impression, not a finding."


def independence_note(metrics: Mapping[str, Any], n_sessions: int) -> str:
    """What to think of intervals that know nothing of sessions; empty where there are none."""
    methods = {one["method"] for metric in metrics.values() for one in _intervals(metric["overall"]) if one}
    if n_sessions < 2 or not methods & _AS_INDEPENDENT:
        return ""
    return (
        '<p class="note">Intervals by Wilson, Student and the delta method take samples as independent. Those of one '
        "session rarely are, so the truth is less sure than they say.</p>"
    )


def _intervals(overall: Mapping[str, Any]) -> Iterable[Mapping[str, Any] | None]:
    return (overall.get("intervals") or {}).values()


def _uncalibrated(threshold: float, description: Description) -> str:
    return (
        f"The threshold {threshold:g} is not calibrated on your own verdicts. {escaped(description.uncalibrated)} "
        f"<code>{escaped(description.calibrate)}</code> finds a threshold for your data."
    )


def _facts(description: Description, overall: Mapping[str, Any]) -> str:
    intervals, undefined = overall.get("intervals") or {}, overall.get("undefined") or {}
    rows: list[tuple[str, str]] = []
    absent: dict[str, list[str]] = {}
    for figure in description.figures:
        value = overall[figure.key]
        if value is None:
            absent.setdefault(str(undefined.get(figure.key, "nothing supports it")), []).append(figure.label)
            continue
        text = escaped(shown(value, figure.form))
        if intervals.get(figure.key):
            text += f" <small>{escaped(interval_words(intervals[figure.key], figure.form))}</small>"
        rows.append((escaped(figure.label), text))
    undecided = overall.get("n_undecided", 0)
    more = f', <a href="#problems">{undecided:,} undecided</a>' if undecided else ""
    rows.append(("Scored", f"{count_decided(overall):,} of {overall['n_samples']:,}{more}"))
    if overall["n_skipped"] or overall["n_error"]:
        rows.append(("Skipped, in error", f'<a href="#problems">{overall["n_skipped"]:,}, {overall["n_error"]:,}</a>'))
    found = "".join(f"<div><dt>{label}</dt><dd>{text}</dd></div>" for label, text in rows)
    missing = "".join(
        tag("p", f"Not given: {escaped(', '.join(labels))} ({escaped(reason)}).", class_="note")
        for reason, labels in absent.items()
    )
    return tag("dl", found, class_="facts") + missing


def table(value: Mapping[str, Any], wanted: Table) -> str:
    """A confusion table, or a mapping of slices to figures."""
    if "counts" in value and "labels" in value:
        names = [str(one) for one in value["labels"]]
        corner = f"{value.get('rows', '')} \\ {value.get('columns', '')}"
        rows = list(zip(names, value["counts"], strict=True))
        return _grid(wanted.title, [corner, *names], rows, "count", diagonal=True)
    inner = [one for one in value.values() if isinstance(one, Mapping)]
    if not inner:
        return _grid(wanted.title, [*wanted.heads], [(name, [one]) for name, one in value.items()], wanted.form)
    columns = [key for key in inner[0] if not isinstance(inner[0][key], Mapping | list)]
    rows = [(name, [one.get(key) for key in columns]) for name, one in value.items() if isinstance(one, Mapping)]
    return _grid(wanted.title, ["", *columns], rows, wanted.form)


def _grid(title: str, heads: list[str], rows: list[tuple[str, list[Any]]], form: str, *, diagonal: bool = False) -> str:
    lines = []
    for place, (name, cells) in enumerate(rows):
        marks = ["same" if diagonal and place == column else "n" for column in range(len(cells))]
        shown_cells = zip(marks, cells, heads[1:], strict=True)
        row = "".join(
            tag(
                "td",
                escaped(shown(one, "count" if key.startswith("n") and key[1:2] in ("", "_") else form)),
                class_=mark,
            )
            for mark, one, key in shown_cells
        )
        lines.append(f'<tr><th scope="row">{isolated(name)}</th>{row}</tr>')
    names = "".join(f'<th scope="col">{isolated(one.replace("_", " "))}</th>' for one in heads)
    body = f"<caption>{escaped(title)}</caption><thead><tr>{names}</tr></thead><tbody>{''.join(lines)}</tbody>"
    return f'<div class="wide" tabindex="0" role="region" aria-label="{escaped(title)}"><table>{body}</table></div>'
