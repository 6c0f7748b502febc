-- One row a list and work that the list does not name though its papers cite it, or are cited by it, far more than the world does: `list_id` `all` is all lists together.
-- `score` is how many times as often they are linked as works of like fame, at the least: twice or more. A work with many
-- citations from everywhere has no row. At least three papers of the list cite it or are cited by it: those come first with
-- which most papers are linked.
WITH listed AS MATERIALIZED (
    SELECT DISTINCT unnest([list_id, 'all']) AS list_id, paper_id
    FROM mentions
    WHERE removed_at IS NULL AND paper_id IS NOT NULL
),
links AS MATERIALIZED (
    FROM citation_links
),
ends AS MATERIALIZED (
    SELECT cited AS work, citing AS paper_id, true AS is_cited FROM links SEMI JOIN listed ON listed.paper_id = links.citing
    UNION ALL
    SELECT citing, cited, false FROM links SEMI JOIN listed ON listed.paper_id = links.cited
),
linked AS MATERIALIZED (
    -- Most works have one link, so those with too few in all lists together are left out before lists are told apart.
    SELECT l.list_id, e.work, e.paper_id, e.is_cited
    FROM ends AS e
    SEMI JOIN (SELECT work FROM ends GROUP BY work HAVING count(*) >= 3) AS f ON f.work = e.work
    JOIN listed AS l ON l.paper_id = e.paper_id
),
counted AS (
    SELECT
        list_id,
        work,
        count(*) FILTER (is_cited) AS cited_by_listed,
        count(*) FILTER (NOT is_cited) AS cites_listed
    FROM linked
    GROUP BY list_id, work
    HAVING count(*) >= 3
),
outside AS (
    FROM counted
    ANTI JOIN listed AS own ON own.list_id = counted.list_id AND own.paper_id = counted.work
),
facts AS (
    SELECT
        openalex_id AS work, openalex_id, NULL AS paper_id, title, authors, year, venue, doi, arxiv_id,
        citation_count, reference_count
    FROM outside_works
    WHERE status = 'found' AND version_of IS NULL AND retracted IS NOT TRUE AND citation_count IS NOT NULL
    UNION ALL
    SELECT
        paper_id, w.openalex_id, paper_id, p.title, p.authors, p.year, p.venue, p.doi, p.arxiv_id,
        w.citation_count, p.reference_count
    FROM papers AS p
    JOIN openalex_works AS w USING (paper_id)
    WHERE p.merged_into IS NULL AND p.retracted IS NOT TRUE AND p.withdrawn IS NOT TRUE AND w.citation_count IS NOT NULL
),
known AS (
    SELECT
        c.*,
        f.* EXCLUDE (work),
        greatest(f.citation_count, c.cited_by_listed)::DOUBLE AS world_cited,
        greatest(coalesce(f.reference_count, 0), c.cites_listed)::DOUBLE AS world_citing
    FROM outside AS c
    JOIN facts AS f ON f.work = c.work
),
fame AS (
    -- How often papers of the list cite works of some fame at the most: in proportion to it, as the most famous of them
    -- tell, and by its root, as the usual one tells; neither more than in a list about many things. Of a short list a few
    -- links say little: it is taken for one of 60 papers, or of 80 for what cites its papers. Two famous
    -- works may differ three times in that. A hundred citations are added to each work's own, as few of them say little.
    SELECT
        c.list_id,
        least(
            sum(cited_by_listed * world_cited) FILTER (cited_by_listed >= 3)
                / sum(world_cited * world_cited) FILTER (cited_by_listed >= 3),
            sqrt(any_value(n.papers)) / 10000
        ) AS cited_rate,
        least(
            median(cited_by_listed / sqrt(world_cited + 100)) FILTER (cited_by_listed >= 3), sqrt(greatest(any_value(n.papers), 60)) / 250
        ) AS cited_root_rate,
        least(
            sum(cites_listed * world_citing) FILTER (cites_listed >= 3)
                / sum(world_citing * world_citing) FILTER (cites_listed >= 3),
            greatest(any_value(n.papers), 80) / 20000
        ) AS citing_rate
    FROM known AS c
    JOIN (SELECT list_id, count(*) AS papers FROM listed GROUP BY list_id) AS n ON n.list_id = c.list_id
    GROUP BY c.list_id
),
alike AS (
    -- How often they cite works of like fame, up to thirty times as famous, by its root: the usual one of these, or their
    -- mean, if that is less. Works with fewer than three links are not seen, which the mean takes into account (Plackett
    -- 1953); what is missing is among them, which leaves the usual one as it is. Nothing is told of fewer than 30 works.
    SELECT
        list_id,
        work,
        CASE WHEN count(*) OVER famous >= 30 THEN sqrt(world_cited + 100) * least(
            median(cited_by_listed / sqrt(world_cited + 100)) OVER famous,
            sum(cited_by_listed) FILTER (cited_by_listed > 3) OVER famous / sum(sqrt(world_cited + 100)) OVER famous
        ) END AS cited_as_alike
    FROM known
    WHERE cited_by_listed >= 3
    WINDOW famous AS (
        PARTITION BY list_id
        ORDER BY ln(world_cited + 100) RANGE BETWEEN CURRENT ROW AND ln(30) FOLLOWING
    )
),
expected AS (
    SELECT
        c.*,
        a.cited_as_alike,
        greatest(3 * f.cited_rate * (c.world_cited + 100), f.cited_root_rate * sqrt(c.world_cited + 100)) AS cited_at_most,
        f.citing_rate * (c.world_citing + 100) AS citing_by_chance
    FROM known AS c
    JOIN fame AS f ON f.list_id = c.list_id
    LEFT JOIN alike AS a ON a.list_id = c.list_id AND a.work = c.work
),
sides AS (
    SELECT
        *,
        -- Either is enough: where all works of like fame are missing, only what is cited at the most tells it.
        CASE WHEN cited_by_listed > 0 THEN greatest(
            cited_by_listed / nullif(cited_at_most, 0) * exp(-3 / sqrt(cited_by_listed)),
            cited_by_listed / nullif(cited_as_alike, 0) * least(exp(-5 / cited_by_listed), 0.75),
            0
        ) ELSE 0 END AS cited_score,
        CASE WHEN cites_listed > 0 AND citing_by_chance > 0
            THEN cites_listed / citing_by_chance * exp(-3 / sqrt(cites_listed)) ELSE 0 END AS citing_score
    FROM expected
),
scored AS MATERIALIZED (
    SELECT
        *,
        greatest(cited_score, citing_score) AS score,
        CASE WHEN cited_score >= citing_score THEN cited_by_listed ELSE cites_listed END AS links
    FROM sides
    WHERE score >= 2
),
named AS (
    -- What a list names beside its papers' own records: the words of its entries, the candidates of entries that may be
    -- one of several papers, and the titles of its papers.
    SELECT list_id, title, NULL AS authors, doi, arxiv_id FROM mentions WHERE removed_at IS NULL
    UNION ALL
    SELECT m.list_id, c.title, NULL, c.doi, c.arxiv_id
    FROM mentions AS m
    JOIN candidates AS c ON c.mention_id = m.mention_id
    WHERE m.removed_at IS NULL AND m.status = 'ambiguous'
    UNION ALL
    SELECT  -- a DOI that only arXiv tells may be that of another work
        m.list_id,
        p.title,
        p.authors,
        CASE WHEN p.doi IS DISTINCT FROM p.arxiv_doi OR p.doi IN (p.s2_doi, p.dblp_doi, p.openalex_doi) THEN p.doi END,
        p.arxiv_id
    FROM mentions AS m
    JOIN papers AS p ON p.paper_id = m.paper_id
    WHERE m.removed_at IS NULL
),
entries AS MATERIALIZED (
    SELECT [list_id, 'all'] AS list_ids, NULL AS work, * EXCLUDE (list_id) FROM named
    UNION ALL
    SELECT [list_id], work, title, authors, doi, arxiv_id FROM scored
),
titles AS (
    -- Whole titles, and those without a system's name before a colon, all made alike here: `title_key` of a work spells
    -- out more than SQL can, such as Greek letters.
    SELECT unnest(list_ids) AS list_id, * EXCLUDE (list_ids)
    FROM (
        SELECT
            list_ids,
            work,
            authors,
            is_whole,
            nullif(
                regexp_replace(replace(lower(strip_accents(title)), '&', 'and'), '[^\p{L}\p{N}]+', '', 'g'), ''
            ) AS plain_title
        FROM (
            SELECT *, true AS is_whole FROM entries
            UNION ALL
            SELECT * REPLACE (regexp_extract(title, '^\S+(?: \S+){0,2}: (.{12,})$', 1) AS title), false FROM entries
        )
        WHERE title <> ''
    )
),
same_titles AS (
    SELECT
        w.list_id,
        w.work,
        nullif(regexp_extract_all(lower(strip_accents(array_to_string(w.authors, ' '))), '\p{L}{2,}'), []) AS people,
        nullif(regexp_extract_all(lower(strip_accents(array_to_string(n.authors, ' '))), '\p{L}{2,}'), []) AS people_of_named
    FROM titles AS w
    JOIN titles AS n ON n.list_id = w.list_id AND n.plain_title = w.plain_title
    WHERE w.work IS NOT NULL AND n.work IS NULL AND (w.is_whole OR n.is_whole)
),
identifiers AS (
    SELECT unnest(list_ids) AS list_id, work, value
    FROM (SELECT list_ids, work, unnest([lower(doi), lower(arxiv_id)]) AS value FROM entries)
    WHERE value IS NOT NULL
),
in_list AS (
    -- A work of the same title as a paper is another one only if nobody is an author of both.
    SELECT list_id, work
    FROM same_titles
    WHERE people IS NULL OR people_of_named IS NULL OR list_has_any(people, people_of_named)
    UNION
    SELECT w.list_id, w.work
    FROM identifiers AS w
    JOIN identifiers AS n ON n.list_id = w.list_id AND n.value = w.value
    WHERE w.work IS NOT NULL AND n.work IS NULL
),
missing AS (
    SELECT *
    FROM scored AS s
    ANTI JOIN in_list AS i ON i.list_id = s.list_id AND i.work = s.work
),
neighbours AS (
    SELECT
        list_id,
        work,
        list(paper_id ORDER BY paper_id) FILTER (is_cited) AS citing_paper_ids,
        list(paper_id ORDER BY paper_id) FILTER (NOT is_cited) AS cited_paper_ids
    FROM linked
    SEMI JOIN missing USING (list_id, work)
    GROUP BY list_id, work
    HAVING count(DISTINCT paper_id) >= 3
)
SELECT
    s.list_id,
    l.list,
    row_number() OVER (PARTITION BY s.list_id ORDER BY s.links DESC, s.score DESC, s.work) AS "rank",
    s.work,
    s.openalex_id,
    s.paper_id,
    s.title,
    s.authors,
    s.year,
    s.venue,
    s.doi,
    s.arxiv_id,
    s.citation_count,
    s.cited_by_listed,
    s.cites_listed,
    n.citing_paper_ids,
    n.cited_paper_ids,
    round(s.score, 2) AS score,
    m.first_missing_at
FROM missing AS s
JOIN neighbours AS n ON n.list_id = s.list_id AND n.work = s.work
LEFT JOIN list_names AS l ON l.list_id = s.list_id
LEFT JOIN missing_since AS m ON m.list_id = s.list_id AND m.work = s.work
QUALIFY "rank" <= 500
