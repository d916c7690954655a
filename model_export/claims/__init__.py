"""What `vision.claims` is built from: the pruned lexicon and the trained judge."""
