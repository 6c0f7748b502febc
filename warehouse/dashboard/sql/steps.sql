-- One row a step of time in which something was counted, and the last day on which that was.
SELECT step, max(observed_at) AS observed_at
FROM counted
GROUP BY step
ORDER BY step
