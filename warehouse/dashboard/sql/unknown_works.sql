-- How many works three listed papers or more cite, or are cited by, whose facts nobody has looked up or could: they may be
-- missing. As `unknown_works` of warehouse/query/citations.py for all lists together, of the page's own tables.
WITH linked AS (
    SELECT cited AS work, citing AS paper_id FROM citation_links WHERE citing IN (SELECT paper_id FROM listed)
    UNION ALL
    SELECT citing, cited FROM citation_links WHERE cited IN (SELECT paper_id FROM listed)
),
known AS (
    SELECT openalex_id AS work FROM outside_works WHERE status <> 'failed'
    UNION ALL
    SELECT paper_id FROM papers
)
SELECT count(*) AS works
FROM (
    SELECT work
    FROM linked
    ANTI JOIN known USING (work)
    GROUP BY work
    HAVING count(DISTINCT paper_id) >= 3
)
