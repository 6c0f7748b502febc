// What the page was given, as columns; papers, lists and sections go by number.

const { lists, papers, places, unresolved, cited, history } = facts;
const PAPERS = papers.id.length;
const STEPS = history.days.length;
const NOT_TOLD = -1;
const DAY_MS = 86400000;

const positionsOf = (values) => new Map(values.map((value, position) => [value, position]));
const paperNumber = positionsOf(papers.id);
const listNumber = positionsOf(lists.id);
const listChosen = () => (choice.list === "" ? null : listNumber.get(choice.list));

// A list's title; where two lists have one title, also where each stands: before a title so long that charts cut it off.
const LONG_TITLE = 24;
const listLabels = lists.title.map((title, list) => {
  if (lists.title.indexOf(title) === list && lists.title.lastIndexOf(title) === list) return title;
  return title.length > LONG_TITLE ? `${lists.name[list]}: ${title}` : `${title} (${lists.name[list]})`;
});

// A section is known by its headings joined by " / "; a heading that has " / " itself is written with " \/ " there.
const STEP_DOWN = " / ";
const sectionKey = (path) => path.map((heading) => heading.replaceAll(STEP_DOWN, " \\/ ")).join(STEP_DOWN);
const headingsOf = (key) => key.split(STEP_DOWN).map((heading) => heading.replaceAll(" \\/ ", STEP_DOWN));
const sectionLabel = (key) => (key === "" ? "(no section)" : headingsOf(key).join(" › "));
const placeSections = places.section.values.map(sectionKey);
const unresolvedSections = unresolved.section.values.map(sectionKey);

const withdrawn = new Set(papers.withdrawn);
const retracted = new Set(papers.retracted);
const placesOf = papers.id.map(() => []);
places.paper.forEach((paper, place) => placesOf[paper].push(place));
const listsOf = (paper) => [...new Set(placesOf[paper].map((place) => places.list[place]))];
const placeSince = (place) => valueAt(places.since, place);

const [NOTHING_ADDED, UNCOUNTED, BRACKET] = [..."@_("].map((sign) => sign.charCodeAt(0));

// Counts by paper and step: -1 before the first count of a paper, the count last known where it was not counted.
const counts = new Int32Array(PAPERS * STEPS).fill(NOT_TOLD);
const wasCounted = new Uint8Array(PAPERS * STEPS);
const firstStep = new Int32Array(PAPERS).fill(STEPS);
history.added.forEach((added, paper) => {
  if (added === null) return;
  firstStep[paper] = history.first[paper];
  let count = 0;
  let at = 0;
  for (let step = firstStep[paper]; step < STEPS; step += 1) {
    // A character says what a step added, brackets hold a larger number, and counts that changed nothing at the end are left out.
    const sign = at < added.length ? added.charCodeAt(at) : NOTHING_ADDED;
    at += 1;
    if (sign === BRACKET) {
      const end = added.indexOf(")", at);
      count += Number(added.slice(at, end));
      at = end + 1;
    } else if (sign !== UNCOUNTED) count += sign - NOTHING_ADDED;
    counts[paper * STEPS + step] = count;
    if (sign !== UNCOUNTED) wasCounted[paper * STEPS + step] = 1;
  }
});

// Days between two counts of a paper beyond which nothing is known of what was between: three times what is usual here.
const longPause = (() => {
  const apart = new Map();
  for (let paper = 0; paper < PAPERS; paper += 1) {
    let last = null;
    for (let step = firstStep[paper]; step < STEPS; step += 1) {
      if (!wasCounted[paper * STEPS + step]) continue;
      if (last !== null) addTo(apart, history.days[step] - last);
      last = history.days[step];
    }
  }
  let left = sum([...apart.values()]) / 2;
  for (const [days, pauses] of [...apart].sort((a, b) => a[0] - b[0])) {
    left -= pauses;
    if (left <= 0) return 3 * Math.max(1, days);
  }
  return Infinity;
})();

// Whether a paper's count is known in a step: it was counted then, or shortly before and again.
const isKnown = new Uint8Array(PAPERS * STEPS);
for (let paper = 0; paper < PAPERS; paper += 1) {
  let last = -1;
  for (let step = firstStep[paper]; step < STEPS; step += 1) {
    const at = paper * STEPS + step;
    if (wasCounted[at]) {
      if (last >= 0 && history.days[step] - history.days[last] > longPause) isKnown.fill(0, paper * STEPS + last + 1, at);
      last = step;
      isKnown[at] = 1;
    } else if (history.days[step] - history.days[last] <= longPause) isKnown[at] = 1;
  }
}

const citedRow = positionsOf(cited.paper);

// What recounts by the source added to each count so far, by paper and step; and where there was one.
const recounted = new Int32Array(PAPERS * STEPS);
const recountsOf = new Map();
history.recounts.paper.forEach((paper, row) => {
  const [first, added] = [history.recounts.step[row], history.recounts.added[row]];
  recountsOf.set(paper, [...(recountsOf.get(paper) ?? []), { step: first, added }]);
  for (let step = first; step < STEPS; step += 1) recounted[paper * STEPS + step] += added;
});

const years = papers.year.filter((year) => year !== null);
const YEARS = years.length ? rangeOf(years) : null;
const COUNTED_BY = { s2: "Semantic Scholar", openalex: "OpenAlex" }[facts.counted_by]; // whose counts these are
const COUNTED = papers.citations.some((count) => count !== null);
