-- One row a list and section: papers named there now, their years and their citations.
SELECT
    coalesce(l.title, l.location) AS list,
    array_to_string(m.section, ' / ') AS section,
    count(DISTINCT p.paper_id) AS papers,
    min(p.year) AS first_year,
    median(p.year) AS median_year,
    max(p.year) AS last_year,
    sum(p.citation_count)::BIGINT AS citations,
    max_by(p.title, p.citation_count) AS most_cited
FROM mentions AS m
JOIN reading_lists AS l ON l.list_id = m.list_id
JOIN papers AS p ON p.paper_id = m.paper_id
WHERE m.removed_at IS NULL
GROUP BY ALL
