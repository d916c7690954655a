"""An LLM judge against people."""
