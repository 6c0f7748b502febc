-- One row a paper of `measured`: how many times as much it gained, for what it had, as its peers together.
-- `growth` is `gained` divided by `base`, divided by the same of the peers, so that a paper does not lead because it is
-- cited much. `low` and `high` hold it in 99 of 100 cases, in 97 to 99 beside only ten peers, if citations come by chance
-- (the logarithm of a ratio of counts, half a citation added to each; a `base` that is no count has no chance in it). Citations vary more than Poisson counts
-- do: the variance is taken as many times as large as the peers vary more than such counts would (Pearson's statistic by
-- its degrees of freedom, McCullagh and Nelder 1989, section 4.5; at least once). What is above once (`excess`) grows with
-- a count that is larger than its peers' on average, as where rates differ (negative binomial counts).
-- Of several levels the first one with ten peers counts. Where nothing can be said `why` tells the reason: that of
-- `measured`, or `peers`, fewer than ten others, or such with fewer than ten citations in both counts together.
WITH totals AS (
    SELECT
        *,
        CASE WHEN beside IS NULL THEN 0 ELSE count(*) OVER peers - 1 END AS peers,
        sum(gained) OVER peers AS all_gained,
        sum(base) OVER peers AS all_base,
        all_gained / nullif(all_base, 0) AS usual
    FROM measured
    WINDOW peers AS (PARTITION BY level, beside)
),
departures AS (
    SELECT
        *,
        pow(gained - usual * base, 2)
            / nullif(usual * (base + CASE WHEN is_base_counted THEN gained ELSE 0 END), 0) AS departure
    FROM totals
),
varied AS (
    SELECT
        *,
        greatest(0, coalesce(
            (sum(departure) OVER peers - coalesce(departure, 0))
            / nullif(count(departure) OVER peers - CASE WHEN departure IS NULL THEN 1 ELSE 2 END, 0) - 1, 0
        )) AS excess,
        all_gained - gained AS peers_gained,
        all_base - base AS peers_base,
        CASE WHEN is_base_counted THEN 0.5 ELSE 0 END AS half
    FROM departures
    WINDOW peers AS (PARTITION BY level, beside)
),
judged AS (
    SELECT
        *,
        CASE
            WHEN why = 'new' THEN why
            WHEN peers < 10 OR (is_base_counted AND peers_gained + peers_base < 10) THEN 'peers'
            ELSE why
        END AS reason,
        ln((gained + 0.5) / (base + half) / ((peers_gained + 0.5) / nullif(peers_base + half, 0))) AS logarithm,
        2.576 * sqrt(
            (1 + excess * greatest(1, gained / nullif(peers_gained / nullif(peers, 0), 0))) / (gained + 0.5)
            + (1 + excess) / (peers_gained + 0.5)
            + CASE WHEN is_base_counted
                THEN (1 + excess * greatest(1, base / nullif(peers_base / nullif(peers, 0), 0))) / (base + half)
                    + (1 + excess) / (peers_base + half)
                ELSE 0
            END
        ) AS spread
    FROM varied
    QUALIFY row_number() OVER (PARTITION BY paper_id ORDER BY peers < 10, level) = 1
)
SELECT
    * EXCLUDE (why, reason, logarithm, spread),
    reason AS why,
    CASE WHEN reason IS NULL THEN 2.576 * logarithm / spread END AS z, -- how many standard deviations above its peers
    CASE WHEN reason IS NULL THEN round(exp(logarithm), 2) END AS growth,
    CASE WHEN reason IS NULL THEN round(exp(logarithm - spread), 2) END AS low,
    CASE WHEN reason IS NULL THEN round(exp(logarithm + spread), 2) END AS high
FROM judged
ORDER BY low DESC NULLS LAST, paper_id
