-- One row a paper with two observations or more in the last 90 days before the newest one: citations gained per week.
SELECT * FROM rising_since((SELECT max(observed_at) FROM citation_counts) - INTERVAL 90 DAY)
