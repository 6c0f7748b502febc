-- One row a paper whose citations by year OpenAlex tells, for `beside_peers`: those in the last full year beside those in
-- the year before, among papers of its year and field. `why` has the reason where nothing can be said of the paper
-- itself: `new`, the year before is not a full year of it; `few`, fewer than ten citations in both years together.
WITH described AS (
    SELECT
        l.paper_id,
        l.year,
        coalesce(split_part(l.primary_category, '.', 1), l.fields_of_study[1], w.topics[1]) AS field,
        w.citation_count,
        year(w.refreshed_at) - 1 AS counted_year
    FROM listed AS l
    JOIN openalex_works AS w USING (paper_id)
),
by_year AS (
    SELECT
        d.paper_id,
        coalesce(sum(y.citation_count) FILTER (WHERE y.year = d.counted_year), 0)::BIGINT AS later,
        coalesce(sum(y.citation_count) FILTER (WHERE y.year = d.counted_year - 1), 0)::BIGINT AS earlier,
        count(y.year) > 0 OR any_value(d.citation_count) = 0 AS is_known
    FROM described AS d
    LEFT JOIN citations_by_year AS y ON y.paper_id = d.paper_id AND y.source = 'openalex'
    GROUP BY d.paper_id
),
measured AS (
    SELECT d.*, b.later, b.earlier, d.year >= d.counted_year AS is_new
    FROM described AS d
    JOIN by_year AS b USING (paper_id)
    WHERE b.is_known
)
SELECT
    paper_id,
    counted_year,
    field,
    0 AS level,
    CASE WHEN year IS NOT NULL AND field IS NOT NULL THEN concat_ws('|', counted_year, year, field) END AS beside,
    later AS gained,
    earlier AS base,
    true AS is_base_counted,
    CASE WHEN is_new THEN 'new' WHEN later + earlier < 10 THEN 'few' END AS why
FROM measured
