-- As `listed`, of what may be shown to others: facts of arXiv and OpenAlex, whose data is CC0, and the lists' own words.
-- A column of `papers` may come from any source. So of a paper that arXiv describes only what arXiv alone tells is taken
-- from there, and of another one nothing.
WITH written AS (
    SELECT
        paper_id,
        any_value(title ORDER BY list_id, line) AS title,
        any_value(authors ORDER BY list_id, line) FILTER (len(authors) > 0) AS authors,
        any_value(year ORDER BY list_id, line) AS year
    FROM mentions
    WHERE removed_at IS NULL
    GROUP BY paper_id
),
people AS (
    SELECT paper_id, list(name ORDER BY position) AS authors
    FROM paper_authors
    WHERE source = 'openalex'
    GROUP BY paper_id
),
described AS (
    SELECT paper_id, len(categories) > 0 AS by_arxiv, published_on FROM papers
)
SELECT
    c.paper_id,
    CASE WHEN d.by_arxiv THEN c.title ELSE coalesce(w.title, m.title, '(no title in the list)') END AS title,
    CASE WHEN d.by_arxiv THEN c.authors ELSE coalesce(a.authors, m.authors, []) END AS authors,
    CASE WHEN d.by_arxiv THEN year(d.published_on)::INTEGER ELSE coalesce(w.year, m.year) END AS year,
    w.venue,
    CASE WHEN d.by_arxiv THEN c.arxiv_id END AS arxiv_id,
    w.doi,
    NULL::VARCHAR AS s2_paper_id,
    NULL::VARCHAR AS citation_key,
    c.primary_category,
    c.categories,
    []::VARCHAR[] AS fields_of_study,
    c.withdrawn,
    c.retracted,
    c.published_as,
    c.published_since,
    w.citation_count,
    CASE WHEN w.citation_count IS NOT NULL THEN 'openalex' END AS count_source,
    NULL::BIGINT AS influential_citation_count,
    NULL::BIGINT AS reference_count,
    w.refreshed_at AS counted_at,
    w.citation_count AS openalex_citation_count,
    c.mention_count,
    c.list_count,
    c.lists,
    c.sections,
    c.first_mentioned_at,
    CASE WHEN d.by_arxiv THEN d.published_on ELSE w.published_on END AS published_on,
    w.citation_count AS drawn_count,
    NULL::VARCHAR AS pages, -- of the venue that DBLP knows, which may be another one
    NULL::VARCHAR AS publication_type
FROM catalog AS c
JOIN described AS d USING (paper_id)
LEFT JOIN openalex_works AS w USING (paper_id)
LEFT JOIN written AS m USING (paper_id)
LEFT JOIN people AS a USING (paper_id)
