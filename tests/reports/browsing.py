"""What the tests in Chromium share: what they look for, and a person's hand."""

from __future__ import annotations

import json

STATUS = "document.getElementById('threshold-status').textContent"
ROWS = "[...document.querySelectorAll('#frames tbody tr:not(.spacer)')]"


def put(tab, identity, value):
    """Set a control as a person's input does."""
    tab.do(
        f"(() => {{ const one = document.getElementById({json.dumps(identity)}); one.value = {json.dumps(value)};"
        "for (const name of ['input', 'change']) one.dispatchEvent(new Event(name)); })()"
    )


def problems(tab):
    """What went wrong in the page: exceptions, refusals by its policy, log entries."""
    thrown = [one["exceptionDetails"] for one in tab.events("Runtime.exceptionThrown")]
    return thrown + [one["entry"]["text"] for one in tab.events("Log.entryAdded")]
