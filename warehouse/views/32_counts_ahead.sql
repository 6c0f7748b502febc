-- One row a count that is dated more than a day from now, as by a wrong clock: no rate believes it.
SELECT paper_id, source, observed_at, citation_count
FROM citation_counts
WHERE observed_at > now() + INTERVAL 1 DAY
