// How this is counted: on which days, with which gaps and recounts, and who told what. It concerns all papers of the page.

const counting = facts.counting;
// The sources by name, and what each tells.
const SOURCES = {
  arxiv: ["arXiv", "titles, authors, abstracts, days of publication, categories"],
  s2: ["Semantic Scholar", "citation counts, venues, identifiers"],
  openalex: ["OpenAlex", "citations by year, who cites whom, counts, venues"],
  dblp: ["DBLP", "published versions"],
};
const ANSWERS = { found: "found", not_found: "not there", failed: "could not be asked" };

// The days on which a step with a recount ends, as the page draws its steps.
const recountDays = () => new Set(history.recounts.step.map((step) => history.days[step]));

// Days between two counts that are three times as many as usual, or more.
const countingGaps = () => {
  const apart = counting.days.slice(1).map((day, at) => day - counting.days[at]);
  const usual = apart.length ? [...apart].sort((a, b) => a - b)[apart.length >> 1] : 0;
  return apart.map((days, at) => ({ days, from: counting.days[at], to: counting.days[at + 1] })).filter(({ days }) => days >= 3 * Math.max(1, usual));
};

const drawSources = () => {
  const { source, status, papers: of, first, last } = counting.sources;
  const row = ([name, own]) => {
    const answers = own.map((at) => `${counted(of[at], "paper")} ${ANSWERS[status[at]] ?? status[at]}`).join(", ");
    const [from, to] = [Math.min(...own.map((at) => first[at])), Math.max(...own.map((at) => last[at]))];
    return tableRow(SOURCE_HEAD, ...[...SOURCES[name], answers, from === to ? dayText(from) : `${dayText(from)} to ${dayText(to)}`].map((text) => make("td", {}, text)));
  };
  fill("sources", source.length ? cardTable(SOURCE_HEAD, SOURCE_HEAD, [...grouped(source.keys(), (at) => source[at])].map(row)) : null);
};
const SOURCE_HEAD = ["Source", "Tells", "Answered", "Last asked"];

addChart("counting", () => {
  drawSources();
  if (!counting.days.length) return { empty: historyToCome() };
  const gaps = countingGaps();
  const days = recountDays();
  const longest = gaps.length ? gaps.reduce((a, b) => (b.days > a.days ? b : a)) : null;
  const span = counting.days.length === 1 ? `on ${dayText(counting.days[0])} only` : `on ${counted(counting.days.length, "day")} from ${dayText(counting.days[0])} to ${dayText(counting.days.at(-1))}`;
  const gapWords = longest ? `${counted(gaps.length, "gap")}, the longest of ${counted(longest.days, "day")} from ${dayText(longest.from)} to ${dayText(longest.to)}` : "no gap";
  const recountWords = days.size ? `${counted(days.size, "day")} on which the source recounted, left out of every rise` : "no recount by the source";
  return {
    rows: counting.days.map((day, at) => ({ day: day * DAY_MS, papers: counting.papers[at], recount: days.has(day), tip: `${dayText(day)}\n${counted(counting.papers[at], "paper")} counted` })),
    head: ["Day", "Papers counted", "Days since the count before", "Recounted"],
    body: counting.days.map((day, at) => [dayText(day), number.format(counting.papers[at]), at ? number.format(day - counting.days[at - 1]) : "–", days.has(day) ? "yes" : "no"]),
    says: `Of all papers of this page, whatever is chosen: citations were counted ${span}, with ${gapWords} and ${recountWords}. A rise needs three counts over 21 days or more; between two counts nothing is assumed.`,
  };
});
