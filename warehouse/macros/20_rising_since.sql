-- What gained most from `since` to `until` (by default the newest): one row a paper with two counts or more between.
-- The first and the last count inside the window are compared; nothing is interpolated. What a source's recount added or
-- took away (`counted_since`) is in `recounted`, and in neither `gained` nor the rate, nor is the time of that step in
-- `days`. A rate is taken over three counts or more and 21 days or more; else `gained_per_week` is NULL.
-- All counts of a row are one record's and one source's: from two, a merge would look like a rise. Semantic Scholar's
-- go before those of others.
CREATE OR REPLACE MACRO rising_since(since, until := '9999-12-31', counted_by := '%') AS TABLE
WITH span AS (
    SELECT
        * EXCLUDE (recounts),
        coalesce(list_sum([step.citation_count - step.count_before FOR step IN recounts]), 0)::BIGINT AS recounted,
        counts - 1 - coalesce(len(recounts), 0) AS steps,
        -- not `until - since`, which goes through a calendar and takes longer than all the rest
        (epoch_us(last_at) - epoch_us(first_at)
         - coalesce(list_sum([epoch_us(step.observed_at) - epoch_us(step.counted_before) FOR step IN recounts]), 0)
        ) / 86400e6 AS days
    FROM counted_since(since, until := until)
    WHERE counts > 1 AND source LIKE counted_by
),
history AS (
    SELECT s.*, coalesce(r.merged_into, s.paper_id) AS merged_into
    FROM span AS s
    JOIN papers AS r USING (paper_id)
    QUALIFY row_number() OVER (
        PARTITION BY coalesce(r.merged_into, s.paper_id)
        ORDER BY s.source <> 's2', r.merged_into IS NOT NULL, epoch_us(s.last_at) - epoch_us(s.first_at) DESC, s.source, s.paper_id
    ) = 1
)
SELECT
    p.paper_id,
    p.title,
    h.first_at AS since,
    h.last_at AS until,
    h.source,
    h.counts,
    h.days,
    h.count_then,
    h.count_now,
    h.recounted,
    h.count_now - h.count_then - h.recounted AS gained,
    CASE WHEN h.steps >= 2 AND h.days >= 21 THEN gained / (h.days / 7) END AS gained_per_week
FROM history AS h
JOIN papers AS p ON p.paper_id = h.merged_into
