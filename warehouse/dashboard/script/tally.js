// Rows for the charts, from what the choice leaves. Each says what its chart shows, the words for the pointer, and a table.

const OTHER = 6;
const ALL = "all";

// The six commonest labels get a colour each; the rest share the last.
const slots = (labels) => {
  const sizes = new Map();
  for (const label of labels) sizes.set(label, (sizes.get(label) ?? 0) + 1);
  const ranked = [...sizes].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([label]) => label);
  const shown = ranked.length > OTHER + 1 ? ranked.slice(0, OTHER) : ranked;
  return { shown, slot: new Map(shown.map((label, slot) => [label, slot])), rest: ranked.length - shown.length };
};

const restName = (rest) => `${counted(rest, "other")}`;

const legendOf = ({ shown, rest }, click = null) => [
  ...shown.map((label, slot) => ({ slot, label, click: click ? () => click(label) : null })),
  ...(rest ? [{ slot: OTHER, label: restName(rest), click: null }] : []),
];

const sinceOf = (left) => {
  const since = new Map();
  for (const place of left.places) {
    const [paper, day] = [places.paper[place], placeSince(place)];
    if (!since.has(paper) || day < since.get(paper).day) since.set(paper, { day, known: day > lists.since[places.list[place]] });
  }
  return since;
};

// Papers by year of publication and a label; one row for every year of the span, so that gaps are seen.
const byYear = (pairs, labelling, click) => {
  const told = pairs.filter(({ year }) => year !== null);
  if (!told.length) return null;
  const table = new Map();
  for (const { year, label } of told) {
    const slot = labelling.slot.get(label) ?? OTHER;
    const key = year * 10 + slot;
    table.set(key, (table.get(key) ?? 0) + 1);
  }
  const all = told.map(({ year }) => year);
  const [first, last] = [all.reduce((a, b) => Math.min(a, b)), all.reduce((a, b) => Math.max(a, b))];
  const legend = legendOf(labelling, click);
  const rows = [];
  for (let year = first; year <= last; year += 1) {
    for (const { slot, label } of legend) {
      const count = table.get(year * 10 + slot) ?? 0;
      if (count || slot === legend[0].slot) rows.push({ year, slot, label, papers: count, tip: `${year}, ${label}\n${counted(count, "paper")}` });
    }
  }
  const head = ["Year", ...legend.map(({ label }) => label)];
  const body = [];
  for (let year = first; year <= last; year += 1) body.push([String(year), ...legend.map(({ slot }) => number.format(table.get(year * 10 + slot) ?? 0))]);
  return { rows, legend, head, body, first, last, untold: pairs.length - told.length };
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

const tallyYears = (left) => {
  const since = sinceOf(left);
  const there = "there when its list was first read";
  const known = [...since.values()].filter((one) => one.known);
  const periods = [...new Set(known.map(({ day }) => quarter(day)))].sort();
  const early = periods.length > 5 ? new Set(periods.slice(0, periods.length - 4)) : new Set();
  const period = (one) => {
    if (!one.known) return there;
    const when = quarter(one.day);
    return early.has(when) ? `added by ${[...early].at(-1)}` : `added ${when}`;
  };
  const pairs = left.papers.map((paper) => ({ year: papers.year[paper], label: period(since.get(paper)) }));
  const order = [there, ...(early.size ? [`added by ${[...early].at(-1)}`] : []), ...periods.filter((one) => !early.has(one)).map((one) => `added ${one}`)];
  const present = new Set(pairs.map(({ label }) => label));
  const shown = order.filter((label) => present.has(label));
  const labelling = { shown, slot: new Map(shown.map((label, slot) => [label, slot])), rest: 0 };
  const drawn = byYear(pairs, labelling, null);
  if (!drawn) return { empty: "No paper here has a known year." };
  const middle = median(pairs.filter(({ year }) => year !== null).map(({ year }) => year));
  const taken = known.length
    ? `${counted(known.length, "paper")} joined after a list was first read.`
    : `All stood in the lists when paperlake first read them, ${firstRead(left)}; papers added from now on get a colour of their own.`;
  return { ...drawn, says: `Published ${drawn.first} to ${drawn.last}, half of them by ${Math.floor(middle)}. ${taken}${untoldText(drawn.untold)}` };
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
    says: `Citations that ${known.length === left.papers.length ? "these papers" : `${number.format(known.length)} of these ${counted(left.papers.length, "paper")}`} received in each year, by OpenAlex, which tells the last ten years; ${last} was not over on ${dayText(told)}.`,
  };
};

