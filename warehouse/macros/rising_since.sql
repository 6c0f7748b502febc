-- What gained most from `since` to `until` (by default the newest): one row a paper with two observations or more between.
-- The first and the last observation inside the window are compared, by the time that lies between them: nothing is
-- interpolated. Where papers were merged, both counts come from one of them: from two, the merge itself would look like
-- a rise.
CREATE OR REPLACE MACRO rising_since(since, until := '9999-12-31') AS TABLE
WITH span AS (
    SELECT
        paper_id,
        min(observed_at) AS first_at,
        max(observed_at) AS last_at,
        arg_min(citation_count, observed_at) AS count_then,
        arg_max(citation_count, observed_at) AS count_now
    FROM citation_counts
    WHERE citation_count IS NOT NULL
      AND observed_at >= since::TIMESTAMPTZ
      AND observed_at <= until::TIMESTAMPTZ
    GROUP BY paper_id
    HAVING max(observed_at) > min(observed_at)
),
merged AS (
    SELECT paper_id, merged_into FROM papers WHERE merged_into IS NOT NULL
),
history AS (
    SELECT * FROM span ANTI JOIN merged USING (paper_id)
    UNION ALL BY NAME
    SELECT s.* REPLACE (m.merged_into AS paper_id)
    FROM span AS s
    JOIN merged AS m USING (paper_id)
    WHERE m.merged_into NOT IN (SELECT paper_id FROM span)
    QUALIFY row_number() OVER (
        PARTITION BY m.merged_into ORDER BY epoch_us(last_at) - epoch_us(first_at) DESC, s.paper_id
    ) = 1
)
SELECT
    h.paper_id,
    p.title,
    h.first_at AS since,
    h.last_at AS until,
    h.count_then,
    h.count_now,
    h.count_now - h.count_then AS gained,
    -- not `until - since`, which goes through a calendar and takes longer than all the rest
    (h.count_now - h.count_then) / ((epoch_us(h.last_at) - epoch_us(h.first_at)) / 604800e6) AS gained_per_week
FROM history AS h
JOIN papers AS p USING (paper_id)
