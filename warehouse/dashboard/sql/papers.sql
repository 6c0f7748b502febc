-- One row a paper that some list names now, most cited first; the order in which the page knows them.
SELECT
    c.paper_id,
    c.title,
    c.authors,
    c.year,
    c.published_on,
    c.venue,
    c.primary_category,
    c.arxiv_id,
    c.doi,
    c.s2_paper_id,
    c.withdrawn,
    c.retracted,
    c.published_as,
    c.drawn_count AS citation_count,
    c.openalex_citation_count,
    c.citation_key,
    c.pages,
    c.publication_type,
    (
        SELECT list({source: v.source, kind: v.kind, venue: v.venue, year: v.year, doi: v.doi} ORDER BY v.source, v.record)
        FROM published_versions AS v WHERE v.paper_id = c.paper_id AND v.gone_at IS NULL
    ) AS publications,
    r.gained_per_week,
    r.days AS risen_days
FROM listed AS c
JOIN numbered AS n USING (paper_id)
LEFT JOIN rates AS r USING (paper_id)
ORDER BY n.paper
