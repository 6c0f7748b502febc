-- What gains citations now: `rising_since` over the 90 days before the newest count, papers with a rate only.
CREATE OR REPLACE MACRO rising_lately(counted_by := '%') AS TABLE
FROM rising_since(
    (SELECT max(observed_at) FROM citation_counts WHERE observed_at <= now() + INTERVAL 1 DAY) - INTERVAL 90 DAY,
    counted_by := counted_by
)
WHERE gained_per_week IS NOT NULL
