-- One row a paper and step in which its source recounted it, and what that added or took away.
WITH steps AS (
    SELECT step, row_number() OVER (ORDER BY step) - 1 AS ordinal FROM counted GROUP BY step
),
shown AS (
    SELECT DISTINCT paper_id, record, source FROM counted
)
SELECT c.paper_id, steps.ordinal AS step, sum(r.citation_count - r.count_before)::BIGINT AS added
FROM recounts AS r
JOIN shown AS c ON c.record = r.paper_id AND c.source = r.source
ASOF JOIN steps ON r.observed_at >= steps.step
GROUP BY ALL
ORDER BY ALL
