-- One row a mention that stands in a list now and has no paper: why, and the best candidate there was.
SELECT
    m.mention_id,
    l.list,
    l.location,
    m.line,
    m.status,
    m.title,
    m.text,
    m.url,
    m.reason,
    m.asked_at,
    m.tries,
    c.title AS best_candidate,
    c.arxiv_id AS best_candidate_arxiv_id,
    c.score AS best_candidate_score
FROM mentions AS m
JOIN list_names AS l ON l.list_id = m.list_id
LEFT JOIN candidates AS c ON c.mention_id = m.mention_id AND c."rank" = 1
WHERE m.status <> 'resolved' AND m.removed_at IS NULL
