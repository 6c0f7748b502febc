-- One row a year of publication: papers that lists name now, their mentions and their citations by Semantic Scholar.
SELECT
    year,
    count(*) AS papers,
    sum(mention_count)::BIGINT AS mentions,
    sum(citation_count) FILTER (count_source = 's2')::BIGINT AS citations,
    median(citation_count) FILTER (count_source = 's2') AS median_citations
FROM catalog
GROUP BY year
