// Who wrote the papers, where they work, and where the papers came out: years and editions of a venue are one, and an archive of preprints is none.

addChart("people", (left) => {
  const sizes = sizesOf(left.papers.flatMap((paper) => [...new Set(namesIn(papers.authors[paper]))]).filter((name) => name !== "others"));
  if (!left.papers.length) return { empty: "No paper here." };
  if (!sizes.size) return { empty: "Nobody is known as the author of a paper here." };
  const several = [...sizes.values()].filter((count) => count > 1).length;
  const known = left.papers.filter((paper) => papers.authors[paper]).length;
  const together = sizesOf(left.papers.flatMap((paper) => {
    const names = [...new Set(namesIn(papers.authors[paper]))].filter((name) => sizes.get(name) > 1).sort();
    return names.flatMap((name, at) => names.slice(at + 1).map((other) => `${name} and ${other}`));
  }));
  const pairs = ranked(together).filter(([, count]) => count > 1).slice(0, 3).map(([names, count]) => `${names} (${counted(count, "paper")})`);
  return {
    ...bars(sizes, { one: "Name", click: ({ key }) => searchFor("author", key) }),
    says: `${counted(sizes.size, "name")} on ${counted(known, "paper")}, ${number.format(several)} on more than one.${pairs.length ? ` Together most often: ${andList(pairs)}.` : ""} By name as printed: two people of one name are not told apart, and of long lists of authors only the first count. A click shows the papers of a name in the table.`,
  };
});

const institutions = facts.institutions;

addChart("institutions", (left) => {
  const here = new Set(left.papers);
  const among = (some) => some.filter((paper) => here.has(paper)).length;
  const sizes = new Map(institutions.name.map((name, at) => [name, among(institutions.papers[at])]).filter(([, count]) => count));
  const known = among(institutions.known);
  if (!known) return { empty: "OpenAlex tells of no paper here where its authors work." };
  if (!sizes.size) return { empty: `No institution has two of the ${counted(known, "paper")} here of which OpenAlex tells where the authors work.` };
  return {
    ...bars(sizes, { one: "Institution" }),
    says: `${counted(sizes.size, "institution")} of the authors of ${counted(known, "paper")}, as each paper gives them and OpenAlex tells: those with two papers of the page, at most 200.${known < left.papers.length ? ` Of ${number.format(left.papers.length - known)} it tells none.` : ""}`,
  };
});

addChart("venues", (left) => {
  const named = left.papers.filter((paper) => venueName(paper) !== null);
  const sizes = sizesOf(named.map(venueName));
  const untold = left.papers.filter((paper) => venueText(paper) === null).length;
  const archived = left.papers.length - named.length - untold;
  if (!left.papers.length) return { empty: "No paper here." };
  if (!sizes.size && !papers.venue.values.length) return { empty: `No venue is known yet. ${facts.counted_by === "s2" ? "OpenAlex and Semantic Scholar tell" : "OpenAlex tells"} most of them: refresh with a network.` };
  if (!sizes.size) return { empty: "No venue is known of the papers chosen." };
  const apart = archived ? ` ${counted(archived, "paper")} came out in an archive of preprints only, as far as is known.` : "";
  const unknown = untold ? ` Of ${number.format(untold)} no venue is known.` : "";
  return {
    ...bars(sizes, { one: "Venue", click: ({ key }) => searchFor("venue", key) }),
    says: `${counted(sizes.size, "venue")} of ${counted(named.length, "paper")}, without years and editions.${sizes.size > MOST_BARS ? ` The ${MOST_BARS} commonest are drawn.` : ""}${apart}${unknown} A click shows the papers of a venue in the table.`,
  };
});
