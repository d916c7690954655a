"""From scores to decisions: thresholds that people's verdicts support, comparisons, gates."""
