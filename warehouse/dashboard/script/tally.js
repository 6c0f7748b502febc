// Rows for the charts, from what the choice leaves. Each says what its chart shows, the words for the pointer, and a table.

// Four values of a kind have a colour of their own, whatever is chosen: the commonest of the whole page. All others are grey.
const OTHER = 4;
const MOST_GROUPS = 5;

const commonest = (keys) => {
  const sizes = new Map();
  for (const key of keys) sizes.set(key, (sizes.get(key) ?? 0) + 1);
  return [...sizes].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([key]) => key);
};

const listKey = (place) => lists.id[places.list[place]];
const sectionOf = (place) => placeSections[places.section.codes[place]];
const categoryName = (paper) => {
  const code_ = papers.category.codes[paper];
  return code_ === NOT_TOLD ? "not on arXiv" : papers.category.values[code_];
};
const KINDS = {
  list: { ofAll: () => places.list.map((_, place) => listKey(place)), label: (id) => listLabels[listNumber.get(id)] },
  section: { ofAll: () => places.list.map((_, place) => sectionOf(place)), label: sectionLabel },
  category: { ofAll: () => papers.id.map((_, paper) => categoryName(paper)), label: (name) => name },
};
const hues = new Map();
const hueOf = (kind, key) => {
  if (!hues.has(kind)) hues.set(kind, new Map(commonest(KINDS[kind].ofAll()).slice(0, OTHER).map((one, slot) => [one, slot])));
  return hues.get(kind).get(key) ?? OTHER;
};

// The commonest of what is left, each by its name and in its own colour; the rest is one group.
const groupsOf = (kind, keys) => {
  const ranked = commonest(keys);
  const shown = ranked.length > MOST_GROUPS + 1 ? ranked.slice(0, MOST_GROUPS) : ranked;
  const groups = shown.map((key) => ({ key, label: KINDS[kind].label(key), slot: hueOf(kind, key) }));
  const rest = ranked.slice(shown.length);
  if (rest.length) groups.push({ key: null, label: counted(rest.length, "other"), slot: OTHER });
  return groups;
};

const groupNumbers = (groups) => {
  const numbers = new Map(groups.map(({ key }, group) => [key, group]));
  return (key) => numbers.get(key) ?? numbers.get(null);
};

const sinceOf = (left) => {
  const since = new Map();
  for (const place of left.places) {
    const [paper, day] = [places.paper[place], placeSince(place)];
    if (!since.has(paper) || day < since.get(paper).day) since.set(paper, { day, known: day > lists.since[places.list[place]] });
  }
  return since;
};

const [RIDGE, LEAST_HEIGHT] = [54, 160]; // pixels that a row of columns takes, and all of them at least
const rangeOf = (values) => [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];

// Papers by year of publication, a row of columns for each group, all on one scale; every year of the span stands there, so that gaps are seen.
const byYear = (pairs, groups) => {
  const told = pairs.filter(({ year }) => year !== null);
  if (!told.length) return null;
  const [first, last] = rangeOf(told.map(({ year }) => year));
  const sizes = groups.map(() => new Array(last - first + 1).fill(0));
  for (const { year, group } of told) sizes[group][year - first] += 1;
  const most = sizes.flat().reduce((a, b) => Math.max(a, b));
  const rows = groups.flatMap(({ label, slot }, group) => {
    const low = groups.length - 1 - group;
    const columns = sizes[group].map((count, at) => ({
      year: first + at, slot, papers: count, low, high: low + (count ? Math.max(0.02, (0.6 * count) / most) : 0),
      tip: `${first + at}, ${label}\n${counted(count, "paper")}`,
    }));
    return [...columns.filter(({ papers: count }) => count || group === 0), { year: first, slot, low, name: `${apartFromLine(label)}, ${number.format(sizes[group].reduce((a, b) => a + b))}` }];
  });
  const body = sizes[0].map((_, at) => [String(first + at), ...sizes.map((ofGroup) => number.format(ofGroup[at]))]);
  return { rows, legend: [], height: Math.max(LEAST_HEIGHT, RIDGE * groups.length), head: ["Year", ...groups.map(({ label }) => label)], body, first, last, untold: pairs.length - told.length };
};

