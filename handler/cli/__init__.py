"""The terminal: `scenescore VERB ...`, one module per verb."""

from __future__ import annotations

import argparse
import contextlib
import difflib
import errno
import importlib
import io
import os
import signal
import sys
import textwrap
import traceback
from collections.abc import Sequence
from typing import Any, NoReturn

from handler.errors import InternalError, RequestError, ScenescoreError, StorageError

__all__ = ["main"]

VERBS = {
    "evaluate": "score a file of descriptions",
    "calibrate": "find the threshold that people's verdicts support",
    "report": "make a page, Markdown or a table of a finished result",
    "metrics": "list the metrics",
    "inspect": "say what a file holds and how it would be read",
    "compare": "compare two or more results on the same samples",
    "detect": "find and describe what is in pictures and videos with an exported GRiT (needs the images, video extra)",
    "questions": "build yes/no question sets from what is in the pictures",
    "serve": "open a page and the HTTP API on this machine (needs the serve extra)",
    "export": "export a model to ONNX (needs the export extra)",
    "doctor": "say what metrics can and cannot see in your own references",
    "selfcheck": "prove the numbers on this machine",
}


class _Help(argparse.HelpFormatter):
    """Help whose lines break between words alone: names such as label-studio and ./scenescore-results stay whole."""

    def add_argument(self, action: argparse.Action) -> None:
        super().add_argument(action)
        if action.nargs == argparse.PARSER:  # its verbs stand one step further in, which argparse does not count
            self._action_max_length += self._indent_increment

    def _split_lines(self, text: str, width: int) -> list[str]:
        return textwrap.wrap(" ".join(text.split()), width, break_on_hyphens=False, break_long_words=False)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return textwrap.indent("\n".join(self._split_lines(text, width - len(indent))), indent)


class _Parser(argparse.ArgumentParser):
    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{"formatter_class": _Help, **options})

    def error(self, message: str) -> NoReturn:
        raise RequestError(message, hint=f"See `{self.prog} --help`")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Refuse unknown options here, where it is known which verb they were meant for."""
        options, rest = super().parse_known_args(args, namespace)
        if rest:
            near = difflib.get_close_matches(rest[0].split("=")[0], self._option_string_actions, n=1, cutoff=0.7)
            hint = f"Did you mean {near[0]}?" if near else f"See `{self.prog} --help`"
            raise RequestError(f"there is no argument {rest[0]!r}", hint=hint)
        return options, rest


def main(argv: Sequence[str] | None = None) -> int:
    """Run one verb. Returns the exit code: 0 done, 1 a gate failed, 2 the input or call is wrong, 3 our fault."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    _open_streams()
    with contextlib.suppress(ValueError):  # not in the main thread: then signals are somebody else's
        signal.signal(signal.SIGTERM, _on_terminate)
    try:
        return _dispatch(arguments)
    except ScenescoreError as error:
        return _fail(error)
    except BrokenPipeError:
        # The reader went away (`| head`): that is its right. Python must not try to flush again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print("scenescore: stopped", file=sys.stderr)
        return 130
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
            return _fail(StorageError(f"cannot write: {error.strerror}"))
        return _unexpected(error)
    except Exception as error:
        return _unexpected(error)


def _open_streams() -> None:
    """A closed stream swallows what it is given, and a narrow one shows what it cannot print as escapes."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - lives as long as the process
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - as above
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _on_terminate(number: int, frame: object) -> NoReturn:
    """Leave as on Ctrl-C, so that half-written files are removed."""
    raise SystemExit(128 + number)


def _unexpected(error: Exception) -> int:
    if os.environ.get("SCENESCORE_DEBUG"):
        traceback.print_exception(error)
    hint = "Run again with SCENESCORE_DEBUG=1 and report what it prints"
    return _fail(InternalError(f"unexpected {type(error).__name__}: {error}", hint=hint))


def _dispatch(arguments: list[str]) -> int:
    parser = _Parser(
        prog="scenescore",
        description="How far can the words of a vision-language model be trusted?",
        epilog="Exit codes: 0 done, 1 a gate asked for failed, 2 the input or the call is wrong, 3 our fault.",
    )
    parser.add_argument("--version", action="store_true", help="print the version")
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", title="verbs", parser_class=_Parser)
    wanted = next((word for word in arguments if not word.startswith("-")), None)
    for verb, text in VERBS.items():
        sub = verbs.add_parser(verb, help=text, description=f"{text[0].upper()}{text[1:]}.")
        if verb == wanted:  # the other verbs' modules stay unimported
            importlib.import_module(f"handler.cli.{verb}").add_arguments(sub)
    if wanted is not None and wanted not in VERBS:
        near = difflib.get_close_matches(wanted, VERBS, n=1)
        hint = f"Did you mean `scenescore {near[0]}`?" if near else "See `scenescore --help`"
        raise RequestError(f"there is no verb {wanted!r}", hint=hint)
    options = parser.parse_args(arguments)
    if options.version:
        from importlib.metadata import version

        print(f"scenescore {version('scenescore')}")
        return 0
    if options.verb is None:
        raise RequestError("name a verb", hint="See `scenescore --help`")
    code: int = importlib.import_module(f"handler.cli.{options.verb}").run(options)
    return code


def _fail(error: ScenescoreError) -> int:
    print(f"scenescore: {error}", file=sys.stderr)
    return error.exit_code
