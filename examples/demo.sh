#!/bin/sh
# The demo: the bundled snapshots into the mirrors, the example lists into a lake, and a look at what came of it.
# Asks no network. What the snapshots do not hold stays `failed` (exit code 1 of `refresh`): nobody was asked for it.
set -eu
export PAPERLAKE_LAKE="$DEMO/lake"
rm -rf "$DEMO"

echo "== 1. Metadata (CC0) of some hundred papers of arXiv, and of a few of DBLP, into the local mirrors"
"$BIN/paperlake" mirror import arxiv --part examples/starter/arxiv-starter.jsonl
"$BIN/paperlake" mirror import dblp --part examples/starter/dblp-starter.xml

echo
echo "== 2. Three example reading lists into the lake, offline"
"$BIN/paperlake" refresh examples/lists --offline || test $? -eq 1

echo
echo "== 3. What each list came to"
"$BIN/paperlake" sql "select list, mentions, resolved, ambiguous, not_found, failed, papers from coverage order by list"

echo
echo "== 4. What has no paper yet, and why"
"$BIN/paperlake" sql "select status, list, line, coalesce(title, url) as mention, reason from unresolved order by list, line"

echo
echo "== 5. The papers that most lists name"
"$BIN/paperlake" sql "select title, year, mention_count as mentions, list_count as lists from catalog order by 3 desc, 4 desc, 1 limit 10"

echo
echo "== 6. The same as a page: trends, charts and the catalogue"
"$BIN/paperlake" dashboard --out "$DEMO/dashboard"

cat <<END

Open $DEMO/dashboard/index.html in a browser: it needs no network and no server. It has no citation counts and no trends
of them: nobody was asked, and no recorded counts of these papers were at hand to be bundled.

Next, try:
  export PATH="$BIN:\$PATH" PAPERLAKE_LAKE=$DEMO/lake
  paperlake refresh examples/lists              the same with a network: fills the gaps, adds citation counts
  paperlake parse your-own-list.md              what paperlake reads in a list of yours
  paperlake sql "from list_overlap"             what several lists agree on
END