const categoryName = (paper) => {
  const code_ = papers.category.codes[paper];
  return code_ === NOT_TOLD ? "not on arXiv" : papers.category.values[code_];
};

const sectionLabel = (section) => section || "(no section)";

const tallyTopics = (left) => {
  const bySection = choice.topics === "section";
  const pairs = bySection
    ? [...new Map(left.places.map((place) => [`${places.paper[place]} ${places.section.codes[place]}`, place])).values()].map((place) => ({
        year: papers.year[places.paper[place]],
        label: sectionLabel(placeSections[places.section.codes[place]]),
      }))
    : left.papers.map((paper) => ({ year: papers.year[paper], label: categoryName(paper) }));
  const labelling = slots(pairs.map(({ label }) => label));
  const click = bySection
    ? (label) => choose({ section: choice.section === label ? "" : label })
    : (label) => papers.category.values.includes(label) && choose({ category: choice.category === label ? "" : label });
  const drawn = byYear(pairs, labelling, click);
  if (!drawn) return { empty: "No paper here has a known year." };
  const most = labelling.shown[0];
  const share = pairs.filter(({ label }) => label === most).length;
  const what = bySection ? "A paper counts once in each section that names it." : "By each paper's primary category.";
  return { ...drawn, says: `${what} Most: ${most}, ${percent(share, pairs.length)}.${untoldText(drawn.untold)}` };
};

const tallyAges = (left) => {
  const ages = [];
  for (const [paper, { day }] of sinceOf(left)) {
    const age = papers.published[paper] !== null ? (day - papers.published[paper]) / 365.25 : papers.year[paper] !== null ? yearOfDay(day) - papers.year[paper] : null;
    if (age !== null) ages.push(Math.max(0, age));
  }
  if (!ages.length) return { empty: "No paper here has a known year." };
  const oldest = 30;
  const bins = new Array(Math.min(oldest, Math.floor(ages.reduce((a, b) => Math.max(a, b)))) + 1).fill(0);
  for (const age of ages) bins[Math.min(oldest, Math.floor(age))] += 1;
  const span = (age) => (age === oldest ? `${oldest} years or more` : age === 0 ? "less than 1 year" : `${age} to ${age + 1} years`);
  const rows = bins.map((count, age) => ({ age, papers: count, tip: `${span(age)}\n${counted(count, "paper")}` }));
  const note = bins.length > oldest ? ` The last column holds all of ${oldest} years and more.` : "";
  return {
    rows,
    legend: [],
    head: ["Age", "Papers"],
    body: rows.map(({ age, papers: count }) => [span(age), number.format(count)]),
    says: `Median ${decimal.format(median(ages))} years from publication to the day paperlake first saw the paper in a list.${note}`,
  };
};

const topRows = (sizes, most) => [...sizes].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, most);
const MOST_BARS = 10;

const bars = (sizes, { one, click = null }) => {
  const top = topRows(sizes, MOST_BARS);
  return {
    rows: top.map(([label, count]) => ({ label, papers: count, tip: `${label}\n${counted(count, "paper")}` })),
    legend: [],
    click,
    head: [one, "Papers"],
    body: topRows(sizes, sizes.size).map(([label, count]) => [label, number.format(count)]),
  };
};

const tallySections = (left) => {
  const seen = new Map();
  for (const place of left.places) {
    const name = sectionLabel(placeSections[places.section.codes[place]]);
    if (!seen.has(name)) seen.set(name, new Set());
    seen.get(name).add(places.paper[place]);
  }
  if (!seen.size) return { empty: "No paper here." };
  const sizes = new Map([...seen].map(([name, members]) => [name, members.size]));
  const rest = sizes.size > MOST_BARS ? ` The ${MOST_BARS} largest are drawn.` : "";
  const click = ({ label }) => sizes.has(label) && choose({ section: choice.section === label ? "" : label });
  return { ...bars(sizes, { one: "Section", click }), says: `${counted(sizes.size, "section")} name papers.${rest} A click chooses one.` };
};