const untoldText = (count) => (count ? ` ${counted(count, "paper")} without a known year ${count === 1 ? "is" : "are"} not drawn.` : "");

const quarter = (day) => {
  const date = new Date(day * DAY_MS);
  return `${date.getUTCFullYear()} Q${1 + Math.floor(date.getUTCMonth() / 3)}`;
};

const listsNamed = (left) => [...new Set([...left.places.map((place) => places.list[place]), ...left.unresolved.map((row) => unresolved.list[row])])];

// When the lists that name these papers were first read.
const firstRead = (left) => {
  const days = [...new Set(left.places.map((place) => places.list[place]))].map((list) => lists.since[list]).sort((a, b) => a - b);
  return days[0] === days.at(-1) ? `on ${dayText(days[0])}` : `between ${dayText(days[0])} and ${dayText(days.at(-1))}`;
};

const MOST_PERIODS = 4;

const tallyYears = (left) => {
  const since = sinceOf(left);
  const there = "there when its list was first read";
  const known = [...since.values()].filter((one) => one.known);
  const periods = [...new Set(known.map(({ day }) => quarter(day)))].sort();
  const early = new Set(periods.length > MOST_PERIODS + 1 ? periods.slice(0, periods.length - MOST_PERIODS) : []);
  const period = (one) => {
    if (!one.known) return there;
    const when = quarter(one.day);
    return early.has(when) ? `added by ${[...early].at(-1)}` : `added ${when}`;
  };
  const labels = left.papers.map((paper) => period(since.get(paper)));
  const order = [there, ...(early.size ? [`added by ${[...early].at(-1)}`] : []), ...periods.filter((one) => !early.has(one)).map((one) => `added ${one}`)];
  const groups = order.filter((label) => labels.includes(label)).map((label) => ({ key: label, label, slot: label === there ? 0 : 1 }));
  const numberOf = groupNumbers(groups);
  const drawn = byYear(left.papers.map((paper, at) => ({ year: papers.year[paper], group: numberOf(labels[at]) })), groups);
  if (!drawn) return { empty: left.papers.length ? "No paper here has a known year." : "No paper here." };
  const taken = known.length
    ? `${counted(known.length, "paper")} joined after a list was first read.`
    : `All stood in the lists on the day when paperlake first read them, ${firstRead(left)}; papers added after it get a row of their own.`;
  return { ...drawn, says: `Published ${drawn.first === drawn.last ? `in ${drawn.first}` : `${drawn.first} to ${drawn.last}`}. ${taken}${untoldText(drawn.untold)}` };
};

const CITED_SLOTS = [["full years", 0], ["the year that was not over", 1]];

// Citations in each year, by OpenAlex: its own record of the past, apart from the counts that paperlake observed.
const tallyCited = (left) => {
  const known = left.papers.filter((paper) => citedRow.has(paper)).map((paper) => citedRow.get(paper));
  if (!cited.paper.length) return { empty: "No citations by year are known yet. OpenAlex tells them of papers with a DOI or on arXiv: refresh with a network." };
  if (!known.length) return { empty: "No citations by year are known of the papers chosen." };
  const told = known.reduce((latest, row) => Math.max(latest, cited.told[row]), 0);
  const last = yearOfDay(told);
  const sums = new Map();
  for (const row of known) cited.years[row].forEach((year, at) => sums.set(year, (sums.get(year) ?? 0) + cited.counts[row][at]));
  const before = known.filter((row) => yearOfDay(cited.told[row]) < last).length;
  const first = [...sums.keys()].reduce((a, b) => Math.min(a, b), last);
  const rows = [];
  for (let year = first; year <= last; year += 1) {
    const citations = sums.get(year) ?? 0;
    const note = year === last ? ` until ${dayText(told)}` : "";
    rows.push({ year, slot: year === last ? 1 : 0, citations, tip: `${year}${note}\n${counted(citations, "citation")}` });
  }
  return {
    rows,
    legend: CITED_SLOTS.map(([label, slot]) => ({ slot, label, click: null })),
    head: ["Year", "Citations"],
    body: rows.map(({ year, citations }) => [String(year), number.format(citations)]),
    says: `Citations that ${known.length === left.papers.length ? "these papers" : `${number.format(known.length)} of these ${counted(left.papers.length, "paper")}`} received in each year, by OpenAlex, which tells the last ten years; ${last} was not over on ${dayText(told)}.${before ? ` Of ${counted(before, "paper")} it told before ${last}: what they received since then is not in it.` : ""}`,
  };
};

