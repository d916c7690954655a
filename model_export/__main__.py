"""`python -m model_export VERB`: the command line of the export. Progress on stderr, the result on stdout."""

from __future__ import annotations

import argparse
import re
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path

from handler.errors import InternalError, ScenescoreError
from handler.settings import PRECISIONS
from model_export.known import CLIP, MPNET

__all__ = ["main"]

Options = argparse.Namespace
PROGRAM = "scenescore export"
"""What people type; `python -m model_export` is the same."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb. Returns 0 when the model is there, 2 when it cannot be had or is refused, 3 when we are at fault."""
    options = _parser().parse_args(arguments)
    try:
        for line in VERBS[options.verb](options):
            print(line)
    except ScenescoreError as error:
        print(f"model_export: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("model_export: stopped", file=sys.stderr)
        return 130
    except Exception as error:  # the last door: a named, one-line error instead of a bare traceback
        if options.verbose:
            traceback.print_exc()
        fault = InternalError(f"{type(error).__name__}: {error}", hint="Run again with --verbose and report it")
        print(f"model_export: {fault}", file=sys.stderr)
        return fault.exit_code
    return 0


def _text_encoder(options: Options) -> list[str]:
    from model_export.parity import parity_line
    from model_export.text_encoder import export_text_encoder

    folder, parity = export_text_encoder(
        options.model, weights=options.weights, output=options.output, force=options.force, verbose=options.verbose
    )
    said = [str(folder), parity_line(parity)]
    if options.precision == "int8":
        from model_export.compact.export import export_compact
        from model_export.compact.gate import compact_line

        folder, parity = export_compact(folder, force=options.force)
        said += [str(folder), compact_line(parity)]
    return said


def _grit(options: Options) -> list[str]:
    from model_export.grit.export import export_grit, parity_line

    folder, parity = export_grit(
        options.checkpoint,
        output=options.output,
        sha256=options.sha256,
        vocabulary=options.vocabulary,
        precision=options.precision,
        force=options.force,
        verbose=options.verbose,
    )
    return [str(folder), parity_line(parity)]


def _clip(options: Options) -> list[str]:
    from model_export.clip import export_clip, parity_line

    folder, parity = export_clip(
        options.model, weights=options.weights, output=options.output, force=options.force, verbose=options.verbose
    )
    return [str(folder), parity_line(parity)]


VERBS: dict[str, Callable[[Options], list[str]]] = {
    "mpnet": _text_encoder,
    "text-encoder": _text_encoder,
    "clip": _clip,
    "grit": _grit,
}


def _parser() -> argparse.ArgumentParser:
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--output", type=Path, help="folder to write (default: the user's cache folder)")
    common.add_argument("--force", action="store_true", help="export again even if nothing changed")
    common.add_argument("--verbose", action="store_true", help="show what torch, transformers and optimum say")
    parser = argparse.ArgumentParser(prog=PROGRAM, description="Export trained models to ONNX.")
    verbs = parser.add_subparsers(dest="verb", required=True)
    weights = argparse.ArgumentParser(add_help=False)
    weights.add_argument("--weights", default="auto", help="auto, hub, packages, or a folder (default: %(default)s)")
    tier = argparse.ArgumentParser(add_help=False)
    tier.add_argument("--precision", choices=PRECISIONS, default="fp32", help="int8: a second folder, OUTPUT-int8, too")
    mpnet = verbs.add_parser("mpnet", parents=[weights, tier, common], help=f"export {MPNET.hub_id}")
    mpnet.set_defaults(model=MPNET.name)
    encoder = verbs.add_parser(
        "text-encoder", parents=[weights, tier, common], help="export any sentence-transformers model"
    )
    encoder.add_argument("--model", default=MPNET.name, help="hub id or folder (default: %(default)s)")
    clip = verbs.add_parser("clip", parents=[weights, common], help="export both towers of any CLIP model")
    clip.add_argument("--model", default=CLIP, help="hub id or folder (default: %(default)s)")
    grit = verbs.add_parser("grit", parents=[common], help="export a GRiT checkpoint, the dense captioner")
    grit.add_argument("--checkpoint", required=True, help="grit_b_densecap_objectdet.pth, a file or s3:// object")
    grit.add_argument("--sha256", type=_sha256, help="what the checkpoint's must be, 64 hex digits")
    grit.add_argument("--vocabulary", type=Path, help="vocab.txt of bert-base-uncased (default: found in the cache)")
    grit.add_argument("--precision", choices=("fp32", "fp16"), default="fp32", help="fp16: for CUDA (default: fp32)")
    return parser


def _sha256(text: str) -> str:
    if not re.fullmatch("[0-9a-fA-F]{64}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not 64 hex digits")
    return text.lower()


if __name__ == "__main__":
    sys.exit(main())
