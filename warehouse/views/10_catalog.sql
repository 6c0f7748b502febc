-- One row a paper that some list names now: what it is, its latest counts, the lists and sections that name it.
-- A list is named as in the view list_names.
WITH named AS (
    SELECT
        m.paper_id,
        count(*) AS mention_count,
        list(m.list_id) AS list_ids,
        list(l.list) AS lists,
        list(array_to_string(m.section, ' / ')) FILTER (WHERE len(m.section) > 0) AS sections,
        min(m.first_seen_at) AS first_mentioned_at
    FROM mentions AS m
    JOIN list_names AS l ON l.list_id = m.list_id
    WHERE m.removed_at IS NULL AND m.paper_id IS NOT NULL
    GROUP BY m.paper_id
),
published AS (
    -- Of one source, as all tell of the same version: of one that names the venue, of those DBLP, and arXiv's authors last.
    SELECT
        v.paper_id,
        -- The authors' own words hold the year.
        list(concat_ws(' ', coalesce(v.venue, v.doi), CASE WHEN v.source <> 'arxiv' THEN v.year END) ORDER BY v.year, v.record)
            AS published_as,
        min(v.first_seen_at) AS published_since
    FROM published_versions AS v
    WHERE v.gone_at IS NULL
    GROUP BY v.paper_id, v.source
    QUALIFY row_number() OVER (
        PARTITION BY v.paper_id ORDER BY count(v.venue) = 0, v.source <> 'dblp', v.source DESC
    ) = 1
)
-- `citation_count` is Semantic Scholar's, OpenAlex's where that has none; `count_source` says whose it is.
-- Most papers stand in one place, and telling places apart takes longer than all the rest.
SELECT
    p.paper_id,
    p.title,
    p.authors,
    p.year,
    p.venue,
    p.arxiv_id,
    p.doi,
    p.s2_paper_id,
    p.citation_key,
    p.primary_category,
    p.categories,
    p.fields_of_study,
    p.withdrawn,
    p.retracted,
    v.published_as,
    v.published_since,
    coalesce(p.citation_count, w.citation_count) AS citation_count,
    CASE WHEN p.citation_count IS NOT NULL THEN 's2' WHEN w.citation_count IS NOT NULL THEN 'openalex' END AS count_source,
    p.influential_citation_count,
    p.reference_count,
    CASE WHEN p.citation_count IS NULL AND w.citation_count IS NOT NULL THEN w.refreshed_at ELSE p.counted_at END
        AS counted_at,
    w.citation_count AS openalex_citation_count,
    n.mention_count,
    CASE WHEN n.mention_count = 1 THEN 1 ELSE list_unique(n.list_ids) END AS list_count,
    CASE WHEN n.mention_count = 1 THEN n.lists ELSE list_sort(list_distinct(n.lists)) END AS lists,
    CASE WHEN n.mention_count = 1 THEN n.sections ELSE list_sort(list_distinct(n.sections)) END AS sections,
    n.first_mentioned_at
FROM papers AS p
JOIN named AS n ON n.paper_id = p.paper_id
LEFT JOIN openalex_works AS w ON w.paper_id = p.paper_id
LEFT JOIN published AS v ON v.paper_id = p.paper_id
WHERE p.merged_into IS NULL
