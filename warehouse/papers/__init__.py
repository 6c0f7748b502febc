"""Papers in the lake: finding, merging, citation keys."""
