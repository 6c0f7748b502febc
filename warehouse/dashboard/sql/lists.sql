-- One row a list that some mention stands in now, or that was read and names nothing.
SELECT list_id, title, location, first_seen_at, parsed_at, fault IS NOT NULL AS is_unread, coalesce(lines_not_read, 0) AS lines_not_read
FROM reading_lists
ORDER BY coalesce(title, location), list_id