const tallyTopics = (left) => {
  const bySection = choice.topics === "section";
  const kind = bySection ? "section" : "category";
  const pairs = bySection
    ? [...new Map(left.places.map((place) => [`${places.paper[place]} ${places.section.codes[place]}`, place])).values()].map((place) => ({ year: papers.year[places.paper[place]], key: sectionOf(place) }))
    : left.papers.map((paper) => ({ year: papers.year[paper], key: categoryName(paper) }));
  const groups = groupsOf(kind, pairs.map(({ key }) => key));
  const numberOf = groupNumbers(groups);
  const drawn = byYear(pairs.map(({ year, key }) => ({ year, group: numberOf(key) })), groups);
  if (!drawn) return { empty: left.papers.length ? "No paper here has a known year." : "No paper here." };
  const isChoice = (key) => key !== null && (bySection ? key !== "" : papers.category.values.includes(key));
  const legend = groups.map(({ key, label, slot }) => ({ slot, label, click: isChoice(key) ? () => choose({ [kind]: choice[kind] === key ? "" : key }) : null }));
  const share = pairs.filter(({ key }) => key === groups[0].key).length;
  const what = bySection ? "A paper counts once in each section that names it." : "By each paper's primary category.";
  return { ...drawn, legend, says: `${what} Most: ${apartFromLine(groups[0].label)}, ${percent(share, pairs.length)}. All rows have one scale.${untoldText(drawn.untold)}` };
};

const topRows = (sizes, most) => [...sizes].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, most);
const MOST_BARS = 10;

const bars = (sizes, { one, click = null, label = (key) => key }) => {
  const top = topRows(sizes, MOST_BARS);
  return {
    rows: top.map(([key, count]) => ({ key, label: label(key), papers: count, tip: `${label(key)}\n${counted(count, "paper")}` })),
    legend: [],
    click,
    head: [one, "Papers"],
    body: topRows(sizes, sizes.size).map(([key, count]) => [label(key), number.format(count)]),
  };
};

const tallySections = (left) => {
  const seen = new Map();
  for (const place of left.places) {
    const key = sectionOf(place);
    if (!seen.has(key)) seen.set(key, new Set());
    seen.get(key).add(places.paper[place]);
  }
  if (!seen.size) return { empty: "No paper here." };
  const sizes = new Map([...seen].map(([key, members]) => [key, members.size]));
  const rest = sizes.size > MOST_BARS ? ` The ${MOST_BARS} largest are drawn.` : "";
  const click = ({ key }) => key !== "" && choose({ section: choice.section === key ? "" : key });
  return { ...bars(sizes, { one: "Section", click, label: sectionLabel }), says: `${sizes.size === 1 ? "1 section names" : `${number.format(sizes.size)} sections name`} papers.${rest} A click chooses one.` };
};

// The numbers of a bar's parts, to stand beside it in the order of the legend.
const partsBeside = (label, sums, more = {}) => ({ label, at: sums.reduce((a, b) => a + b, 0), parts: sums.map((count) => number.format(count)).join(" · "), tip: "", ...more });
const PARTS_ORDER = "Beside each bar stand its parts, in the order of the legend.";

const STATUSES = [["resolved", 0], ["ambiguous", 1], ["not_found", 2], ["failed", 3]];
const statusName = (status) => ({ resolved: "with its paper", ambiguous: "ambiguous", not_found: "not found", failed: "could not be asked" })[status] ?? status;

const statusOf = (row) => unresolved.status.values[unresolved.status.codes[row]];

