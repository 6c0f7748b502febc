-- One row a source and what it answered: of how many papers of the page, and between when and when it was last asked.
SELECT h.source, h.status, count(*) AS papers, min(h.asked_at) AS first_asked_at, max(h.asked_at) AS last_asked_at
FROM harvests AS h
SEMI JOIN listed USING (paper_id)
GROUP BY h.source, h.status
ORDER BY h.source, h.status
