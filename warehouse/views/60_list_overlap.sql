-- One row a pair of lists that name papers in common: how many, and their share of the smaller list.
WITH named AS (
    SELECT DISTINCT list_id, paper_id FROM mentions WHERE paper_id IS NOT NULL AND removed_at IS NULL
),
size AS (
    SELECT list_id, count(*) AS papers FROM named GROUP BY list_id
)
SELECT
    la.list AS list_a,
    lb.list AS list_b,
    count(*) AS papers_in_common,
    count(*) / least(any_value(sa.papers), any_value(sb.papers)) AS share_of_smaller,
    list_sort(list(p.title)) AS titles
FROM named AS a
JOIN named AS b ON b.paper_id = a.paper_id AND b.list_id > a.list_id
JOIN papers AS p ON p.paper_id = a.paper_id
JOIN list_names AS la ON la.list_id = a.list_id
JOIN list_names AS lb ON lb.list_id = b.list_id
JOIN size AS sa ON sa.list_id = a.list_id
JOIN size AS sb ON sb.list_id = b.list_id
GROUP BY a.list_id, b.list_id, la.list, lb.list
