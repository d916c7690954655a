"""The thin FastAPI app: routes only; it speaks the one EvaluationRequest. Import it for HTTP alone: FastAPI is not light."""

from handler.api._app import create_app
from handler.api._lambda import mangum_reply
from handler.api._local import create_local_app

__all__ = ["create_app", "create_local_app", "mangum_reply"]
