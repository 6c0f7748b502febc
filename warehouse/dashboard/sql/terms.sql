-- One row a term in motion, the clearest trends first.
-- Of `$joining` no term is made. A term stands in ten titles or more, in one of 200, and in no more than half of them.
-- A year counts where ten papers or more are of it: in a thinner one a share says little.
WITH plain AS (
    SELECT
        paper_id,
        CASE WHEN count(*) OVER (PARTITION BY year) >= 10 THEN year END AS year,
        trim(regexp_replace(lower(strip_accents(title)), '[^\p{L}\p{N}]+', ' ', 'g')) AS title
    FROM listed
),
worded AS (
    SELECT paper_id, year, string_split(title, ' ') AS words FROM plain WHERE title <> ''
),
single AS (
    SELECT paper_id, year, unnest(words) AS word, generate_subscripts(words, 1) AS place FROM worded
),
usable AS (
    SELECT
        *,
        length(word) >= 2 AND NOT list_contains($joining::VARCHAR[], word) AND NOT regexp_full_match(word, '\p{N}+') AS fits
    FROM single
),
pairs AS (
    SELECT
        paper_id,
        year,
        word,
        fits,
        lead(word) OVER (PARTITION BY paper_id ORDER BY place) AS next,
        lead(fits) OVER (PARTITION BY paper_id ORDER BY place) AS next_fits
    FROM usable
),
named AS (
    SELECT DISTINCT paper_id, year, word AS term FROM pairs WHERE fits AND length(word) >= 3
    UNION ALL
    SELECT DISTINCT paper_id, year, word || ' ' || next FROM pairs WHERE fits AND next_fits
),
reach AS (
    SELECT count(*) AS papers, avg(year) AS middle, sum(year * year) - sum(year) * avg(year) AS spread
    FROM plain
    WHERE year IS NOT NULL
),
trends AS (
    SELECT
        n.term,
        count(*) AS papers,
        count(*) / any_value(r.papers) AS share,
        sum(n.year - r.middle) / sqrt(share * (1 - share) * any_value(r.spread)) AS trend
    FROM named AS n
    CROSS JOIN reach AS r
    WHERE n.year IS NOT NULL
    GROUP BY n.term
    HAVING count(*) >= greatest(10, 0.005 * any_value(r.papers)) AND share <= 0.5 AND any_value(r.spread) > 0
),
-- A word says nothing of its own where one pair holds most of its uses.
own AS (
    SELECT t.*
    FROM trends AS t
    ANTI JOIN (
        SELECT word AS term, max(papers) AS papers
        FROM (SELECT unnest(string_split(term, ' ')) AS word, papers FROM trends WHERE contains(term, ' '))
        GROUP BY word
    ) AS pair ON pair.term = t.term AND pair.papers >= 0.6 * t.papers
)
SELECT term FROM own WHERE abs(trend) >= 1 ORDER BY abs(trend) DESC, term LIMIT $most
