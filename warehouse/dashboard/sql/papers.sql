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
    c.drawn_count AS citation_count,
    r.gained_per_week,
    r.days AS risen_days
FROM listed AS c
LEFT JOIN rates AS r USING (paper_id)
ORDER BY c.drawn_count DESC NULLS LAST, c.list_count DESC, c.title, c.paper_id
