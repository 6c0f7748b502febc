-- One row a paper that some list names now: what it is, its latest counts, the lists and sections that name it.
WITH named AS (
    SELECT
        m.paper_id,
        count(*) AS mention_count,
        list(m.list_id) AS list_ids,
        list(coalesce(l.title, l.location)) AS lists,
        list(array_to_string(m.section, ' / ')) FILTER (WHERE len(m.section) > 0) AS sections,
        min(m.first_seen_at) AS first_mentioned_at
    FROM mentions AS m
    JOIN reading_lists AS l ON l.list_id = m.list_id
    WHERE m.removed_at IS NULL AND m.paper_id IS NOT NULL
    GROUP BY m.paper_id
)
-- Most papers stand in one place, and telling places apart takes longer than all the rest.
SELECT
    p.paper_id,
    p.title,
    p.authors,
    p.year,
    p.venue,
    p.arxiv_id,
    p.doi,
    p.s2_paper_id,
    p.citation_key,
    p.primary_category,
    p.categories,
    p.fields_of_study,
    p.withdrawn,
    p.retracted,
    p.citation_count,
    p.influential_citation_count,
    p.reference_count,
    p.counted_at,
    n.mention_count,
    CASE WHEN n.mention_count = 1 THEN 1 ELSE list_unique(n.list_ids) END AS list_count,
    CASE WHEN n.mention_count = 1 THEN n.lists ELSE list_sort(list_distinct(n.lists)) END AS lists,
    CASE WHEN n.mention_count = 1 THEN n.sections ELSE list_sort(list_distinct(n.sections)) END AS sections,
    n.first_mentioned_at
FROM papers AS p
JOIN named AS n ON n.paper_id = p.paper_id
WHERE p.merged_into IS NULL
