-- One row an institution that OpenAlex tells of the authors of two papers or more, the commonest first, and its papers.
SELECT institution AS name, list(paper ORDER BY paper) AS papers
FROM (SELECT DISTINCT n.paper, unnest(a.institutions) AS institution FROM paper_authors AS a JOIN numbered AS n USING (paper_id))
GROUP BY institution
HAVING count(*) >= 2
ORDER BY count(*) DESC, institution
LIMIT 200
