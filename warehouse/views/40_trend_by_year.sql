-- One row a year of publication: papers that lists name now, their mentions and their citations.
SELECT
    year,
    count(*) AS papers,
    sum(mention_count)::BIGINT AS mentions,
    sum(citation_count)::BIGINT AS citations,
    median(citation_count) AS median_citations
FROM catalog
GROUP BY year
