-- One row a paper and step of time (a day, a week or a month, by how far the counts reach back): its last count in it.
-- A paper keeps one record's and one source's history, as in the view `rising`: from two, a merge would look like a rise.
WITH observed AS (
    SELECT
        coalesce(p.merged_into, p.paper_id) AS paper_id,
        p.paper_id AS record,
        p.merged_into IS NULL AS its_own,
        c.source,
        c.observed_at,
        c.citation_count
    FROM observations AS c
    JOIN papers AS p ON p.paper_id = c.paper_id
    WHERE c.citation_count IS NOT NULL
),
record AS (
    SELECT paper_id, record, source
    FROM observed
    GROUP BY paper_id, record, its_own, source
    QUALIFY row_number() OVER (
        PARTITION BY paper_id ORDER BY count(*) > 1 DESC, its_own DESC, count(*) DESC, source, record
    ) = 1
),
reach AS (
    SELECT
        CASE
            WHEN max(observed_at) - min(observed_at) <= INTERVAL 45 DAY THEN 'day'
            WHEN max(observed_at) - min(observed_at) <= INTERVAL 750 DAY THEN 'week'
            ELSE 'month'
        END AS unit
    FROM observed
)
SELECT
    o.paper_id,
    o.record,
    o.source,
    date_trunc((SELECT unit FROM reach), o.observed_at) AS step,
    arg_max(o.citation_count, o.observed_at) AS citations,
    max(o.observed_at) AS observed_at
FROM observed AS o
JOIN record AS r USING (paper_id, record, source)
SEMI JOIN listed AS c ON c.paper_id = o.paper_id
GROUP BY ALL
