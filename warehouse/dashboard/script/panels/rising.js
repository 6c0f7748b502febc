// What is taking off, against papers of the same year and field: citations of the last full year beside those of the year
// before; and what was gained by the counts of the last 90 days.

const growth = facts.growth;
const growthRow = positionsOf(growth.paper);
const WHY_NOT = {
  new: "not two full years old", peers: "fewer than ten other papers of its year and field are known", few: "fewer than ten citations in the two years",
};
const citedIn = (row, year) => {
  const told = citedRow.get(growth.paper[row]);
  return told === undefined ? 0 : cited.counts[told][cited.years[told].indexOf(year)] ?? 0;
};
const laterOf = (row) => citedIn(row, countedYear(row));
const earlierOf = (row) => citedIn(row, countedYear(row) - 1);
const whyNot = (row) => valueAt(growth.why, row);
// The ten full years that OpenAlex tells, so that one paper's columns stand as another's do.
const yearsOf = (row) => numbersTo(10, countedYear(row) - 9).map((year) => ({ from: year, to: year + 1, gained: citedIn(row, year) }));
const countedYear = (row) => valueAt(growth.counted_year, row);
const timesText = (value) => `×${value < 10 ? value.toFixed(1) : number.format(Math.round(value))}`;
const intervalText = (low, high) => `${timesText(low)} to ${timesText(high)}`;

// The interval on a logarithmic scale from a quarter of what is usual to `top` times that; the upright line stands at once.
const intervalMark = (ratio, low, high, top) => {
  const x = (value) => 2 + (96 * (Math.max(-2, Math.log2(value)) + 2)) / (2 + Math.log2(top));
  return drawn("svg", { class: "interval", viewBox: "0 0 100 16", "aria-hidden": "true" },
    drawn("line", { class: "usual", x1: x(1), x2: x(1), y1: 0, y2: 16 }),
    drawn("line", { x1: x(Math.max(low, 0.01)), x2: x(high), y1: 8, y2: 8 }),
    drawn("circle", { cx: x(ratio), cy: 8, r: 3 }));
};
const LEAST_TOP = 8; // of a table's scale, which holds all its intervals

// The cells of a paper's ratio to its peers.
const ratioCells = ({ growth: ratio, low, high }, row, top) => [
  numberCell(timesText(ratio[row])),
  make("td", { class: "number broad" }, intervalMark(ratio[row], low[row], high[row], top), make("span", {}, intervalText(low[row], high[row]))),
];

const MOST_CLEAR = 5;

// The last full year that OpenAlex told of, null where it told of some papers before the turn of the year.
const sameYear = (rows) => (rows.every((row) => countedYear(row) === countedYear(rows[0])) ? countedYear(rows[0]) : null);

const growthTable = (rows) => {
  const [year, top] = [sameYear(rows), largest(rows.map((row) => growth.high[row]), LEAST_TOP)];
  const head = ["Paper", "Year", ...(year ? [`In ${year}`, `In ${year - 1}`] : ["Last full year", "Year before"]), "Against its peers", "99 % interval", "By year"];
  const body = rows.map((row) => tableRow(head,
    make("td", {}, paperTitle(growth.paper[row])),
    numberCell(yearText(growth.paper[row])),
    numberCell(number.format(laterOf(row)) + (year ? "" : ` in ${countedYear(row)}`)),
    numberCell(number.format(earlierOf(row)) + (year ? "" : ` in ${countedYear(row) - 1}`)),
    ...ratioCells(growth, row, top),
    make("td", {}, spark(yearsOf(row)))));
  return cardTable(head, ["Paper", "By year"], body);
};

const growthAmong = (left) => {
  const rows = left.papers.map((paper) => growthRow.get(paper)).filter((row) => row !== undefined);
  rows.sort((a, b) => (growth.low[b] ?? -1) - (growth.low[a] ?? -1) || a - b);
  return {
    growing: rows.filter((row) => growth.clear[row]),
    others: rows.filter((row) => whyNot(row) === null && !growth.clear[row]),
    early: rows.filter((row) => whyNot(row) !== null),
    unknown: left.papers.length - rows.length,
  };
};

const growthNumbers = ({ growing, others, early }) => ({
  head: ["Paper", "Year", "Field", "Last full year", "Citations in it", "In the year before", "Peers", "Against its peers", "Low", "High", "Judged"],
  body: [...growing, ...others, ...early].map((row) => {
    const paper = growth.paper[row];
    const judged = whyNot(row) === null ? (growth.clear[row] ? "taking off" : growth.low[row] > 1 ? "above its peers, perhaps by chance" : growth.high[row] < 1 ? "slower than its peers" : "like its peers") : `too early to say: ${WHY_NOT[whyNot(row)]}`;
    const told = (value) => (value === null ? "–" : String(value));
    return [titleOf(paper), yearText(paper), valueAt(growth.field, row) ?? "–", String(countedYear(row)), number.format(laterOf(row)), number.format(earlierOf(row)), number.format(growth.peers[row]), told(growth.growth[row]), told(growth.low[row]), told(growth.high[row]), judged];
  }),
});