const tallyVenues = (left) => {
  const sizes = new Map();
  for (const paper of left.papers) {
    const venue = papers.venue.values[papers.venue.codes[paper]];
    if (venue !== undefined) sizes.set(venue, (sizes.get(venue) ?? 0) + 1);
  }
  const told = [...sizes.values()].reduce((a, b) => a + b, 0);
  if (!left.papers.length) return { empty: "No paper here." };
  if (!told && papers.venue.values.length) return { empty: "No venue is known of the papers chosen." };
  if (!told) return { empty: "No venue is known yet. Semantic Scholar tells most of them: refresh with a network." };
  const rest = sizes.size > MOST_BARS ? ` The ${MOST_BARS} commonest are drawn.` : "";
  return { ...bars(sizes, { one: "Venue" }), says: `${counted(sizes.size, "venue")}, known for ${percent(told, left.papers.length)} of the papers.${rest}` };
};

const STATUSES = [["resolved", 0], ["ambiguous", 4], ["not_found", 3], ["failed", 1]];
const statusName = (status) => ({ resolved: "with its paper", ambiguous: "ambiguous", not_found: "not found", failed: "could not be asked" })[status] ?? status;

const statusOf = (row) => unresolved.status.values[unresolved.status.codes[row]];

const tallyCoverage = (left) => {
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
  const rows = ranked.slice(0, MOST_BARS).flatMap(([list, one]) =>
    STATUSES.filter(([status]) => one[status]).map(([status, slot]) => ({
      label: lists.title[list], list, slot, mentions: one[status],
      tip: `${lists.title[list]}\n${counted(one[status], "mention")} ${statusName(status)} of ${number.format(total(one))}`,
    })));
  const present = STATUSES.filter(([status]) => ranked.some(([, one]) => one[status]));
  return {
    rows,
    legend: present.map(([status, slot]) => ({ slot, label: statusName(status), click: null })),
    click: ({ list }) => choose({ list: choice.list === lists.id[list] ? "" : lists.id[list], section: "" }),
    head: ["List", "Mentions", ...STATUSES.map(([status]) => statusName(status))],
    body: ranked.map(([list, one]) => [lists.title[list], number.format(total(one)), ...STATUSES.map(([status]) => number.format(one[status]))]),
    says: `${percent(left.places.length, left.places.length + left.unresolved.length)} of ${counted(left.places.length + left.unresolved.length, "mention")} have their paper.${ranked.length > MOST_BARS ? ` The ${MOST_BARS} longest lists are drawn.` : ""} A click chooses a list.`,
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
  if (lists.id.length < 2) return { empty: "There is one list. With a second one in the lake, this shows the papers that both name." };
  if (!shared.size) return { empty: "No paper here stands in two lists." };
  const linked = new Set([...shared.keys()].map((key) => Number(key.split(" ")[0])));
  const top = [...linked].sort((a, b) => size.get(b) - size.get(a) || a - b).slice(0, 8);
  const rows = [];
  top.forEach((down, row) => top.forEach((across, column) => {
    const itself = down === across;
    const common = shared.get(`${down} ${across}`) ?? 0;
    const words = itself ? [counted(size.get(down), "paper")] : [lists.title[across], `${counted(common, "paper")} in common`];
    rows.push({ down: `${row + 1}  ${lists.title[down]}`, across: String(column + 1), shade: common, words: itself ? "–" : number.format(common), tip: [lists.title[down], ...words].join("\n") });
  }));
  const pairs = [...shared].map(([key, common]) => [...key.split(" ").map(Number), common]).filter(([a, b]) => a < b).sort((a, b) => b[2] - a[2]);
  const [a, b, common] = pairs[0];
  return {
    rows,
    legend: [],
    head: ["List", "List", "Papers in common"],
    body: pairs.slice(0, 200).map(([one, other, papersShared]) => [lists.title[one], lists.title[other], number.format(papersShared)]),
    says: `Papers that two lists both name. Most: ${lists.title[a]} and ${lists.title[b]}, ${number.format(common)}.${linked.size > 8 ? " The 8 largest of the lists are drawn." : ""}`,
  };
};

// Citations by step, for one paper or for all that are left, in lines by list, section or category.
const tallyHistory = (left) => {
  const paper = choice.paper === "" ? null : paperNumber.get(choice.paper);
  const members = (paper === null ? left.papers : [paper]).filter((one) => firstStep[one] < STEPS);
  if (!STEPS) return { empty: historyToCome() };
  if (!members.length) return { empty: "Citations have not been counted for what is chosen." };
  if (STEPS === 1) return { empty: [`Citations have been counted once, on ${dayText(history.days[0])}: history begins now. A line can be drawn after the next `, code("paperlake refresh"), " on another day."] };
  const total = choice.measure === "total";
  const lines = paper === null ? historyLines(left, members) : [[papers.title[paper], [paper]]];
  const labelling = { shown: lines.map(([label]) => label), rest: 0 };
  const series = lines.map(([, group]) => summed(group, total));
  const rows = series.flatMap((sums, slot) =>
    sums.map((citations, step) => ({
      day: history.days[step] * DAY_MS, citations, slot,
      tip: `${lines[slot][0]}\n${dayText(history.days[step])}\n${total ? counted(citations, "citation") : `${signed(citations)} citations`}`,
    })).filter((row) => row.citations !== null));
  const atFirst = members.filter((one) => firstStep[one] === 0).length;
  const whole = summed(members, total);
  const joined = members.length - atFirst;
  const grown = joined && total ? ` ${counted(joined, "paper")} joined on the way, and brought ${joined === 1 ? "its" : "their"} earlier citations along: a step up may be that.` : "";
  const from = history.days[members.reduce((least, one) => Math.min(least, firstStep[one]), STEPS - 1)];
  const subject = paper === null ? counted(members.length, "paper") : papers.title[paper];
  return {
    rows,
    legend: paper === null && choice.split === "none" ? [] : legendOf(labelling),
    head: ["Day", ...lines.map(([label]) => label)],
    body: history.days.map((day, step) => [dayText(day), ...series.map((sums) => (sums[step] === null ? "–" : number.format(sums[step])))]),
    says: `${subject}: ${total ? `${number.format(whole.at(-1))} citations` : `${signed(whole.at(-1))} citations`} ${total ? "on" : `from ${dayText(from)} to`} ${dayText(history.days.at(-1))}, by Semantic Scholar.${grown}${recountText(members, total)}`,
  };
};

// A recount is a jump or a fall of the source's making: nobody cited the paper then.
const recountText = (members, total) => {
  const among = members.filter((paper) => recountsOf.has(paper));
  if (!among.length) return "";
  const all = among.flatMap((paper) => recountsOf.get(paper));
  const days = [...new Set(all.map(({ step }) => history.days[step]))].sort((a, b) => a - b);
  const when = days.length === 1 ? `on ${dayText(days[0])}` : `between ${dayText(days[0])} and ${dayText(days.at(-1))}`;
  const sum = all.reduce((before, { added }) => before + added, 0);
  return ` The source recounted ${counted(among.length, "paper")} ${when} (${signed(sum)} citations): ${total ? "that is no rise or fall" : "left out"}.`;
};

const historyLines = (left, members) => {
  if (choice.split === "none") return [[ALL, members]];
  const groups = new Map();
  const put = (label, paper) => {
    if (!groups.has(label)) groups.set(label, new Set());
    groups.get(label).add(paper);
  };
  if (choice.split === "category") for (const paper of members) put(categoryName(paper), paper);
  else for (const place of left.places) {
    if (firstStep[places.paper[place]] === STEPS) continue;
    put(choice.split === "list" ? lists.title[places.list[place]] : sectionLabel(placeSections[places.section.codes[place]]), places.paper[place]);
  }
  const ranked = [...groups].sort((a, b) => b[1].size - a[1].size || (a[0] < b[0] ? -1 : 1)).map(([label, group]) => [label, [...group]]);
  if (ranked.length <= OTHER + 1) return ranked;
  const rest = new Set(ranked.slice(OTHER).flatMap(([, group]) => group));
  return [...ranked.slice(0, OTHER), [restName(ranked.length - OTHER), [...rest]]];
};

// Sums over papers by step: counts, or what each gained since its own first count, recounts left out; null before any.
const summed = (group, total) => {
  const sums = new Array(STEPS).fill(null);
  for (const paper of group) {
    const at = paper * STEPS;
    const base = total ? 0 : counts[at + firstStep[paper]];
    for (let step = firstStep[paper]; step < STEPS; step += 1) sums[step] = (sums[step] ?? 0) + counts[at + step] - base - (total ? 0 : recounted[at + step]);
  }
  return sums;
};

const historyToCome = () => ["No citation has been counted yet: history begins with the first ", code("paperlake refresh"), " that asks Semantic Scholar."];
