-- One row a paper that some list names now and whose citations by year are known: those of the last full year beside those of the year before, and its place among papers of its year and field.
-- By OpenAlex; nothing here comes from counts that were observed day by day, so that it is there from the first refresh.
WITH known AS (
    SELECT
        c.paper_id,
        c.title,
        c.year,
        coalesce(split_part(c.primary_category, '.', 1), c.fields_of_study[1], w.topics[1]) AS field,
        year(w.refreshed_at) - 1 AS counted_year
    FROM catalog AS c
    JOIN openalex_works AS w USING (paper_id)
    -- A work without citations has no year with any; of another one whose years are not told, nothing is known.
    WHERE w.citation_count = 0 OR c.paper_id IN (SELECT paper_id FROM citations_by_year WHERE source = 'openalex')
),
counted AS (
    SELECT
        k.*,
        coalesce(sum(y.citation_count) FILTER (WHERE y.year = k.counted_year), 0)::BIGINT AS cited,
        coalesce(sum(y.citation_count) FILTER (WHERE y.year = k.counted_year - 1), 0)::BIGINT AS cited_before
    FROM known AS k
    LEFT JOIN citations_by_year AS y ON y.paper_id = k.paper_id AND y.source = 'openalex'
    GROUP BY ALL
)
SELECT
    paper_id,
    title,
    year,
    field,
    'openalex' AS source,
    counted_year,
    cited,
    cited_before,
    cited - cited_before AS gained,
    -- Papers of an unknown year or field are nobody's peers.
    CASE WHEN year IS NOT NULL AND field IS NOT NULL THEN count(*) OVER peers END AS peers,
    -- Among fewer than ten, a place says little.
    CASE WHEN count(*) OVER peers >= 10 AND year IS NOT NULL AND field IS NOT NULL THEN
        round(100 * percent_rank() OVER (peers ORDER BY cited))
    END::INTEGER AS percentile
FROM counted
WINDOW peers AS (PARTITION BY year, field, counted_year)
