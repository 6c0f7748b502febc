-- One row a paper whose citations Semantic Scholar has counted, with its rank among those that lists name now.
SELECT
    rank() OVER (ORDER BY citation_count DESC) AS "rank",
    paper_id,
    title,
    year,
    citation_count,
    influential_citation_count,
    counted_at,
    lists
FROM catalog
WHERE count_source = 's2'
