-- One row a mention that stands in a list now and has no paper.
SELECT
    m.list_id,
    CASE WHEN m.section[1] = l.title THEN m.section[2:] ELSE m.section END AS section,
    m.year,
    u.line,
    u.status,
    coalesce(u.title, u.url, u.text) AS mention,
    u.reason
FROM unresolved AS u
JOIN mentions AS m USING (mention_id)
JOIN reading_lists AS l USING (list_id)
ORDER BY m.list_id, u.line, u.mention_id
