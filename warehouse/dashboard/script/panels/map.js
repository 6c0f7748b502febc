// The map: when papers came out against how often they are cited, who cites whom, and what the lists lack.

const links = facts.links;
const citesHere = new Map(links.paper.map((paper, row) => [paper, links.cites[row]]));
const citedByHere = new Map();
for (const [paper, cites] of citesHere) for (const other of cites) {
  if (!citedByHere.has(other)) citedByHere.set(other, []);
  citedByHere.get(other).push(paper);
}
// Nobody knows what these cite, so that they may cite papers here, too.
const untoldPapers = new Set(links.untold);
const MOST_MARKS = 600;
const MOST_LABELS = 14;
const LONGEST_LABEL = window.innerWidth < 600 ? 14 : 34;

const citesText = (paper) => (untoldPapers.has(paper) ? "its references are not known" : `cites ${counted((citesHere.get(paper) ?? []).length, "paper")} here`);

const citedText = (paper) => `cited by ${number.format((citedByHere.get(paper) ?? []).length)}${untoldPapers.size ? " of those whose references are known" : ""}`;

const whenPublished = (paper) => {
  if (papers.published[paper] === null) return papers.year[paper] === null ? null : papers.year[paper] + 0.5;
  return 1970 + papers.published[paper] / 365.2425;
};

// One source counts all that is drawn: OpenAlex where works are missing, which only it counts.
const mapped = papers.mapped ?? papers.citations;
const MAPPED_BY = papers.mapped === null ? COUNTED_BY : "OpenAlex";
const isOnMap = (paper) => mapped[paper] !== null && whenPublished(paper) !== null;

const paperMark = (paper, chosenPaper) => ({
  ...(paper === chosenPaper ? { fill: "var(--series-1)", size: 150 } : { fill: "var(--series-0)", size: 45 }), id: papers.id[paper], year: whenPublished(paper), citations: mapped[paper],
  tip: `${titleOf(paper)}\n${papers.year[paper] ?? ""}, ${counted(mapped[paper], "citation")}\n${citesText(paper)}, ${citedText(paper)}`,
});

const missingMarks = () => missingRows().filter((row) => missing.year[row] !== null).map((row) => ({
  fill: "var(--panel)", outline: "var(--series-3)", size: 70, year: missing.year[row] + 0.5, citations: missing.citation_count[row],
  tip: `${withoutTex(missing.title[row])}\n${missing.year[row]}, ${counted(missing.citation_count[row], "citation")}\nmissing from the lists: cited by ${number.format(missing.cited_by_listed[row])}, cites ${number.format(missing.cites_listed[row])}`,
}));

// Marks of which the first are named beside them, as far as there is room.
const labelled = (marks) => marks.map((mark, at) => {
  if (at >= MOST_LABELS) return mark;
  return { ...mark, rank: at, label: cutTo(mark.tip.split("\n")[0], LONGEST_LABEL) };
});

const linkMarks = (paper) => [["cites", citesHere], ["cited", citedByHere]].flatMap(([direction, of]) =>
  (of.get(paper) ?? []).filter(isOnMap).map((other) => ({
    dash: direction, outline: `var(--series-${direction === "cites" ? 1 : 2})`, year: whenPublished(paper), citations: mapped[paper], other_year: whenPublished(other), other_citations: mapped[other],
  })));

// A link that leads nowhere, so that there always is one.
const noLink = (paper) => ({ year: whenPublished(paper), citations: mapped[paper], other_year: whenPublished(paper), other_citations: mapped[paper], dash: "cited" });

// That nobody cites another is known of those papers alone whose references are.
const noLinksText = () => (missing.basis.with_references
  ? `None of the papers of this page cites another, by the references of ${number.format(missing.basis.with_references)} of ${counted(missing.basis.papers, "paper")}.`
  : "Who cites whom is not known yet.");

const mapSays = (left, drawn, known, chosenPaper) => {
  const untold = left.papers.length - known.length;
  const sentences = [`Each dot is a paper${known.length > drawn.length ? `, the ${number.format(drawn.length)} most cited of ${number.format(known.length)}` : ""}; higher is cited more, by ${MAPPED_BY}.`];
  if (untold) sentences.push(`${counted(untold, "paper")} without a count or a year ${untold === 1 ? "is" : "are"} not drawn.`);
  if (missingMarks().length) sentences.push("Hollow marks are works missing from the lists.");
  if (chosenPaper !== null && !isOnMap(chosenPaper)) sentences.push(`${shortTitle(chosenPaper)} has no count or no year.`);
  else if (chosenPaper !== null) sentences.push(`${shortTitle(chosenPaper)}: ${citesText(chosenPaper)}${untoldPapers.has(chosenPaper) ? "" : " (dashed)"}, ${citedText(chosenPaper)} (solid), whatever is chosen.`);
  else sentences.push(citesHere.size ? "Choose a paper to see which of the others it cites and which cite it." : noLinksText());
  if (citesHere.size && missing.basis.with_references < missing.basis.papers) sentences.push(`Known are the references of ${number.format(missing.basis.with_references)} of ${counted(missing.basis.papers, "paper")}.`);
  if (links.left_out) sentences.push(`${counted(links.left_out, "citation")} between papers cited less are left out.`);
  return sentences.join(" ");
};

const choosePaper = (id) => choose({ paper: choice.paper === id ? "" : id });

addChart("map", (left) => {
  const known = left.papers.filter(isOnMap).sort((a, b) => mapped[b] - mapped[a] || a - b);
  const chosenPaper = choice.paper === "" ? null : paperNumber.get(choice.paper);
  if (!known.length) return { empty: left.papers.length ? "No paper here has both a year and a count of citations." : "No paper here." };
  const drawn = known.slice(0, MOST_MARKS);
  const linked = chosenPaper === null || !isOnMap(chosenPaper) ? [] : [chosenPaper, ...(citesHere.get(chosenPaper) ?? []), ...(citedByHere.get(chosenPaper) ?? [])].filter(isOnMap);
  const lacking = missingMarks();
  const isLinked = new Set(linked);
  // What the chosen paper is linked to is named first, then what the lists lack most and what is cited most, in turn.
  const inOrder = [
    ...linked.map((paper) => paperMark(paper, chosenPaper)),
    ...drawn.filter((paper) => !isLinked.has(paper)).flatMap((paper, at) => [...lacking.slice(at, at + 1), paperMark(paper, chosenPaper)]), ...lacking.slice(drawn.length),
  ];
  return {
    rows: [noLink(known[0]), ...(linked.length ? linkMarks(chosenPaper) : []), ...labelled(inOrder).reverse()],
    head: ["Paper", "Year", "Citations", "Cites here", "Cited by here"],
    body: known.map((paper) => [titleOf(paper), yearText(paper), number.format(mapped[paper]), untoldPapers.has(paper) ? "–" : number.format((citesHere.get(paper) ?? []).length), number.format((citedByHere.get(paper) ?? []).length)]),
    says: mapSays(left, drawn, known, chosenPaper),
    click: ({ id }) => id && choosePaper(id),
    press: (row) => choosePaper(papers.id[known[row]]),
  };
});
