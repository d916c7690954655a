"""The thin FastAPI app: routes only; it speaks the one EvaluationRequest."""
