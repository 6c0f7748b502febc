-- One row a day on which citations were counted: of how many papers, and in which step of time it lies.
-- Steps are days, weeks or months, by how far the counts reach back.
WITH days AS (
    SELECT day, count(*) AS papers FROM counted GROUP BY day
),
reach AS (
    SELECT CASE WHEN max(day) - min(day) <= 45 THEN 'day' WHEN max(day) - min(day) <= 750 THEN 'week' ELSE 'month' END AS unit
    FROM days
)
SELECT
    d.day,
    d.papers,
    (dense_rank() OVER (ORDER BY date_trunc(r.unit, DATE '1970-01-01' + d.day)) - 1)::INTEGER AS step
FROM days AS d
CROSS JOIN reach AS r
ORDER BY d.day
