-- One row a paper and day on which it was counted (days since 1970): the last count of that day.
SELECT
    f.paper,
    (epoch_us(c.observed_at) // 86400000000)::INTEGER AS day,
    arg_max(c.citation_count, c.observed_at) AS citations
FROM citation_counts AS c
JOIN followed AS f ON f.record = c.paper_id
WHERE c.source = $source AND c.citation_count IS NOT NULL AND c.observed_at <= now() + INTERVAL 1 DAY
GROUP BY ALL
