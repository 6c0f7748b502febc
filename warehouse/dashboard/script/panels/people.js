// Who wrote the papers, and where they came out: years and editions of a venue are one, and an archive of preprints is none.

addChart("people", (left) => {
  const sizes = sizesOf(left.papers.flatMap((paper) => [...new Set(namesIn(papers.authors[paper]))]).filter((name) => name !== "others"));
  if (!left.papers.length) return { empty: "No paper here." };
  if (!sizes.size) return { empty: "Nobody is known as the author of a paper here." };
  const several = [...sizes.values()].filter((count) => count > 1).length;
  const known = left.papers.filter((paper) => papers.authors[paper]).length;
  return {
    ...bars(sizes, { one: "Name", click: ({ key }) => searchFor("author", key) }),
    says: `${counted(sizes.size, "name")} on ${counted(known, "paper")}, ${number.format(several)} on more than one. By name as printed: two people of one name are not told apart, and of long lists of authors only the first count. A click shows the papers of a name in the table.`,
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
