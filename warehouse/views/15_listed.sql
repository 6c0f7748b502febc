-- One row a paper as in catalog, where `told_by` is 'sources'; and one for each that no source could be asked about, with what the lists themselves say of it: `told_by` is 'list', and `paper_id` empty.
SELECT *, 'sources' AS told_by FROM catalog
UNION ALL BY NAME
SELECT
    any_value(m.title) AS title,
    coalesce(any_value(m.authors) FILTER (WHERE len(m.authors) > 0), []) AS authors,
    any_value(m.year) AS year,
    any_value(m.venue) AS venue,
    any_value(m.arxiv_id) AS arxiv_id,
    any_value(m.doi) AS doi,
    count(*) AS mention_count,
    list_unique(list(m.list_id)) AS list_count,
    list_sort(list_distinct(list(l.list))) AS lists,
    list_sort(list_distinct(list(array_to_string(m.section, ' / ')) FILTER (WHERE len(m.section) > 0))) AS sections,
    min(m.first_seen_at) AS first_mentioned_at,
    'list' AS told_by
FROM mentions AS m
JOIN list_names AS l ON l.list_id = m.list_id
WHERE m.status = 'failed' AND m.removed_at IS NULL AND coalesce(m.title, m.arxiv_id, m.doi) IS NOT NULL
GROUP BY coalesce(
    'arxiv:' || m.arxiv_id,
    'doi:' || lower(m.doi),
    concat_ws(chr(10), 'titled', lower(m.title), m.year, array_to_string(m.authors, ';'))
)
