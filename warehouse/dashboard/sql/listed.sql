-- One row a paper that some list names now: all that the lake knows.
SELECT
    c.*,
    p.published_on,
    p.citation_count AS drawn_count, -- the page adds papers up, and two sources cannot be added
    p.pages,
    p.publication_type
FROM catalog AS c
JOIN papers AS p USING (paper_id)
