-- One row a mention that stands in a list now and has no paper, with the best candidate.
SELECT
    m.mention_id,
    m.list_id,
    CASE WHEN m.section[1] = l.title THEN m.section[2:] ELSE m.section END AS section,
    m.year,
    m.line,
    m.status,
    coalesce(m.title, m.url, m.text) AS mention,
    m.reason,
    c.title AS candidate,
    coalesce('arXiv:' || c.arxiv_id, 'doi:' || c.doi) AS candidate_id,
    c.year AS candidate_year
FROM mentions AS m
JOIN reading_lists AS l USING (list_id)
LEFT JOIN candidates AS c ON c.mention_id = m.mention_id AND c."rank" = 1
WHERE m.status <> 'resolved' AND m.removed_at IS NULL
ORDER BY m.list_id, m.line, m.mention_id
