-- One row a year: papers that lists name now and that came out in it, their mentions and their citations by Semantic Scholar; and all listed papers' citations in that year by OpenAlex.
WITH listed AS MATERIALIZED (
    SELECT paper_id, year, mention_count, citation_count, count_source FROM catalog
),
published AS (
    SELECT
        year,
        count(*) AS papers,
        sum(mention_count)::BIGINT AS mentions,
        sum(citation_count) FILTER (count_source = 's2')::BIGINT AS citations,
        median(citation_count) FILTER (count_source = 's2') AS median_citations
    FROM listed
    GROUP BY year
),
cited AS (
    SELECT y.year, sum(y.citation_count)::BIGINT AS cited_in_year
    FROM citations_by_year AS y
    SEMI JOIN listed USING (paper_id)
    WHERE y.source = 'openalex'
    GROUP BY y.year
)
SELECT
    coalesce(p.year, c.year) AS year,
    coalesce(p.papers, 0) AS papers,
    coalesce(p.mentions, 0) AS mentions,
    p.citations,
    p.median_citations,
    c.cited_in_year
FROM published AS p
FULL JOIN cited AS c ON c.year = p.year
