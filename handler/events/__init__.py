"""An AWS event -> jobs, one small module per source."""
