// Papers by their year of publication: by when they joined the lists, and by category or section.

const sinceOf = (left) => {
  const since = new Map();
  for (const place of left.places) {
    const [paper, day] = [places.paper[place], placeSince(place)];
    if (!since.has(paper) || day < since.get(paper).day) since.set(paper, { day, known: day > lists.since[places.list[place]] });
  }
  return since;
};

const quarter = (day) => {
  const date = new Date(day * DAY_MS);
  return `${date.getUTCFullYear()} Q${1 + Math.floor(date.getUTCMonth() / 3)}`;
};

// When the lists that name these papers were first read.
const firstRead = (left) => {
  const [first, last] = rangeOf(left.places.map((place) => lists.since[places.list[place]]));
  return first === last ? `on ${dayText(first)}` : `between ${dayText(first)} and ${dayText(last)}`;
};

const NO_YEAR = (left) => ({ empty: left.papers.length ? "No paper here has a known year." : "No paper here." });
const MOST_PERIODS = 4;

addChart("years", (left) => {
  const since = sinceOf(left);
  const there = "there when its list was first read";
  const known = [...since.values()].filter((one) => one.known);
  const periods = [...new Set(known.map(({ day }) => quarter(day)))].sort();
  const early = periods.length > MOST_PERIODS + 1 ? periods.slice(0, -MOST_PERIODS) : [];
  const labelOf = (when) => (early.includes(when) ? `added by ${early.at(-1)}` : `added ${when}`);
  const labels = left.papers.map((paper) => (since.get(paper).known ? labelOf(quarter(since.get(paper).day)) : there));
  const order = [...new Set([there, ...periods.map(labelOf)])];
  const groups = order.filter((label) => labels.includes(label)).map((label) => ({ key: label, label, slot: label === there ? 0 : 1 }));
  const numberOf = groupNumbers(groups);
  const drawn = byYear(left.papers.map((paper, at) => ({ year: papers.year[paper], group: numberOf(labels[at]) })), groups);
  if (!drawn) return NO_YEAR(left);
  const taken = known.length
    ? `${counted(known.length, "paper")} joined after a list was first read.`
    : `All stood in the lists on the day when paperlake first read them, ${firstRead(left)}; papers added after it get a row of their own.`;
  return { ...drawn, says: `Published ${drawn.first === drawn.last ? `in ${drawn.first}` : `${drawn.first} to ${drawn.last}`}. ${taken}${untoldText(drawn.untold)}` };
});

addChart("topics", (left) => {
  const bySection = choice.topics === "section";
  const kind = bySection ? "section" : "category";
  const once = new Map(left.places.map((place) => [`${places.paper[place]} ${places.section.codes[place]}`, place]));
  const pairs = bySection
    ? [...once.values()].map((place) => ({ year: papers.year[places.paper[place]], key: sectionOf(place) }))
    : left.papers.map((paper) => ({ year: papers.year[paper], key: categoryName(paper) }));
  const groups = groupsOf(kind, pairs.map(({ key }) => key));
  const numberOf = groupNumbers(groups);
  const drawn = byYear(pairs.map(({ year, key }) => ({ year, group: numberOf(key) })), groups);
  if (!drawn) return NO_YEAR(left);
  const isChoice = (key) => key !== null && (bySection ? key !== "" : papers.category.values.includes(key));
  const legend = groups.map(({ key, label, slot }) => ({ slot, label, click: isChoice(key) ? () => choose({ [kind]: choice[kind] === key ? "" : key }) : null }));
  const share = pairs.filter(({ key }) => key === groups[0].key).length;
  const what = bySection ? "A paper counts once in each section that names it." : "By each paper's primary category.";
  return { ...drawn, legend, says: `${what} Most: ${apartFromLine(groups[0].label)}, ${percent(share, pairs.length)}. All rows have one scale.${untoldText(drawn.untold)}` };
});