const earlyWords = (early) => {
  const kinds = Object.entries(WHY_NOT).map(([why, words]) => [early.filter((row) => whyNot(row) === why).length, words]).filter(([count]) => count);
  return kinds.map(([count, words]) => `${number.format(count)}: ${words}`).join("; ");
};

addPart("growth", (left) => {
  const none = (...words) => {
    say("growth-says", "");
    drawNumbers("rising", null);
    return fill("growth", emptyState(...words));
  };
  if (!growth.paper.length) return none("Citations by year are not known yet: OpenAlex tells them with the next ", code("paperlake refresh"), " that may use the network.");
  const among = growthAmong(left);
  const { growing, others, early, unknown } = among;
  const judged = growing.length + others.length;
  if (!judged && !early.length) return none("No citations by year are known of the papers chosen.");
  drawNumbers("rising", growthNumbers(among));
  const peers = "than other papers of the same year and field on this page";
  const found = growing.length
    ? `${counted(growing.length, "paper")} of ${number.format(judged)} ${growing.length === 1 ? "grows" : "grow"} clearly faster ${peers}: citations in ${sameYear(growing) ? `${sameYear(growing)} beside ${sameYear(growing) - 1}` : "the last full year that is known beside the year before"}, by OpenAlex, divided by the same of its peers, whatever is chosen.`
    : judged ? `Of ${counted(judged, "paper")} none grows clearly faster ${peers}.` : "";
  say("growth-says", `${found}${growing.length > MOST_CLEAR ? ` The ${MOST_CLEAR} clearest are shown.` : ""}${unknown ? ` Of ${counted(unknown, "paper")} no citations by year are known.` : ""}`);
  const tooEarly = early.length ? folded(`Too early to say: ${counted(early.length, "paper")}`, { class: "early" },
    make("p", { class: "lead" }, earlyWords(early)),
    make("ul", {}, ...early.slice(0, MOST_CLEAR).map((row) => make("li", {}, paperTitle(growth.paper[row]), " ", make("span", { class: "by" }, WHY_NOT[whyNot(row)]))))) : null;
  return fill("growth", growing.length ? growthTable(growing.slice(0, MOST_CLEAR)) : null, tooEarly);
});

addPart("rising", (left) => {
  say("rising-says", "");
  if (!COUNTED || !STEPS) return fill("rising", emptyState(...historyToCome(), " Each refresh after that adds a point for every paper, and this panel shows who gains faster than others like it."));
  const countedPapers = left.papers.filter((paper) => firstStep[paper] < STEPS);
  if (!countedPapers.length) return fill("rising", emptyState("Nothing that is chosen has been counted."));
  const paced = countedPapers.filter((paper) => papers.rising[paper] !== null);
  const early = countedPapers.length - paced.length;
  if (!paced.length) {
    return fill("rising", emptyState(STEPS < 2
      ? `Citations have been counted once, on ${dayText(history.days[0])}, so nothing rises yet: history begins now.`
      : "No rate can be told yet: that takes three counts of a paper, over 21 days or more."));
  }
  const here = new Set(paced);
  const shown = [...facts.rises.paper.keys()].filter((row) => here.has(facts.rises.paper[row])).slice(0, MOST_CLEAR); // the clearest first
  const untold = early ? ` Of ${counted(early, "paper")} it is too early to say.` : "";
  if (!shown.length) return fill("rising", emptyState(`Of ${counted(paced.length, "paper")} with a rate, none gains clearly more citations than its peers do for as many citations.${untold}`));
  say("rising-says", `Papers that clearly gained more citations in the last 90 days of counts than their peers did for as many citations: papers of the same year and field, or of the same year, or all where those are fewer than ten. Per week, over the days between a paper's counts, three or more. Recounts by the source are left out.${untold}`);
  return fill("rising", risingTable(shown));
});

const risingTable = (shown) => {
  const head = ["Paper", "Year", "Per week", "Peers", "Against its peers", "99 % interval", "Over", "Gains", "Citations"];
  const top = largest(shown.map((row) => facts.rises.high[row]), LEAST_TOP);
  const rows = shown.map((row) => {
    const [paper, usual] = [facts.rises.paper[row], facts.rises.usual[row]];
    return tableRow(head,
      make("td", {}, paperTitle(paper)),
      ...[yearText(paper), signed(papers.rising[paper]), usual < 0.05 ? "< 0.1" : signed(usual)].map(numberCell),
      ...ratioCells(facts.rises, row, top),
      numberCell(counted(papers.risen_days[paper], "day")),
      make("td", {}, spark(gainsOf(paper))),
      numberCell(number.format(papers.citations[paper])));
  });
  return cardTable(head, ["Paper", "Gains"], rows);
};
