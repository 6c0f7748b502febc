-- One row a paper and step in which its source recounted it, and what that added or took away.
SELECT f.paper, d.step, sum(r.citation_count - r.count_before)::BIGINT AS added
FROM recounts AS r
JOIN followed AS f ON f.record = r.paper_id
JOIN counted_days AS d ON d.day = epoch_us(r.observed_at) // 86400000000
WHERE r.source = $source
GROUP BY ALL
ORDER BY ALL
