"""Weights from the model hub."""

from __future__ import annotations

from pathlib import Path

from handler.errors import ModelError, one_line
from model_export.quiet import say

__all__ = ["fetch_hub"]

TIMEOUT_SECONDS = 10  # until the first answer; the download itself may take as long as it needs
_WANTED = ["*.json", "*.txt", "*.model", "*.safetensors", "README.md", "LICENSE*", "NOTICE*", "[0-9]_*/*.bin"]
_OTHER_FORMATS = ["onnx/*", "openvino/*", "coreml/*", ".*"]


def fetch_hub(hub_id: str, folder: Path) -> str:
    """Download what an export reads of a model into `folder`. Returns the revision (a commit hash)."""
    try:
        from huggingface_hub import HfApi
        from huggingface_hub.utils import disable_progress_bars
    except ImportError as error:
        raise ModelError(
            "huggingface_hub is not installed", hint='Install the extra: pip install "scenescore[export]"'
        ) from error
    say(f"downloading {hub_id} from the model hub")
    disable_progress_bars()
    try:
        # Asked first and on its own, because snapshot_download waits without limit for this answer.
        revision = str(HfApi().model_info(hub_id, timeout=TIMEOUT_SECONDS).sha)
        _download(hub_id, revision, folder, _WANTED)
        if not any(folder.glob("*.safetensors")):
            _download(hub_id, revision, folder, ["pytorch_model*.bin"])
    except Exception as error:  # HTTP libraries, the hub's own errors and OSError share no base class
        reason = one_line(str(error).strip().split("\n")[0].rstrip(".")) or type(error).__name__
        raise ModelError(f"the model hub did not give {hub_id}: {reason}") from error
    return revision


def _download(hub_id: str, revision: str, folder: Path, patterns: list[str]) -> None:
    from huggingface_hub import snapshot_download

    snapshot_download(
        repo_id=hub_id,
        revision=revision,
        local_dir=folder,
        allow_patterns=patterns,
        ignore_patterns=_OTHER_FORMATS,
        etag_timeout=TIMEOUT_SECONDS,
    )
