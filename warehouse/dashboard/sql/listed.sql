-- One row a paper that some list names now: all that the lake knows.
SELECT
    c.*,
    p.published_on,
    p.citation_count AS drawn_count, -- the page adds papers up, and two sources cannot be added
    p.pages,
    p.publication_type
FROM catalog AS c
JOIN (
    FROM papers
    UNION ALL BY NAME -- the lake of an earlier version has no such columns until its next refresh
    SELECT NULL::VARCHAR AS pages, NULL::VARCHAR AS publication_type WHERE false
) AS p USING (paper_id)
