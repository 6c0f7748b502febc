-- One row a list: mentions standing in it now, and what became of them; the four kinds add up to the mentions.
SELECT
    n.list,
    l.location,
    count(m.mention_id) AS mentions,
    count(*) FILTER (WHERE m.status = 'resolved') AS resolved,
    count(*) FILTER (WHERE m.status = 'ambiguous') AS ambiguous,
    count(*) FILTER (WHERE m.status = 'not_found') AS not_found,
    count(*) FILTER (WHERE m.status = 'failed') AS failed,
    count(DISTINCT m.paper_id) AS papers,
    count(DISTINCT m.paper_id) FILTER (WHERE p.citation_count IS NOT NULL) AS papers_counted,
    round(100 * resolved / greatest(mentions, 1), 1) AS percent_resolved,
    l.fault AS not_read_because,
    l.lines_not_read
FROM reading_lists AS l
JOIN list_names AS n ON n.list_id = l.list_id
LEFT JOIN mentions AS m ON m.list_id = l.list_id AND m.removed_at IS NULL
LEFT JOIN papers AS p ON p.paper_id = m.paper_id
GROUP BY l.list_id, n.list, l.location, l.fault, l.lines_not_read
