-- One row a list that some mention stands in now, or that was read and names nothing. The lake of an earlier version has no
-- column of faults before its next refresh, hence the JSON.
SELECT list_id, title, location, first_seen_at, parsed_at, (to_json(l) ->> 'fault') IS NOT NULL AS is_unread
FROM reading_lists AS l
ORDER BY coalesce(title, location), list_id
