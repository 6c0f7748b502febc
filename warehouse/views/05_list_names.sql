-- One row a list: the name by which views and commands call it. It is the title; where that is missing or another list's, too, the end of a path that no other list has, or the address, tells which.
WITH ends AS (
    SELECT list_id, array_to_string(parts[-size :], '/') AS ending, size
    FROM (SELECT list_id, string_split(ltrim(location, '/'), '/') AS parts FROM reading_lists WHERE starts_with(location, '/')),
        unnest(generate_series(1, len(parts))) AS sizes(size)
    QUALIFY count(*) OVER (PARTITION BY ending) = 1
),
places AS (
    SELECT list_id, arg_min(ending, size) AS place FROM ends GROUP BY list_id
)
SELECT
    l.list_id,
    CASE
        WHEN l.title IS NULL THEN coalesce(p.place, l.location)
        WHEN count(*) OVER (PARTITION BY l.title) > 1 THEN concat(l.title, ' (', coalesce(p.place, l.location), ')')
        ELSE l.title
    END AS list,
    l.location
FROM reading_lists AS l
LEFT JOIN places AS p ON p.list_id = l.list_id
