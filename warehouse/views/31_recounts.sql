-- One row a step between two counts of a paper that is a recount by its source and no rise: too large, or on a day on which many papers fell.
SELECT paper_id, source, unnest(recounts, recursive := true) FROM counted_since('-infinity') WHERE len(recounts) > 0
