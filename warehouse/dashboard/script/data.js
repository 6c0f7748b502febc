// What the page was given, as columns; papers, lists and sections go by number.

const unpacked = (id) => {
  const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (one) => one.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
};

const [facts, specifications] = await Promise.all([unpacked("facts"), unpacked("charts")]);
const { lists, papers, places, unresolved, cited, history } = facts;
const PAPERS = papers.id.length;
const STEPS = history.days.length;
const NOT_TOLD = -1;
const DAY_MS = 86400000;

const byId = (ids) => new Map(ids.map((id, number) => [id, number]));
const paperNumber = byId(papers.id);
const listNumber = byId(lists.id);

// The sections of a column of places, as text; lists often name themselves in their first heading.
const sectionNames = (column) => column.values.map((path) => path.join(" / "));
const placeSections = sectionNames(places.section);
const unresolvedSections = sectionNames(unresolved.section);

const withdrawn = new Set(papers.withdrawn);
const retracted = new Set(papers.retracted);
const placesOf = Array.from({ length: PAPERS }, () => []);
places.paper.forEach((paper, place) => placesOf[paper].push(place));
const placeSince = (place) => places.since.values[places.since.codes[place]];

// Counts by paper and step; -1 before the first count of a paper.
const counts = new Int32Array(PAPERS * STEPS).fill(NOT_TOLD);
const firstStep = new Int32Array(PAPERS).fill(STEPS);
history.paper.forEach((paper, row) => {
  const added = history.added[row];
  firstStep[paper] = history.first[row];
  let count = 0;
  for (let step = firstStep[paper]; step < STEPS; step += 1) {
    count += added[step - firstStep[paper]] ?? 0;
    counts[paper * STEPS + step] = count;
  }
});

const citedRow = new Map(cited.paper.map((paper, row) => [paper, row]));

// What recounts by the source added to each count so far, by paper and step; and where there was one.
const recounted = new Int32Array(PAPERS * STEPS);
const recountsOf = new Map();
history.recounts.paper.forEach((paper, row) => {
  const [first, added] = [history.recounts.step[row], history.recounts.added[row]];
  recountsOf.set(paper, [...(recountsOf.get(paper) ?? []), { step: first, added }]);
  for (let step = first; step < STEPS; step += 1) recounted[paper * STEPS + step] += added;
});

const years = papers.year.filter((year) => year !== null);
const YEARS = years.length ? [years.reduce((a, b) => Math.min(a, b)), years.reduce((a, b) => Math.max(a, b))] : null;
const COUNTED = papers.citations.some((count) => count !== null);
