-- One row a paper with three counts or more over 21 days or more of the last 90 before the newest: citations gained per week, recounts by the source left out.
-- The last three columns are OpenAlex's: citations in the last full year and the paper's place by them (`rising_by_year`).
SELECT r.*, y.counted_year, y.cited AS cited_in_year, y.percentile
FROM rising_lately() AS r
LEFT JOIN rising_by_year AS y USING (paper_id)
