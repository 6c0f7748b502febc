-- One row a paper and source with counts from `since` to `until`: the first, the last, and the steps between two counts
-- that are a recount by the source and no rise or fall of what is cited. Such a step is one of two. It is larger than a
-- paper gains: by more than 200 a week beyond four times what this one gained at other times, over as long as its count had
-- not changed. So a source may add once a week or a month what was counted daily. Or it ends on a day on which
-- the source took citations (3 or more, and 2 % or more) from many papers at once: from 5, and from a tenth of those
-- counted that day.
-- Counts dated more than a day from now are not believed; they are in `counts_ahead`.
-- Steps are only made where they can matter, as there are many: of papers whose counts moved by more than 200, or end
-- lower than they were, or begin higher.
CREATE OR REPLACE MACRO counted_since(since, until := '9999-12-31') AS TABLE
WITH span AS MATERIALIZED (
    SELECT
        paper_id,
        source,
        count(*) AS counts,
        min(observed_at) AS first_at,
        max(observed_at) AS last_at,
        arg_min(citation_count, observed_at) AS count_then,
        arg_max(citation_count, observed_at) AS count_now,
        min(citation_count) AS least,
        max(citation_count) AS most
    FROM citation_counts
    WHERE citation_count IS NOT NULL AND observed_at >= since::TIMESTAMPTZ
      AND observed_at <= least(until::TIMESTAMPTZ, now() + INTERVAL 1 DAY)
    GROUP BY paper_id, source
),
uneven AS (
    SELECT paper_id, source
    FROM span
    WHERE most - least > 200
       OR most - count_now >= greatest(3, 0.02 * most)
       OR count_then - least >= greatest(3, 0.02 * least)
),
uneven_steps AS (
    SELECT source, observed_at, citation_count, lag(citation_count) OVER history AS count_before
    FROM citation_counts
    SEMI JOIN uneven USING (paper_id, source)
    WHERE citation_count IS NOT NULL AND observed_at >= since::TIMESTAMPTZ
      AND observed_at <= least(until::TIMESTAMPTZ, now() + INTERVAL 1 DAY)
    WINDOW history AS (PARTITION BY paper_id, source ORDER BY observed_at)
),
falls AS (
    SELECT source, epoch_us(observed_at) // 86400000000 AS day, count(*) AS papers
    FROM uneven_steps
    WHERE count_before - citation_count >= greatest(3, 0.02 * count_before)
    GROUP BY ALL
    HAVING count(*) >= 5
),
recount_days AS (
    SELECT c.source, f.day
    FROM citation_counts AS c
    JOIN falls AS f ON f.source = c.source AND f.day = epoch_us(c.observed_at) // 86400000000
    WHERE c.citation_count IS NOT NULL
    GROUP BY c.source, f.day
    HAVING any_value(f.papers) >= 0.1 * count(*)
),
followed AS (
    FROM uneven
    UNION
    SELECT paper_id, source FROM span SEMI JOIN recount_days USING (source)
),
steps AS (
    SELECT
        paper_id,
        source,
        lag(observed_at) OVER history AS counted_before,
        observed_at,
        lag(citation_count) OVER history AS count_before,
        citation_count
    FROM citation_counts
    SEMI JOIN followed USING (paper_id, source)
    WHERE citation_count IS NOT NULL AND observed_at >= since::TIMESTAMPTZ
      AND observed_at <= least(until::TIMESTAMPTZ, now() + INTERVAL 1 DAY)
    WINDOW history AS (PARTITION BY paper_id, source ORDER BY observed_at)
),
changes AS (
    SELECT
        s.*,
        s.citation_count - s.count_before AS gained,
        greatest(1, (epoch_us(s.observed_at) - epoch_us(s.counted_before)) / 604800e6) AS weeks,
        -- since the count changed last: what a source adds once a week or month was cited all the time
        (epoch_us(s.observed_at) - epoch_us(coalesce(lag(s.observed_at) OVER history, p.first_at))) / 604800e6 AS weeks_unchanged,
        (p.count_now - p.count_then - gained)
            / greatest(1, (epoch_us(p.last_at) - epoch_us(p.first_at)) / 604800e6 - weeks_unchanged) AS a_week_else
    FROM steps AS s
    JOIN span AS p USING (paper_id, source)
    WHERE s.citation_count <> s.count_before
    WINDOW history AS (PARTITION BY s.paper_id, s.source ORDER BY s.observed_at)
),
recounts AS (
    SELECT
        s.paper_id,
        s.source,
        list({counted_before: s.counted_before, observed_at: s.observed_at, count_before: s.count_before,
              citation_count: s.citation_count} ORDER BY s.observed_at) AS recounts
    FROM changes AS s
    LEFT JOIN recount_days AS d ON d.source = s.source AND d.day = epoch_us(s.observed_at) // 86400000000
    WHERE d.day IS NOT NULL
       OR abs(s.gained) > 200 * s.weeks + 4 * greatest(0, s.a_week_else) * greatest(s.weeks, s.weeks_unchanged)
    GROUP BY s.paper_id, s.source
)
SELECT s.* EXCLUDE (least, most), r.recounts
FROM span AS s
LEFT JOIN recounts AS r USING (paper_id, source)
