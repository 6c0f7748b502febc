-- One row a list and section: papers named there now, their years and their citations.
WITH named AS (
    SELECT DISTINCT list_id, array_to_string(section, ' / ') AS section, paper_id
    FROM mentions
    WHERE paper_id IS NOT NULL AND removed_at IS NULL
)
SELECT
    l.list,
    n.section,
    count(*) AS papers,
    min(p.year) AS first_year,
    median(p.year) AS median_year,
    max(p.year) AS last_year,
    sum(p.citation_count)::BIGINT AS citations,
    max_by(p.title, p.citation_count) AS most_cited
FROM named AS n
JOIN list_names AS l ON l.list_id = n.list_id
JOIN papers AS p ON p.paper_id = n.paper_id
GROUP BY n.list_id, l.list, n.section
