"""The thin FastAPI app: routes only; it speaks the one EvaluationRequest. Import it for HTTP alone: FastAPI is not light."""

from handler.api._app import create_app
from handler.api._lambda import mangum_reply

__all__ = ["create_app", "mangum_reply"]
