-- One row a paper whose citations by year OpenAlex tells: the years and the citations in each, and when it told them.
SELECT
    y.paper_id,
    list(y.year ORDER BY y.year) AS years,
    list(y.citation_count ORDER BY y.year) AS counts,
    any_value(w.refreshed_at) AS told_at
FROM citations_by_year AS y
SEMI JOIN listed USING (paper_id)
JOIN openalex_works AS w USING (paper_id)
WHERE y.source = 'openalex'
GROUP BY y.paper_id
