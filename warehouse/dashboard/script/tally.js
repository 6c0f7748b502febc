// Rows for the charts, from what the choice leaves. Each says what its chart shows, the words for the pointer, and a table.

// Four values of a kind have a colour of their own, whatever is chosen: the commonest of the whole page. All others are grey.
const OTHER = 4;
const MOST_GROUPS = 5;
const MOST_BARS = 10;

const listKey = (place) => lists.id[places.list[place]];
const sectionOf = (place) => placeSections[places.section.codes[place]];
const categoryName = (paper) => valueAt(papers.category, paper) ?? "not on arXiv";
const venueText = (paper) => valueAt(papers.venue, paper);
const venueName = (paper) => facts.venues.names[facts.venues.of[papers.venue.codes[paper]]] ?? null;
const KINDS = {
  list: { ofAll: () => places.list.map((_, place) => listKey(place)), label: (id) => listLabels[listNumber.get(id)] },
  section: { ofAll: () => places.list.map((_, place) => sectionOf(place)), label: sectionLabel },
  category: { ofAll: () => papers.id.map((_, paper) => categoryName(paper)), label: (name) => name },
};
const commonest = (keys) => ranked(sizesOf(keys)).map(([key]) => key);
const hues = new Map();
const hueOf = (kind, key) => {
  if (!hues.has(kind)) hues.set(kind, positionsOf(commonest(KINDS[kind].ofAll()).slice(0, OTHER)));
  return hues.get(kind).get(key) ?? OTHER;
};

// The commonest of what is left, each by its name and in its own colour; the rest is one group.
const groupsOf = (kind, keys) => {
  const all = commonest(keys);
  const shown = all.length > MOST_GROUPS + 1 ? all.slice(0, MOST_GROUPS) : all;
  const groups = shown.map((key) => ({ key, label: KINDS[kind].label(key), slot: hueOf(kind, key) }));
  const rest = all.length - shown.length;
  return rest ? [...groups, { key: null, label: counted(rest, "other"), slot: OTHER }] : groups;
};

const groupNumbers = (groups) => {
  const numbers = positionsOf(groups.map(({ key }) => key));
  return (key) => numbers.get(key) ?? numbers.get(null);
};

const [RIDGE, LEAST_HEIGHT] = [54, 160]; // pixels that a row of columns takes, and all of them at least

// Papers by year of publication, a row of columns for each group, all on one scale; every year of the span stands there, so that gaps are seen.
const byYear = (pairs, groups) => {
  const told = pairs.filter(({ year }) => year !== null);
  if (!told.length) return null;
  const [first, last] = rangeOf(told.map(({ year }) => year));
  const sizes = groups.map(() => new Array(last - first + 1).fill(0));
  for (const { year, group } of told) sizes[group][year - first] += 1;
  const most = largest(sizes.flat());
  const rows = groups.flatMap(({ label, slot }, group) => {
    const low = groups.length - 1 - group;
    const columns = sizes[group].map((count, at) => ({
      year: first + at, slot, papers: count, low, high: low + (count ? Math.max(0.02, (0.6 * count) / most) : 0),
      tip: `${first + at}, ${label}\n${counted(count, "paper")}`,
    }));
    return [...columns.filter(({ papers: count }) => count || group === 0), { year: first, slot, low, name: `${apartFromLine(label)}, ${number.format(sum(sizes[group]))}` }];
  });
  const body = sizes[0].map((_, at) => [String(first + at), ...sizes.map((ofGroup) => number.format(ofGroup[at]))]);
  return { rows, click: chooseYear, height: Math.max(LEAST_HEIGHT, RIDGE * groups.length), head: ["Year", ...groups.map(({ label }) => label)], body, first, last, untold: pairs.length - told.length };
};

const chooseYear = ({ year, papers: count }) => {
  if (!count) return;
  const only = String(year);
  const again = choice.from === only && choice.to === only;
  choose({ from: again ? "" : only, to: again ? "" : only });
};

const untoldText = (count) => (count ? ` ${counted(count, "paper")} without a known year ${count === 1 ? "is" : "are"} not drawn.` : "");

// Bars by size; a key has a name, and a press on its bar chooses something.
const bars = (sizes, { one, click, label = (key) => key }) => ({
  rows: ranked(sizes).slice(0, MOST_BARS).map(([key, count]) => ({ key, label: label(key), papers: count, tip: `${label(key)}\n${counted(count, "paper")}` })),
  click,
  head: [one, "Papers"],
  body: ranked(sizes).map(([key, count]) => [label(key), number.format(count)]),
});

// The numbers of a bar's parts, to stand beside it in the order of the legend.
const partsBeside = (label, sums, more = {}) => ({ label, at: sum(sums), parts: sums.map((count) => number.format(count)).join(" · "), tip: "", ...more });
const PARTS_ORDER = "Beside each bar stand its parts, in the order of the legend.";
