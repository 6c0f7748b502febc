-- One row a paper with three counts or more over 21 days or more of the last 90 before the newest: citations gained per week, recounts by the source left out.
FROM rising_since((SELECT max(observed_at) FROM citation_counts) - INTERVAL 90 DAY) WHERE gained_per_week IS NOT NULL
