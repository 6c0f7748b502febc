// Two lists compared: what only the one names, both, only the other; by year or by venue.

Object.assign(NOTHING, { a: "", b: "", by: "year" });
const COMPARED = 12; // rows of the chart

const papersOfList = lists.id.map(() => new Set());
places.paper.forEach((paper, place) => papersOfList[places.list[place]].add(paper));
const bySize = lists.id.map((_, list) => list).sort((a, b) => papersOfList[b].size - papersOfList[a].size || a - b);

// The lists that are chosen here; else the list that is chosen above, and the largest ones.
const comparedLists = () => {
  const [wantedA, wantedB] = [choice.a, choice.b].map((id) => listNumber.get(id));
  const spare = [listChosen(), ...bySize].filter((list) => list !== null);
  const a = wantedA ?? spare.find((list) => list !== wantedB);
  return [a, [wantedB, ...spare].find((list) => list !== undefined && list !== a)];
};

const comparedGroups = ([a, b]) => {
  const [ofA, ofB] = [papersOfList[a], papersOfList[b]].map((all) => [...all].filter(isPaperChosen).sort((x, y) => x - y));
  const inB = new Set(ofB);
  const inA = new Set(ofA);
  return [ofA.filter((paper) => !inB.has(paper)), ofA.filter((paper) => inB.has(paper)), ofB.filter((paper) => !inA.has(paper))];
};

const comparedBars = (groups, names) => {
  const isByYear = choice.by !== "venue";
  const labelOf = (paper) => (isByYear ? papers.year[paper] : venueName(paper));
  const sizes = groups.map((group) => sizesOf(group.map(labelOf).filter((label) => label !== null)));
  const labels = [...new Set(sizes.flatMap((ofGroup) => [...ofGroup.keys()]))];
  const partsOf = (label) => sizes.map((ofGroup) => ofGroup.get(label) ?? 0);
  const all = isByYear ? labels.sort((x, y) => y - x).map((label) => [label, partsOf(label)]) : ranked(labels.map((label) => [label, sum(partsOf(label))])).map(([label]) => [label, partsOf(label)]);
  const rows = all.slice(0, COMPARED).flatMap(([label, sums]) => [
    ...sums.map((count, slot) => ({ label: String(label), slot, papers: count, tip: `${label}, ${names[slot]}\n${counted(count, "paper")}` })).filter((row) => row.papers),
    partsBeside(String(label), sums),
  ]);
  return { rows, left_out: Math.max(0, all.length - COMPARED), isByYear };
};

const offerCompared = (pair) => {
  for (const [name, at] of [["a", 0], ["b", 1]]) {
    offer(name, bySize.map((list) => [lists.id[list], listLabels[list]]));
    control(name).value = lists.id[pair[at]];
  }
  control("by").value = choice.by;
};

const drawComparedTitles = (groups, names) => fill("compare-titles", ...groups.map((group, slot) => make("div", {},
  make("h3", {}, make("span", { class: `swatch s${slot}`, "aria-hidden": "true" }), `${names[slot]}: ${number.format(group.length)}`),
  make("ul", {}, ...firstItems(group, 5, (paper) => make("li", {}, paperTitle(paper)))))));

addChart("compare", () => {
  document.getElementById("compare-choices").hidden = lists.id.length < 2;
  fill("compare-titles");
  if (lists.id.length < 2) return { empty: `${listsThere()}; two can be compared.` };
  const pair = comparedLists();
  offerCompared(pair);
  const [a, b] = pair.map((list) => apartFromLine(listLabels[list]));
  const groups = comparedGroups(pair);
  const names = [`only in ${a}`, "in both", `only in ${b}`];
  const [onlyA, both, onlyB] = groups.map((group) => group.length);
  if (!onlyA && !both && !onlyB) return { empty: "Neither list names a paper of the chosen category and years." };
  drawComparedTitles(groups, names);
  const { rows, left_out, isByYear } = comparedBars(groups, names);
  const apart = choice.list !== "" || choice.section !== "" ? " The choice of a list or section above does not narrow this." : "";
  const ofChoice = choice.category === "" && choice.from === "" && choice.to === "" ? "" : "Of the chosen category and years: ";
  const shares = both ? `: ${percent(both, onlyA + both)} of the one, ${percent(both, onlyB + both)} of the other` : "";
  const says = `${ofChoice}${a} names ${counted(onlyA + both, "paper")}, ${b} ${number.format(onlyB + both)}; both name ${number.format(both)}${shares}.`;
  if (!rows.length) return { empty: `${says} No ${isByYear ? "year" : "venue"} is known of any of them, so there is nothing to draw.${apart}` };
  return {
    rows, height: 26 * new Set(rows.map(({ label }) => label)).size,
    legend: names.map((label, slot) => ({ slot, label })),
    head: ["Paper", "Year", "Venue", "Citations", "Where"],
    body: groups.flatMap((group, slot) => group.map((paper) => [titleOf(paper), yearText(paper), venueName(paper) ?? "", papers.citations[paper] === null ? "–" : number.format(papers.citations[paper]), names[slot]])),
    says: `${says} ${PARTS_ORDER}${left_out ? (isByYear ? ` The last ${COMPARED} years are drawn.` : ` The ${COMPARED} commonest venues are drawn.`) : ""}${apart}`,
  };
});
