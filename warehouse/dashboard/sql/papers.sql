-- One row a paper that some list names now, most cited first; the order in which the page knows them.
SELECT
    c.paper_id,
    c.title,
    c.authors,
    c.year,
    p.published_on,
    c.venue,
    c.primary_category,
    c.arxiv_id,
    c.doi,
    c.s2_paper_id,
    c.withdrawn,
    p.citation_count,
    r.gained_per_week,
    r.days AS risen_days
FROM listed AS c
JOIN papers AS p USING (paper_id)
LEFT JOIN rising AS r ON r.paper_id = c.paper_id AND r.source = 's2'
ORDER BY p.citation_count DESC NULLS LAST, c.list_count DESC, c.title, c.paper_id
