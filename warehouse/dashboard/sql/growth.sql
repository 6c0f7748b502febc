-- One row a paper whose citations by year OpenAlex tells: how much faster it gained citations than papers of its year
-- and field. `growth` is the ratio of its citations in the last full year to those in the year before, divided by that
-- ratio of its peers together, so that a paper does not lead because it is cited much. `low` and `high` hold it in 99 of
-- 100 cases if citations come by chance (the logarithm of a ratio of counts, half a citation added to each). Citations
-- vary more than Poisson counts do: the variance is taken as many times as large as its peers' ratios vary more than such
-- counts would (Pearson's statistic by its degrees of freedom, McCullagh and Nelder 1989, section 4.5; at least once).
-- Where nothing can be said `why` tells the reason: `new`, the year before is not a full year of it; `peers`, fewer than
-- ten other papers of its year and field are known; `few`, fewer than ten citations in both years together.
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
),
beside AS (
    SELECT
        * EXCLUDE (citation_count),
        CASE WHEN year IS NULL OR field IS NULL THEN 0 ELSE count(*) OVER peers - 1 END AS peers,
        sum(later) OVER peers - later AS peers_later,
        sum(earlier) OVER peers - earlier AS peers_earlier,
        sum(later) OVER peers / nullif(sum(later + earlier) OVER peers, 0) AS share
    FROM measured
    WINDOW peers AS (PARTITION BY year, field, counted_year)
),
departures AS (
    SELECT *, pow(later - (later + earlier) * share, 2) / nullif((later + earlier) * share * (1 - share), 0) AS departure
    FROM beside
),
varied AS (
    SELECT
        *,
        (sum(departure) OVER peers - coalesce(departure, 0))
            / nullif(count(departure) OVER peers - CASE WHEN departure IS NULL THEN 1 ELSE 2 END, 0) AS dispersion
    FROM departures
    WINDOW peers AS (PARTITION BY year, field, counted_year)
),
judged AS (
    SELECT
        *,
        CASE
            WHEN is_new THEN 'new'
            WHEN peers < 10 OR peers_later + peers_earlier < 10 THEN 'peers'
            WHEN later + earlier < 10 THEN 'few'
        END AS why,
        ln((later + 0.5) / (earlier + 0.5) / ((peers_later + 0.5) / (peers_earlier + 0.5))) AS logarithm,
        2.576 * sqrt(
            greatest(1, coalesce(dispersion, 1))
            * (1 / (later + 0.5) + 1 / (earlier + 0.5) + 1 / (peers_later + 0.5) + 1 / (peers_earlier + 0.5))
        ) AS spread
    FROM varied
)
SELECT
    paper_id,
    counted_year,
    field,
    later,
    earlier,
    peers,
    CASE WHEN why IS NULL THEN round(exp(logarithm), 2) END AS growth,
    CASE WHEN why IS NULL THEN round(exp(logarithm - spread), 2) END AS low,
    CASE WHEN why IS NULL THEN round(exp(logarithm + spread), 2) END AS high,
    why
FROM judged
ORDER BY low DESC NULLS LAST, paper_id
