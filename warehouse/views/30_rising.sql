-- One row a paper with two observations or more in the last 90 days before the newest one: citations gained per week.
WITH observed AS (
    SELECT coalesce(p.merged_into, p.paper_id) AS paper_id, c.observed_at, c.citation_count
    FROM citation_counts AS c
    JOIN papers AS p ON p.paper_id = c.paper_id
    WHERE c.citation_count IS NOT NULL
      AND c.observed_at >= (SELECT max(observed_at) FROM citation_counts) - INTERVAL 90 DAY
),
span AS (
    SELECT
        paper_id,
        min(observed_at) AS since,
        max(observed_at) AS until,
        arg_min(citation_count, observed_at) AS count_then,
        arg_max(citation_count, observed_at) AS count_now
    FROM observed
    GROUP BY paper_id
)
SELECT
    s.paper_id,
    p.title,
    s.since,
    s.until,
    s.count_then,
    s.count_now,
    s.count_now - s.count_then AS gained,
    (s.count_now - s.count_then) / (epoch(s.until - s.since) / 604800) AS gained_per_week
FROM span AS s
JOIN papers AS p USING (paper_id)
WHERE s.until > s.since
