-- One row a finding in a mention that stands in a list now.
SELECT
    f.code,
    f.message,
    f.value,
    m.mention_id,
    m.list_id,
    CASE WHEN m.section[1] = l.title THEN m.section[2:] ELSE m.section END AS section,
    m.line,
    m.year,
    m.paper_id
FROM findings AS f
JOIN mentions AS m USING (mention_id)
JOIN reading_lists AS l USING (list_id)
WHERE m.removed_at IS NULL
ORDER BY m.list_id, m.line, f.mention_id, f.ordinal
