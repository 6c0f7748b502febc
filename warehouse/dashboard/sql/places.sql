-- One row a place in a list that names a paper now.
SELECT
    m.paper_id,
    m.list_id,
    CASE WHEN m.section[1] = l.title THEN m.section[2:] ELSE m.section END AS section,
    m.line,
    m.first_seen_at
FROM mentions AS m
JOIN reading_lists AS l USING (list_id)
WHERE m.paper_id IS NOT NULL AND m.removed_at IS NULL
ORDER BY m.list_id, m.line, m.mention_id
