-- One row a pair of papers that lists name now, of which one cites the other; `list_ids` are the lists that name both.
WITH named AS MATERIALIZED (
    SELECT paper_id, list_sort(list(DISTINCT list_id)) AS list_ids
    FROM mentions
    WHERE removed_at IS NULL AND paper_id IS NOT NULL
    GROUP BY paper_id
)
SELECT
    k.citing AS citing_paper_id,
    p.title AS citing_title,
    p.year AS citing_year,
    k.cited AS cited_paper_id,
    q.title AS cited_title,
    q.year AS cited_year,
    list_sort(list_intersect(a.list_ids, b.list_ids)) AS list_ids
FROM citation_links AS k
JOIN named AS a ON a.paper_id = k.citing
JOIN named AS b ON b.paper_id = k.cited
JOIN papers AS p ON p.paper_id = k.citing
JOIN papers AS q ON q.paper_id = k.cited
