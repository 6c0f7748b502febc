-- One row a list, or `all`, and work missing from it, the best first: 30 of all lists together, 15 of each, how many
-- there are (500 are counted), and of how many of its papers the references are known.
-- Facts of a work are OpenAlex's, also of one that the lake has as a paper.
WITH known AS (
    SELECT coalesce(list_id, 'all') AS list_id, count(DISTINCT paper_id) AS with_references
    FROM mentions SEMI JOIN paper_references USING (paper_id)
    WHERE removed_at IS NULL GROUP BY ROLLUP (list_id)
),
-- Of all lists together: the list with most of the papers that the work is linked to.
home AS (
    SELECT work, list_id AS home, count(DISTINCT paper_id) AS home_links
    FROM (
        SELECT work, unnest(list_distinct(list_concat(citing_paper_ids, cited_paper_ids))) AS paper_id
        FROM missing_papers WHERE list_id = 'all' AND "rank" <= 30
    )
    JOIN mentions USING (paper_id)
    WHERE removed_at IS NULL
    GROUP BY work, list_id
    QUALIFY row_number() OVER (PARTITION BY work ORDER BY home_links DESC, list_id) = 1
)
SELECT
    m.list_id,
    coalesce(w.title, m.title) AS title,
    CASE WHEN m.paper_id IS NULL THEN m.authors ELSE []::VARCHAR[] END AS authors,
    coalesce(w.year, m.year) AS year,
    CASE WHEN m.paper_id IS NULL THEN m.venue ELSE w.venue END AS venue,
    CASE WHEN m.paper_id IS NULL THEN m.doi ELSE w.doi END AS doi,
    CASE WHEN m.paper_id IS NULL THEN m.arxiv_id END AS arxiv_id,
    m.openalex_id,
    m.citation_count,
    m.cited_by_listed,
    m.cites_listed,
    m.score,
    CASE WHEN m.list_id = 'all' THEN h.home END AS home,
    h.home_links,
    coalesce(k.with_references, 0) AS with_references,
    m.citing_paper_ids,
    m.cited_paper_ids,
    m.first_missing_at,
    count(*) OVER (PARTITION BY m.list_id) AS works
FROM missing_papers AS m
LEFT JOIN openalex_works AS w USING (paper_id)
LEFT JOIN known AS k ON k.list_id = m.list_id
LEFT JOIN home AS h ON h.work = m.work
QUALIFY m."rank" <= CASE WHEN m.list_id = 'all' THEN 30 ELSE 15 END
ORDER BY m.list_id <> 'all', m.list_id, m."rank"
