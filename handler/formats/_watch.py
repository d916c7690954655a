"""Things that only the file as a whole shows: ids that come twice and sessions that come back."""

from __future__ import annotations

from handler.formats._contract import Notices
from handler.formats._limits import MAX_CHECKED_IDS


class Watch:
    """Bounded memory of the ids seen so far; speaks through the notices."""

    def __init__(self, notices: Notices) -> None:
        self._notices = notices
        self._samples: set[int] = set()
        self._sessions: set[int] = set()
        self._told: set[int] = set()
        self._watching = True

    def sample(self, session_id: str, assistant_id: str, sample_id: str) -> None:
        """Note the id of one sample, where the file gives one."""
        if not self._watching:
            return
        key = hash((session_id, assistant_id, sample_id))
        seen = self._samples
        if key in seen:
            self._notices.add("duplicate_sample_id", f"session {session_id!r}, sample {sample_id!r}")
        elif len(seen) < MAX_CHECKED_IDS:
            seen.add(key)
        else:
            self._watching = False
            seen.clear()
            self._notices.add("duplicate_check_stopped", f"only the first {MAX_CHECKED_IDS:,} sample ids were compared")

    def session(self, session_id: str, assistant_id: str) -> None:
        """Note a session object. Frames that stand alone may take turns between sessions; objects do not."""
        key = hash((session_id, assistant_id))
        if key in self._sessions and key not in self._told:
            self._told.add(key)
            self._notices.add("repeated_session", f"session {session_id!r} comes more than once")
        if len(self._sessions) < MAX_CHECKED_IDS:
            self._sessions.add(key)
