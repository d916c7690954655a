"""An AWS event -> jobs, one small module per source. HTTP events are not here: they belong to `handler.api`."""

from handler.events._direct import answer_direct
from handler.events._kinds import Kind, kind_of
from handler.events._sqs import handle_messages
from handler.events._uploads import handle_uploads

__all__ = ["Kind", "answer_direct", "handle_messages", "handle_uploads", "kind_of"]
