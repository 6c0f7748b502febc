-- One row: when the lake was last refreshed, and between when and when citations were counted.
SELECT
    (SELECT max(finished_at) FROM runs) AS refreshed_at,
    (SELECT count(*) FROM runs) AS runs,
    min(c.observed_at) AS first_counted_at,
    max(c.observed_at) AS last_counted_at
FROM observations AS c
WHERE c.citation_count IS NOT NULL
