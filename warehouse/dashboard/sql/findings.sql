-- One row a kind of finding in the lists: how many mentions that stand in a list now have one.
SELECT f.code, count(*) AS number
FROM findings AS f
JOIN mentions AS m USING (mention_id)
WHERE m.removed_at IS NULL
GROUP BY f.code
ORDER BY number DESC, f.code
