"""/docs: the OpenAPI document as a plain page. FastAPI's own pages load their parts from another host."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from html import escape
from importlib.resources import files
from typing import Any

from fastapi import FastAPI, Response

from handler.api._pages import page_reply

__all__ = ["add_docs"]


def add_docs(app: FastAPI) -> None:
    """Add the page; its one link is relative, so that it holds behind a stage."""

    @app.get("/docs", include_in_schema=False)
    async def docs() -> Response:
        return page_reply(_page(app.openapi()))


def _page(schema: Mapping[str, Any]) -> str:
    template = (files("handler.api") / "data" / "docs.html").read_text(encoding="utf-8")
    info = schema["info"]
    parts = {
        "title": escape(f"{info['title']} {info['version']}"),
        "summary": escape(info["summary"]),
        "operations": "".join(_operations(schema)),
        "schemas": "".join(_details(name, one) for name, one in sorted(schema["components"]["schemas"].items())),
    }
    for name, html in parts.items():
        template = template.replace(f"<!-- {name} -->", html)
    return template


def _operations(schema: Mapping[str, Any]) -> Iterator[str]:
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            yield (
                f'<section><h2><span class="method">{escape(method.upper())}</span> <code>{escape(path)}</code></h2>'
                f"<p><strong>{escape(operation['summary'])}.</strong> {_words(operation.get('description', ''))}</p>"
                f"{''.join(_body(operation))}{_responses(operation)}</section>"
            )


def _body(operation: Mapping[str, Any]) -> Iterator[str]:
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        yield f"<p>Body: <code>{escape(kind)}</code>, {_link(content['schema'])}</p>"
        for example in content.get("examples", {}).values():
            yield _details(f"Example: {example['summary']}", example["value"])


def _responses(operation: Mapping[str, Any]) -> str:
    rows = []
    for code, one in operation["responses"].items():
        kinds = "<br>".join(
            f"<code>{escape(kind)}</code> {_link(content.get('schema', {}))}"
            for kind, content in one.get("content", {}).items()
        )
        rows.append(f"<tr><th scope=row>{escape(code)}</th><td>{escape(one['description'])}</td><td>{kinds}</td></tr>")
    head = "<thead><tr><th scope=col>Status</th><th scope=col>Meaning</th><th scope=col>Content</th></tr></thead>"
    return f"<table>{head}<tbody>{''.join(rows)}</tbody></table>"


def _link(schema: Mapping[str, Any]) -> str:
    name = str(schema.get("$ref", "")).rpartition("/")[2]
    return f'<a href="#{escape(name)}">{escape(name)}</a>' if name else ""


def _words(text: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _details(title: str, value: Any) -> str:
    shown = escape(json.dumps(value, indent=2, ensure_ascii=False))
    return f'<details id="{escape(title)}"><summary>{escape(title)}</summary><pre>{shown}</pre></details>'
