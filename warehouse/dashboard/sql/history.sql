-- One row a paper that was counted: the first step, and what each step from then on added to its count.
-- Where a paper was not counted in a step, the count last known stands.
WITH steps AS (
    SELECT step, row_number() OVER (ORDER BY step) - 1 AS ordinal FROM counted GROUP BY step
),
since AS (
    SELECT paper_id, min(step) AS step FROM counted GROUP BY paper_id
),
filled AS (
    SELECT
        since.paper_id,
        steps.ordinal,
        last_value(c.citations IGNORE NULLS) OVER (PARTITION BY since.paper_id ORDER BY steps.ordinal) AS citations
    FROM since
    JOIN steps ON steps.step >= since.step
    LEFT JOIN counted AS c ON c.paper_id = since.paper_id AND c.step = steps.step
),
added AS (
    SELECT
        paper_id,
        ordinal,
        citations - lag(citations, 1, 0) OVER (PARTITION BY paper_id ORDER BY ordinal) AS added
    FROM filled
)
SELECT paper_id, min(ordinal) AS first_step, list(added ORDER BY ordinal) AS added
FROM added
GROUP BY paper_id
