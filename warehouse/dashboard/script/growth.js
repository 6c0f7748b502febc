// What is taking off: citations of the last full year beside those of the year before, against papers of the same year and field.

const growth = facts.growth;
const growthRow = new Map(growth === null ? [] : growth.paper.map((paper, row) => [paper, row]));
const WHY_NOT = {
  new: "not two full years old", peers: "fewer than ten other papers of its year and field are known", few: "fewer than ten citations in the two years",
};
const citedIn = (row, year) => {
  const told = citedRow.get(growth.paper[row]);
  return told === undefined ? 0 : cited.counts[told][cited.years[told].indexOf(year)] ?? 0;
};
const laterOf = (row) => citedIn(row, countedYear(row));
const earlierOf = (row) => citedIn(row, countedYear(row) - 1);
const whyNot = (row) => growth.why.values[growth.why.codes[row]] ?? null;
// The ten full years that OpenAlex tells, so that one paper's columns stand as another's do.
const yearsOf = (row) => Array.from({ length: 10 }, (_, at) => countedYear(row) - 9 + at).map((year) => ({ from: year, to: year + 1, gained: citedIn(row, year) }));
const countedYear = (row) => growth.counted_year.values[growth.counted_year.codes[row]];
const timesText = (value) => `×${value < 10 ? value.toFixed(1) : number.format(Math.round(value))}`;
const intervalText = (low, high) => `${timesText(low)} to ${timesText(high)}`;

// The interval on a logarithmic scale from a quarter of what is usual to `top` times that; the upright line stands at once.
const intervalMark = (ratio, low, high, top) => {
  const x = (value) => 2 + (96 * (Math.max(-2, Math.log2(value)) + 2)) / (2 + Math.log2(top));
  const part = (name, attributes) => {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };
  const svg = part("svg", { class: "interval", viewBox: "0 0 100 16", "aria-hidden": "true" });
  svg.append(
    part("line", { class: "usual", x1: x(1), x2: x(1), y1: 0, y2: 16 }),
    part("line", { x1: x(Math.max(low, 0.01)), x2: x(high), y1: 8, y2: 8 }),
    part("circle", { cx: x(ratio), cy: 8, r: 3 }),
  );
  return svg;
};

// A table has one scale, which holds all its intervals.
const scaleTop = (highs) => highs.reduce((a, b) => Math.max(a, b), 8);

const MOST_GROWING = 5;

// The last full year that OpenAlex told of, null where it told of some papers before the turn of the year.
const sameYear = (rows) => (rows.every((row) => countedYear(row) === countedYear(rows[0])) ? countedYear(rows[0]) : null);

const growthTable = (rows) => {
  const [year, top] = [sameYear(rows), scaleTop(rows.map((row) => growth.high[row]))];
  const head = ["Paper", "Year", ...(year ? [`In ${year}`, `In ${year - 1}`] : ["Last full year", "Year before"]), "Against its peers", "99 % interval", "By year"];
  const body = rows.map((row) => tableRow(head,
    make("td", {}, paperTitle(growth.paper[row])),
    make("td", { class: "number" }, String(papers.year[growth.paper[row]] ?? "–")),
    make("td", { class: "number" }, number.format(laterOf(row)) + (year ? "" : ` in ${countedYear(row)}`)),
    make("td", { class: "number" }, number.format(earlierOf(row)) + (year ? "" : ` in ${countedYear(row) - 1}`)),
    make("td", { class: "number" }, timesText(growth.growth[row])),
    make("td", { class: "number broad" }, intervalMark(growth.growth[row], growth.low[row], growth.high[row], top), make("span", {}, intervalText(growth.low[row], growth.high[row]))),
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
    return [titleOf(paper), String(papers.year[paper] ?? "–"), growth.field.values[growth.field.codes[row]] ?? "–", String(countedYear(row)), number.format(laterOf(row)), number.format(earlierOf(row)), number.format(growth.peers[row]), told(growth.growth[row]), told(growth.low[row]), told(growth.high[row]), judged];
  }),
});

const earlyWords = (early) => {
  const kinds = Object.entries(WHY_NOT).map(([why, words]) => [early.filter((row) => whyNot(row) === why).length, words]).filter(([count]) => count);
  return kinds.map(([count, words]) => `${number.format(count)}: ${words}`).join("; ");
};

const drawGrowth = (left) => {
  const says = document.getElementById("growth-says");
  const none = (...words) => {
    says.textContent = "";
    document.getElementById("rising-numbers").hidden = true;
    return fill("growth", emptyState(...words));
  };
  if (growth === null || !growth.paper.length) return none("Citations by year are not known yet: OpenAlex tells them with the next ", code("paperlake refresh"), " that may use the network.");
  const among = growthAmong(left);
  const { growing, others, early, unknown } = among;
  const judged = growing.length + others.length;
  if (!judged && !early.length) return none("No citations by year are known of the papers chosen.");
  document.getElementById("rising-numbers").hidden = false;
  drawNumbers("rising", growthNumbers(among));
  const peers = "than other papers of the same year and field on this page";
  const found = growing.length
    ? `${counted(growing.length, "paper")} of ${number.format(judged)} ${growing.length === 1 ? "grows" : "grow"} clearly faster ${peers}: citations in ${sameYear(growing) ? `${sameYear(growing)} beside ${sameYear(growing) - 1}` : "the last full year that is known beside the year before"}, by OpenAlex, divided by the same of its peers, whatever is chosen.`
    : judged ? `Of ${counted(judged, "paper")} none grows clearly faster ${peers}.` : "";
  says.textContent = `${found}${growing.length > MOST_GROWING ? ` The ${MOST_GROWING} clearest are shown.` : ""}${unknown ? ` Of ${counted(unknown, "paper")} no citations by year are known.` : ""}`;
  const tooEarly = early.length ? make("details", { class: "early" },
    make("summary", {}, `Too early to say: ${counted(early.length, "paper")}`),
    make("p", { class: "lead" }, earlyWords(early)),
    make("ul", {}, ...early.slice(0, MOST_GROWING).map((row) => make("li", {}, paperTitle(growth.paper[row]), " ", make("span", { class: "by" }, WHY_NOT[whyNot(row)]))))) : null;
  return fill("growth", growing.length ? growthTable(growing.slice(0, MOST_GROWING)) : null, tooEarly);
};
