-- One row a paper of the page that was counted: the record whose counts are its own.
-- A paper keeps one record's history, as in the view `rising`: from two, a merge would look like a rise.
WITH records AS (
    SELECT n.paper, p.paper_id AS record, p.merged_into IS NULL AS its_own
    FROM papers AS p
    JOIN numbered AS n ON n.paper_id = coalesce(p.merged_into, p.paper_id)
),
merged AS (
    SELECT r.paper, r.record, r.its_own, count(*) AS counts
    FROM citation_counts AS c
    JOIN records AS r ON r.record = c.paper_id
    WHERE c.source = $source
      AND c.citation_count IS NOT NULL
      AND c.observed_at <= now() + INTERVAL 1 DAY
      AND r.paper IN (SELECT paper FROM records GROUP BY paper HAVING count(*) > 1)
    GROUP BY ALL
)
SELECT paper, record FROM records WHERE paper NOT IN (SELECT paper FROM records WHERE NOT its_own)
UNION ALL
SELECT paper, record
FROM merged
QUALIFY row_number() OVER (PARTITION BY paper ORDER BY counts > 1 DESC, its_own DESC, counts DESC, record) = 1
