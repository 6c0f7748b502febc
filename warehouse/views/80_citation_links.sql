-- One row a link between two works, of which the lake has at least one: `citing` cites `cited`. Each is a `paper_id`, else OpenAlex's identifier.
-- A work outside that is another version of a paper stands for the paper.
WITH told AS (
    SELECT paper_id AS citing, coalesce(cited_paper_id, cited_openalex_id) AS cited FROM paper_references
    UNION ALL
    SELECT coalesce(citing_paper_id, citing_openalex_id), paper_id FROM paper_citations
),
versions AS (
    SELECT openalex_id, version_of FROM outside_works WHERE version_of IS NOT NULL
)
SELECT DISTINCT coalesce(a.version_of, t.citing) AS citing, coalesce(b.version_of, t.cited) AS cited
FROM told AS t
LEFT JOIN versions AS a ON a.openalex_id = t.citing
LEFT JOIN versions AS b ON b.openalex_id = t.cited
WHERE coalesce(a.version_of, t.citing) <> coalesce(b.version_of, t.cited)
