"""The samples that deserve a person's eye: both texts side by side, and what the row says about them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from handler.reports._reasons import why_undecided
from handler.reports.page._claims import CLAIMS, claim_list, judged, kinds_of, marked_texts
from handler.reports.page._description import Description
from handler.reports.page._figures import shown
from handler.reports.page._frames import MAX_TAGS, as_text
from handler.reports.page._text import clean, escaped, isolated, tag
from handler.samples import UNKNOWN_ASSISTANT

__all__ = ["worst_indexes", "worst_samples"]

LIMIT = 20
_PICTURE = re.compile(
    r"(?:^|_)(?:image|img|frame|picture|photo|file|thumbnail|s3)?_?(?:path|url|uri|name|image|img)$", re.I
)
_SUFFIX = re.compile(r"\.(?:jpe?g|png|webp|gif|bmp|tiff?|avif|heic)(?:[?#].*)?$", re.I)
_LINK = re.compile(r"https?://[^\s/@\\]+(?:[/?#]\S*)?$", re.I)


def worst_indexes(metrics: Mapping[str, Any]) -> list[int]:
    """The samples that any metric lists as worst: contradicted ones first, then those of the first metric."""
    return list(dict.fromkeys(one["index"] for name in _ranked(metrics) for one in metrics[name]["worst"]))[:LIMIT]


def _ranked(metrics: Iterable[str]) -> list[str]:
    return sorted(metrics, key=lambda name: name != CLAIMS)


def worst_samples(
    metrics: Mapping[str, Any], descriptions: Mapping[str, Description], rows: Mapping[int, Mapping[str, Any]]
) -> str:
    """One article a sample."""
    entries = {one["index"]: (name, one) for name in reversed(_ranked(metrics)) for one in metrics[name]["worst"]}
    articles = []
    for index in worst_indexes(metrics):
        name, entry = entries[index]
        articles.append(_article(entry, name, descriptions, rows.get(index, {})))
    if not articles:
        return ""
    is_text = any(one.is_text for one in descriptions.values())
    return (_LEGENDS[any(map(judged, rows.values()))] if is_text else "") + "".join(articles)


_LEGENDS = {
    False: "<p class=note>Marked are words that the other side does not have.</p>",
    True: (
        "<p class=note>Marked are the words that a claim rests on, with its number and kind; dotted below are words that "
        "the other side neither says nor denies.</p>"
    ),
}


def _article(
    entry: Mapping[str, Any],
    name: str,
    descriptions: Mapping[str, Description],
    row: Mapping[str, Any],
) -> str:
    description = descriptions[name]
    place = f"{isolated(entry['session_id'])} / {isolated(str(entry['sample_id']))}"
    link = f'<a href="#frame-{entry["index"]}">{place}</a>'
    figures = ", ".join(_scores(row, descriptions)) or shown(entry["score"], "score")
    by = f" · {isolated(entry['assistant_id'])}" if entry["assistant_id"] != UNKNOWN_ASSISTANT else ""
    parts = [tag("h3", link), tag("p", escaped(figures) + by, class_="note")]
    if "question" in entry:
        parts.append(tag("p", f"<span>Asked</span> {isolated(entry['question'])}", class_="asked"))
    parts.append(_sides(entry, name, description, row))
    details = judged(row)
    kinds = kinds_of(details) if details else []
    if details:
        parts.append(claim_list(details, description.sides))
    parts += _beside(row, descriptions)
    more = {"data_kinds": "\n".join(kinds)} if kinds else {}
    return tag("article", "".join(parts), class_="worst", id=f"worst-{entry['index']}", **more)


def _sides(entry: Mapping[str, Any], name: str, description: Description, row: Mapping[str, Any]) -> str:
    """Answer and references, with the words of claims marked where there is a judgement, else with those that differ."""
    model, person = description.sides
    references = entry["references"][:3]
    details = judged(row)
    if details:
        answer, others = marked_texts(details, entry["answer"], references, counted=_counted(row, name, details))
    else:
        answer, others = escaped(entry["answer"]), [escaped(one) for one in references]
    texts = [(model, answer), *((person, one) for one in others or [""])]
    sides = "".join(
        tag("div", f'{tag("p", escaped(who), class_="who")}<p dir="auto" class="said">{text or "<i>(empty)</i>"}</p>')
        for who, text in texts
    )
    return tag("div", sides, class_="sides diff" if description.is_text and not details else "sides")


def _counted(row: Mapping[str, Any], name: str, details: Mapping[str, Any]) -> int:
    """Where the entry, whose first reference is the one that counted for the metric `name`, shows the judged one."""
    first, wanted = row["metrics"].get(name, {}).get("best_reference", 0), details.get("best_reference", 0)
    return 0 if wanted == first else wanted + (wanted < first)


def _scores(row: Mapping[str, Any], descriptions: Mapping[str, Description]) -> Iterator[str]:
    seen: set[float] = set()
    measured = sorted(row.get("metrics", {}).items(), key=lambda one: descriptions[one[0]].score.form == "below")
    for name, details in measured:
        figure = descriptions[name].score
        value = details.get(figure.key)
        if details.get("state") != "scored" or value is None:
            continue
        if words := why_undecided(details):
            yield f"{figure.label}: {words}"
            continue
        if figure.form == "below":
            sign = "below" if details.get("is_hallucination") else "not below"
            yield f"{sign} {details.get('threshold'):g}" if value in seen else f"{value:.3f}, {sign} the threshold"
        elif figure.form == "truth":
            yield f"{figure.label.lower()}: {'yes' if value else 'no'}"
        else:
            verdict = f", {details['verdict']}" if isinstance(details.get("verdict"), str) else ""
            yield f"{figure.label} {shown(value, figure.form)}{verdict}"
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
