// How this is counted: on which days, with which gaps and recounts, and who told what. It concerns all papers of the page.

const counting = facts.counting;
const SOURCE_NAMES = { arxiv: "arXiv", s2: "Semantic Scholar", openalex: "OpenAlex", dblp: "DBLP" };
const SOURCE_TELLS = {
  arxiv: "titles, authors, abstracts, days of publication, categories", s2: "citation counts, venues, identifiers",
  openalex: "citations by year, who cites whom, counts, venues", dblp: "published versions",
};
const ANSWERS = { found: "found", not_found: "not there", failed: "could not be asked" };

// Days between two counts that are three times as many as usual, or more.
const countingGaps = () => {
  const apart = counting.days.slice(1).map((day, at) => day - counting.days[at]);
  const usual = apart.length ? [...apart].sort((a, b) => a - b)[apart.length >> 1] : 0;
  return apart.map((days, at) => ({ days, from: counting.days[at], to: counting.days[at + 1] })).filter(({ days }) => days >= 3 * Math.max(1, usual));
};

const drawSources = () => {
  const { source, status, papers: of, first, last } = counting.sources;
  const names = [...new Set(source)];
  const row = (name) => {
    const own = source.map((one, at) => at).filter((at) => source[at] === name);
    const answers = own.map((at) => `${counted(of[at], "paper")} ${ANSWERS[status[at]] ?? status[at]}`).join(", ");
    const [from, to] = [Math.min(...own.map((at) => first[at])), Math.max(...own.map((at) => last[at]))];
    return tableRow(SOURCE_HEAD, make("td", {}, SOURCE_NAMES[name] ?? name), make("td", {}, SOURCE_TELLS[name] ?? ""), make("td", {}, answers), make("td", {}, from === to ? dayText(from) : `${dayText(from)} to ${dayText(to)}`));
  };
  fill("sources", names.length ? cardTable(SOURCE_HEAD, SOURCE_HEAD, names.map(row)) : null);
};
const SOURCE_HEAD = ["Source", "Tells", "Answered", "Last asked"];

const tallyCounting = () => {
  drawSources();
  if (!counting.days.length) return { empty: historyToCome() };
  const gaps = countingGaps();
  const days = recountDays();
  const longest = gaps.length ? gaps.reduce((a, b) => (b.days > a.days ? b : a)) : null;
  const span = counting.days.length === 1 ? `on ${dayText(counting.days[0])} only` : `on ${counted(counting.days.length, "day")} from ${dayText(counting.days[0])} to ${dayText(counting.days.at(-1))}`;
  const gapWords = longest ? `${counted(gaps.length, "gap")}, the longest of ${counted(longest.days, "day")} from ${dayText(longest.from)} to ${dayText(longest.to)}` : "no gap";
  const recountWords = days.length ? `${counted(days.length, "day")} on which the source recounted, left out of every rise` : "no recount by the source";
  return {
    rows: counting.days.map((day, at) => ({ day: day * DAY_MS, papers: counting.papers[at], recount: days.includes(day), tip: `${dayText(day)}\n${counted(counting.papers[at], "paper")} counted` })),
    legend: [],
    head: ["Day", "Papers counted", "Days since the count before", "Recounted"],
    body: counting.days.map((day, at) => [dayText(day), number.format(counting.papers[at]), at ? number.format(day - counting.days[at - 1]) : "–", days.includes(day) ? "yes" : "no"]),
    says: `Of all papers of this page, whatever is chosen: citations were counted ${span}, with ${gapWords} and ${recountWords}. A rise needs three counts over 21 days or more; between two counts nothing is assumed.`,
  };
};

// The days on which a step with a recount ends, as the page draws its steps.
const recountDays = () => [...new Set(history.recounts.step.map((step) => history.days[step]))].sort((a, b) => a - b);
TALLIES.counting = tallyCounting;
