// Two lists compared: what only the one names, both, only the other; by year or by venue.

Object.assign(NOTHING, { a: "", b: "", by: "year" });
const COMPARED = 12; // rows of the chart

const papersOfList = lists.id.map(() => new Set());
places.paper.forEach((paper, place) => papersOfList[places.list[place]].add(paper));
const bySize = lists.id.map((_, list) => list).sort((a, b) => papersOfList[b].size - papersOfList[a].size || a - b);

// The lists that are chosen here; else the list that is chosen above, and the largest ones.
const comparedLists = () => {
  const wanted = [choice.a, choice.b].map((id) => listNumber.get(id) ?? null);
  const spare = [...(choice.list === "" ? [] : [listNumber.get(choice.list)]), ...bySize];
  const a = wanted[0] ?? spare.find((list) => list !== wanted[1]);
  return [a, wanted[1] !== null && wanted[1] !== a ? wanted[1] : spare.find((list) => list !== a)];
};

const venueName = (paper) => {
  const at = papers.venue.codes[paper] === NOT_TOLD ? NOT_TOLD : facts.venues.of[papers.venue.codes[paper]];
  return at === NOT_TOLD ? null : facts.venues.names[at];
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
  const sizes = new Map();
  groups.forEach((group, slot) => group.forEach((paper) => {
    const label = labelOf(paper);
    if (label === null) return;
    if (!sizes.has(label)) sizes.set(label, [0, 0, 0]);
    sizes.get(label)[slot] += 1;
  }));
  const total = ([, sums]) => sums[0] + sums[1] + sums[2];
  const all = [...sizes].sort((x, y) => (isByYear ? y[0] - x[0] : total(y) - total(x) || (x[0] < y[0] ? -1 : 1)));
  const rows = all.slice(0, COMPARED).flatMap(([label, sums]) => [
    ...sums.map((count, slot) => ({ label: String(label), slot, papers: count, tip: `${label}, ${names[slot]}\n${counted(count, "paper")}` })).filter((row) => row.papers),
    partsBeside(String(label), sums),
  ]);
  return { rows, left_out: Math.max(0, all.length - COMPARED), isByYear };
};

for (const name of ["a", "b", "by"]) document.querySelector(`select[name=${name}]`).addEventListener("change", ({ target }) => choose({ [name]: target.value }));

const offerCompared = (pair) => {
  for (const [name, at] of [["a", 0], ["b", 1]]) {
    offer(name, bySize.map((list) => [lists.id[list], listLabels[list]]));
    control(name).value = lists.id[pair[at]];
  }
  control("by").value = choice.by === "venue" ? "venue" : "year";
};

const drawComparedTitles = (groups, names) => fill("compare-titles", ...groups.map((group, slot) => make("div", {},
  make("h3", {}, make("span", { class: `swatch s${slot}`, "aria-hidden": "true" }), `${names[slot]}: ${number.format(group.length)}`),
  make("ul", {}, ...group.slice(0, 5).map((paper) => make("li", {}, paperTitle(paper))), group.length > 5 ? make("li", { class: "by" }, `and ${number.format(group.length - 5)} more, in Numbers below`) : ""))));

const tallyCompare = () => {
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
    legend: names.map((label, slot) => ({ slot, label, click: null })),
    head: ["Paper", "Year", "Venue", "Citations", "Where"],
    body: groups.flatMap((group, slot) => group.map((paper) => [titleOf(paper), String(papers.year[paper] ?? "–"), venueName(paper) ?? "", papers.citations[paper] === null ? "–" : number.format(papers.citations[paper]), names[slot]])),
    says: `${says} ${PARTS_ORDER}${left_out ? (isByYear ? ` The last ${COMPARED} years are drawn.` : ` The ${COMPARED} commonest venues are drawn.`) : ""}${apart}`,
  };
};
TALLIES.compare = tallyCompare;
