"""The samples that deserve a person's eye: both texts side by side, and what the row says about them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from handler.reports.page._description import Description
from handler.reports.page._figures import shown
from handler.reports.page._frames import MAX_TAGS, as_text
from handler.reports.page._text import clean, escaped, isolated, tag

__all__ = ["worst_indexes", "worst_samples"]

LIMIT = 20
_PICTURE = re.compile(
    r"(?:^|_)(?:image|img|frame|picture|photo|file|thumbnail|s3)?_?(?:path|url|uri|name|image|img)$", re.I
)
_SUFFIX = re.compile(r"\.(?:jpe?g|png|webp|gif|bmp|tiff?|avif|heic)(?:[?#].*)?$", re.I)
_LINK = re.compile(r"https?://[^\s/@\\]+(?:[/?#]\S*)?$", re.I)


def worst_indexes(metrics: Mapping[str, Any]) -> list[int]:
    """The samples that any metric lists as worst, those of the first metric first."""
    return list(dict.fromkeys(one["index"] for metric in metrics.values() for one in metric["worst"]))[:LIMIT]


def worst_samples(
    metrics: Mapping[str, Any], descriptions: Mapping[str, Description], rows: Mapping[int, Mapping[str, Any]]
) -> str:
    """One article a sample."""
    entries = {one["index"]: (name, one) for name in reversed(list(metrics)) for one in metrics[name]["worst"]}
    articles = []
    for index in worst_indexes(metrics):
        name, entry = entries[index]
        articles.append(_article(entry, descriptions[name], descriptions, rows.get(index, {})))
    if not articles:
        return ""
    legend = "<p class=note>Marked are words that the other side does not have.</p>"
    return (legend if any(one.is_text for one in descriptions.values()) else "") + "".join(articles)


def _article(
    entry: Mapping[str, Any],
    description: Description,
    descriptions: Mapping[str, Description],
    row: Mapping[str, Any],
) -> str:
    place = f"{isolated(entry['session_id'])} / {isolated(str(entry['sample_id']))}"
    link = f'<a href="#frame-{entry["index"]}">{place}</a>'
    figures = ", ".join(_scores(row, descriptions)) or shown(entry["score"], "score")
    by = f" · {isolated(entry['assistant_id'])}" if entry["assistant_id"] != "unknown" else ""
    parts = [tag("h3", link), tag("p", escaped(figures) + by, class_="note")]
    if "question" in entry:
        parts.append(tag("p", f"<span>Asked</span> {isolated(entry['question'])}", class_="asked"))
    texts = [(description.sides[0], entry["answer"])]
    texts += [(description.sides[1], one) for one in entry["references"][:3]] or [(description.sides[1], "")]
    sides = "".join(
        tag(
            "div",
            f'{tag("p", escaped(who), class_="who")}<p dir="auto" class="said">{escaped(text) or "<i>(empty)</i>"}</p>',
        )
        for who, text in texts
    )
    parts.append(tag("div", sides, class_="sides diff" if description.is_text else "sides"))
    parts += _beside(row, descriptions)
    return tag("article", "".join(parts), class_="worst", id=f"worst-{entry['index']}")


def _scores(row: Mapping[str, Any], descriptions: Mapping[str, Description]) -> Iterator[str]:
    seen: set[float] = set()
    for name, details in row.get("metrics", {}).items():
        figure = descriptions[name].score
        value = details.get(figure.key)
        if details.get("state") != "scored" or value is None:
            continue
        if figure.form == "below":
            sign = "below" if details.get("is_hallucination") else "not below"
            yield f"{sign} {details.get('threshold'):g}" if value in seen else f"{value:.3f}, {sign} the threshold"
        elif figure.form == "truth":
            yield f"{figure.label.lower()}: {'yes' if value else 'no'}"
        else:
            yield f"{figure.label} {shown(value, figure.form)}"
        seen.add(value)


def _beside(row: Mapping[str, Any], descriptions: Mapping[str, Description]) -> Iterator[str]:
    facts: list[tuple[str, str]] = []
    for name, details in row.get("metrics", {}).items():
        if isinstance(lines := details.get("alignment"), list):
            yield tag("pre", escaped("\n".join(map(str, lines))), tabindex="0", aria_label="Alignment")
        if not descriptions[name].is_text:  # of two texts, the texts themselves say more
            wanted = descriptions[name].evidence or {}
            facts += [(label, as_text(details[key])) for key, label in wanted.items() if details.get(key) is not None]
    facts += [(clean(key), as_text(value)) for key, value in row.get("tags", {}).items() if value is not None][
        :MAX_TAGS
    ]
    cells = [f"<div><dt>{isolated(label)}</dt><dd>{isolated(text)}</dd></div>" for label, text in facts]
    if picture := _picture(row):
        cells.append(f"<div><dt>Picture</dt><dd>{picture}</dd></div>")
    if cells:
        yield tag("dl", "".join(cells), class_="beside")


def _picture(row: Mapping[str, Any]) -> str | None:
    """A link to follow on purpose for a web address, the bare place for anything else: the page itself fetches nothing."""
    for key, value in [*row.get("columns", {}).items(), *row.get("tags", {}).items()]:
        if not isinstance(value, str) or not (_PICTURE.search(key) or _SUFFIX.search(value)) or len(value) > 2000:
            continue
        if _LINK.match(value) and clean(value) == value:
            link = f'<a href="{escaped(value)}" target="_blank" rel="noopener noreferrer external">'
            return f"{link}Open {escaped(value.split('/')[2])} in a new tab</a>"
        if _SUFFIX.search(value) or "/" in value:
            return f"<code>{isolated(value)}</code>"
    return None
