-- Three rows a paper with a rate over the last 90 days of counts, for `beside_peers`: the citations gained beside those that
-- it had, times the weeks, among papers of its year and field, of its year, and among all. Fewer than five are too few.
WITH measured AS (
    SELECT
        l.paper_id,
        l.year,
        coalesce(split_part(l.primary_category, '.', 1), l.fields_of_study[1]) AS field,
        r.days / 7 AS weeks,
        greatest(0, round(r.gained_per_week * r.days / 7)) AS gained,
        greatest(1, l.drawn_count - gained) * weeks AS base
    FROM listed AS l
    JOIN rates AS r USING (paper_id)
    WHERE r.gained_per_week IS NOT NULL AND l.drawn_count IS NOT NULL
)
SELECT
    m.paper_id,
    m.weeks,
    p.level,
    p.beside,
    m.gained,
    m.base,
    false AS is_base_counted,
    CASE WHEN m.gained < 5 THEN 'few' END AS why
FROM measured AS m
CROSS JOIN LATERAL (
    VALUES
        (0, CASE WHEN m.year IS NOT NULL AND m.field IS NOT NULL THEN concat_ws('|', m.year, m.field) END),
        (1, m.year::VARCHAR),
        (2, 'all')
) AS p(level, beside)
