// What the lists are made of: their sections, which papers several of them name, and which entries have no paper.

addChart("sections", (left) => {
  if (!left.places.length) return { empty: "No paper here." };
  const members = grouped(left.places, sectionOf);
  const sizes = new Map([...members].map(([key, own]) => [key, new Set(own.map((place) => places.paper[place])).size]));
  const rest = sizes.size > MOST_BARS ? ` The ${MOST_BARS} largest are drawn.` : "";
  const click = ({ key }) => key !== "" && choose({ section: choice.section === key ? "" : key });
  return { ...bars(sizes, { one: "Section", click, label: sectionLabel }), says: `${sizes.size === 1 ? "1 section names" : `${number.format(sizes.size)} sections name`} papers.${rest} A click chooses one.` };
});

const STATUS_NAMES = { resolved: "with its paper", ambiguous: "ambiguous", not_found: "not found", failed: "could not be asked" };
const STATUSES = Object.keys(STATUS_NAMES);
const statusOf = (row) => valueAt(unresolved.status, row);

addChart("coverage", (left) => {
  if (left.uncategorised) return { empty: `How many mentions have their paper is not known by category.${leftOutText(left)}` };
  const mentions = [...left.places.map((place) => [places.list[place], "resolved"]), ...left.unresolved.map((row) => [unresolved.list[row], statusOf(row)])];
  if (!mentions.length) return { empty: "No mention here." };
  const byList = [...grouped(mentions, ([list]) => list)].sort((a, b) => b[1].length - a[1].length || a[0] - b[0]);
  const all = byList.map(([list, own]) => ({ list, label: listLabels[list], total: own.length, sizes: STATUSES.map((status) => own.filter(([, one]) => one === status).length) }));
  const present = [...STATUSES.keys()].filter((slot) => all.some(({ sizes }) => sizes[slot]));
  const rows = all.slice(0, MOST_BARS).flatMap(({ list, label, total, sizes }) => [
    ...present.filter((slot) => sizes[slot]).map((slot) => ({
      label, list, slot, mentions: sizes[slot], tip: `${label}\n${counted(sizes[slot], "mention")} ${STATUS_NAMES[STATUSES[slot]]} of ${number.format(total)}`,
    })),
    partsBeside(label, present.map((slot) => sizes[slot]), { list }),
  ]);
  return {
    rows,
    legend: present.map((slot) => ({ slot, label: STATUS_NAMES[STATUSES[slot]] })),
    click: ({ list }) => choose({ list: choice.list === lists.id[list] ? "" : lists.id[list], section: "" }),
    head: ["List", "Mentions", ...Object.values(STATUS_NAMES)],
    body: all.map(({ label, total, sizes }) => [label, ...[total, ...sizes].map((size) => number.format(size))]),
    says: `${percent(left.places.length, mentions.length)} of ${counted(mentions.length, "mention")} ${mentions.length === 1 ? "has its" : "have their"} paper.${all.length > MOST_BARS ? ` The ${MOST_BARS} longest lists are drawn.` : ""}${leftOutText(left)} ${PARTS_ORDER} A click chooses a list.`,
  };
});

const OVERLAPPING = 8; // lists that are drawn

addChart("overlap", (left) => {
  const size = new Map();
  const shared = new Map();
  for (const paper of left.papers) {
    const among = listsOf(paper);
    for (const list of among) addTo(size, list);
    for (const a of among) for (const b of among) if (a !== b) addTo(shared, `${a} ${b}`);
  }
  if (lists.id.length < 2) return { empty: `${listsThere()}. With two in the lake, this shows the papers that both name.` };
  if (!shared.size) return { empty: "No paper here stands in two lists." };
  const all = [...shared].map(([key, common]) => [...key.split(" ").map(Number), common]);
  const linked = [...new Set(all.map(([list]) => list))].sort((a, b) => size.get(b) - size.get(a) || a - b);
  const top = linked.slice(0, OVERLAPPING);
  const rows = top.flatMap((down, row) => top.map((across, column) => {
    const itself = down === across;
    const common = shared.get(`${down} ${across}`) ?? 0;
    const words = itself ? [counted(size.get(down), "paper")] : [listLabels[across], `${counted(common, "paper")} in common`];
    return { down: `${row + 1}  ${listLabels[down]}`, across: String(column + 1), shade: common, words: itself ? "–" : number.format(common), tip: [listLabels[down], ...words].join("\n") };
  }));
  const pairs = all.filter(([a, b]) => a < b).sort((a, b) => b[2] - a[2]);
  const [a, b, common] = pairs[0];
  return {
    rows,
    head: ["List", "List", "Papers in common"],
    body: pairs.slice(0, 200).map(([one, other, papersShared]) => [listLabels[one], listLabels[other], number.format(papersShared)]),
    says: `Papers that two lists both name. Most: ${apartFromLine(listLabels[a])} and ${apartFromLine(listLabels[b])}, ${number.format(common)}.${linked.length > OVERLAPPING ? ` The ${OVERLAPPING} largest of the lists are drawn.` : ""}`,
  };
});

const AGREED = 8;

addPart("agreed", (left) => {
  const several = left.papers.map((paper) => ({ paper, among: listsOf(paper).length })).filter(({ among }) => among > 1);
  several.sort((a, b) => b.among - a.among || placesOf[b.paper].length - placesOf[a.paper].length || a.paper - b.paper);
  say("agreed-says", several.length ? `${counted(several.length, "paper")} here ${several.length === 1 ? "stands" : "stand"} in more than one list.` : "");
  drawNumbers("agreed", several.length ? {
    head: ["Paper", "Lists", "Places", "Which lists"],
    body: several.map(({ paper, among }) => [titleOf(paper), number.format(among), number.format(placesOf[paper].length), listsOf(paper).map((list) => listLabels[list]).join("; ")]),
  } : null);
  fill("agreed", ...(several.length
    ? several.slice(0, AGREED).map(({ paper, among }) => make("li", {}, paperTitle(paper), make("span", { class: "by" }, counted(among, "list"))))
    : [make("li", {}, emptyState(lists.id.length < 2 ? `${listsThere()}; with two, this shows what both name.` : "No paper here stands in two lists."))]));
});
