-- One row a paper with two observations or more in the last 90 days before the newest one: citations gained per week.
-- Where papers were merged, both counts come from one of them: from two, the merge itself would look like a rise.
WITH span AS (
    SELECT
        coalesce(p.merged_into, p.paper_id) AS paper_id,
        p.merged_into IS NULL AS its_own,
        min(c.observed_at) AS since,
        max(c.observed_at) AS until,
        arg_min(c.citation_count, c.observed_at) AS count_then,
        arg_max(c.citation_count, c.observed_at) AS count_now
    FROM citation_counts AS c
    JOIN papers AS p ON p.paper_id = c.paper_id
    WHERE c.citation_count IS NOT NULL
      AND c.observed_at >= (SELECT max(observed_at) FROM citation_counts) - INTERVAL 90 DAY
    GROUP BY p.paper_id, p.merged_into
    HAVING until > since
    QUALIFY row_number() OVER (
        PARTITION BY coalesce(p.merged_into, p.paper_id) ORDER BY its_own DESC, until - since DESC, p.paper_id
    ) = 1
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