const tallyCoverage = (left) => {
  if (left.uncategorised) return { empty: `How many mentions have their paper is not known by category.${leftOutText(left)}` };
  const sizes = new Map();
  const add = (list, status) => {
    if (!sizes.has(list)) sizes.set(list, { resolved: 0, ambiguous: 0, not_found: 0, failed: 0 });
    sizes.get(list)[status] += 1;
  };
  for (const place of left.places) add(places.list[place], "resolved");
  for (const row of left.unresolved) add(unresolved.list[row], statusOf(row));
  if (!sizes.size) return { empty: "No mention here." };
  const total = (one) => STATUSES.reduce((sum, [status]) => sum + one[status], 0);
  const ranked = [...sizes].sort((a, b) => total(b[1]) - total(a[1]) || a[0] - b[0]);
  const present = STATUSES.filter(([status]) => ranked.some(([, one]) => one[status]));
  const rows = ranked.slice(0, MOST_BARS).flatMap(([list, one]) => [
    ...present.filter(([status]) => one[status]).map(([status, slot]) => ({
      label: listLabels[list], list, slot, mentions: one[status],
      tip: `${listLabels[list]}\n${counted(one[status], "mention")} ${statusName(status)} of ${number.format(total(one))}`,
    })),
    partsBeside(listLabels[list], present.map(([status]) => one[status]), { list }),
  ]);
  return {
    rows,
    legend: present.map(([status, slot]) => ({ slot, label: statusName(status), click: null })),
    click: ({ list }) => choose({ list: choice.list === lists.id[list] ? "" : lists.id[list], section: "" }),
    head: ["List", "Mentions", ...STATUSES.map(([status]) => statusName(status))],
    body: ranked.map(([list, one]) => [listLabels[list], number.format(total(one)), ...STATUSES.map(([status]) => number.format(one[status]))]),
    says: `${percent(left.places.length, left.places.length + left.unresolved.length)} of ${counted(left.places.length + left.unresolved.length, "mention")} ${left.places.length + left.unresolved.length === 1 ? "has its" : "have their"} paper.${ranked.length > MOST_BARS ? ` The ${MOST_BARS} longest lists are drawn.` : ""}${leftOutText(left)} ${PARTS_ORDER} A click chooses a list.`,
  };
};

const listsOf = (paper) => [...new Set(placesOf[paper].map((place) => places.list[place]))];

const tallyOverlap = (left) => {
  const size = new Map();
  const shared = new Map();
  for (const paper of left.papers) {
    const among = listsOf(paper);
    for (const list of among) size.set(list, (size.get(list) ?? 0) + 1);
    for (const a of among) for (const b of among) if (a !== b) shared.set(`${a} ${b}`, (shared.get(`${a} ${b}`) ?? 0) + 1);
  }
  if (lists.id.length < 2) return { empty: `${listsThere()}. With two in the lake, this shows the papers that both name.` };
  if (!shared.size) return { empty: "No paper here stands in two lists." };
  const linked = new Set([...shared.keys()].map((key) => Number(key.split(" ")[0])));
  const top = [...linked].sort((a, b) => size.get(b) - size.get(a) || a - b).slice(0, 8);
  const rows = [];
  top.forEach((down, row) => top.forEach((across, column) => {
    const itself = down === across;
    const common = shared.get(`${down} ${across}`) ?? 0;
    const words = itself ? [counted(size.get(down), "paper")] : [listLabels[across], `${counted(common, "paper")} in common`];
    rows.push({ down: `${row + 1}  ${listLabels[down]}`, across: String(column + 1), shade: common, words: itself ? "–" : number.format(common), tip: [listLabels[down], ...words].join("\n") });
  }));
  const pairs = [...shared].map(([key, common]) => [...key.split(" ").map(Number), common]).filter(([a, b]) => a < b).sort((a, b) => b[2] - a[2]);
  const [a, b, common] = pairs[0];
  return {
    rows,
    legend: [],
    head: ["List", "List", "Papers in common"],
    body: pairs.slice(0, 200).map(([one, other, papersShared]) => [listLabels[one], listLabels[other], number.format(papersShared)]),
    says: `Papers that two lists both name. Most: ${apartFromLine(listLabels[a])} and ${apartFromLine(listLabels[b])}, ${number.format(common)}.${linked.size > 8 ? " The 8 largest of the lists are drawn." : ""}`,
  };
};
