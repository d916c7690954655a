"""What the person at the terminal sees: our own few lines, and the libraries' many only on request."""

from __future__ import annotations

import logging
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["quiet_libraries", "say"]

_OFFLINE_AND_PLAIN = {
    "HF_HUB_OFFLINE": "1",  # the weights are here by now: nothing may be fetched behind our back
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "TRANSFORMERS_NO_ADVISORY_WARNINGS": "1",
}


def say(line: str) -> None:
    """One plain progress line on stderr."""
    print(line, file=sys.stderr, flush=True)


@contextmanager
def quiet_libraries(*, verbose: bool) -> Iterator[None]:
    """Keep torch, transformers and optimum offline and silent; with `verbose` their warnings become log lines."""
    before = {name: os.environ.get(name) for name in _OFFLINE_AND_PLAIN}
    disabled = logging.root.manager.disable
    os.environ.update(_OFFLINE_AND_PLAIN)
    logging.disable(disabled if verbose else logging.WARNING)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            try:
                yield
            finally:
                for line in dict.fromkeys(_line(one) for one in caught) if verbose else ():
                    say(line)
    finally:
        logging.disable(disabled)
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _line(warning: warnings.WarningMessage) -> str:
    return f"{warning.category.__name__}: {' '.join(str(warning.message).split())}"
