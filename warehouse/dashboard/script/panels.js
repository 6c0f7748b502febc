// The panels that are no charts: figures, rising papers, papers that several lists name, mentions without a paper.

const drawGlance = (left) => {
  const mentions = left.places.length + left.unresolved.length;
  const named = listsNamed(left);
  const yet = [`${number.format(left.unresolved.length)} without a paper yet`, left.undated ? `${number.format(left.undated)} more of unknown year` : ""];
  const mentionsNote = left.uncategorised ? `${number.format(left.uncategorised)} more without a paper, category unknown` : yet.filter(Boolean).join(", ");
  const agreed = left.papers.filter((paper) => listsOf(paper).length > 1).length;
  const tiles = [
    ["Papers", number.format(left.papers.length), agreed ? `${number.format(agreed)} in several lists` : ""],
    ["Mentions", number.format(mentions), mentionsNote],
    ["Lists", number.format(named.length), named.length ? `last changed ${dayText(named.reduce((last, list) => Math.max(last, lists.parsed[list]), -Infinity))}` : ""],
    ["Coverage", left.uncategorised ? "–" : percent(left.places.length, mentions), left.uncategorised ? "not known by category" : `of mentions${left.undated ? " of known year" : ""} have their paper`],
  ];
  fill("glance", ...tiles.map(([name, value, note]) => make("div", {}, make("dt", {}, name), make("dd", {}, value), make("dd", { class: "note" }, note))));
};

const SVG = "http://www.w3.org/2000/svg";

// Columns from zero: what was gained from one day or year to the next, as wide as the time between them.
const spark = (steps) => {
  const svg = document.createElementNS(SVG, "svg");
  for (const [name, value] of [["class", "spark"], ["viewBox", "0 0 100 24"], ["preserveAspectRatio", "none"], ["aria-hidden", "true"]]) svg.setAttribute(name, value);
  if (!steps.length) return svg;
  const paces = steps.map(({ from, to, gained }) => gained / (to - from));
  const [low, high] = rangeOf([0, ...paces]);
  const [start, end] = [steps[0].from, steps.at(-1).to];
  const x = (when) => (100 * (when - start)) / (end - start);
  const y = (pace) => 23 - (22 * (pace - low)) / Math.max(1e-9, high - low);
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", `M0 ${y(0).toFixed(1)}h100${steps.map(({ from, to }, at) => `M${(x(from) + 0.4).toFixed(1)} ${y(0).toFixed(1)}V${y(paces[at]).toFixed(1)}H${(x(to) - 0.4).toFixed(1)}V${y(0).toFixed(1)}`).join("")}`);
  svg.append(path);
  return svg;
};

// What each step added to a paper's count, where it is known; recounts by the source are left out.
const gainsOf = (paper) => history.days.slice(1).map((day, at) => {
  const now = paper * STEPS + at + 1;
  return { from: history.days[at], to: day, gained: counts[now] - counts[now - 1] - recounted[now] + recounted[now - 1], isKnown: at >= firstStep[paper] && isKnown[now - 1] && isKnown[now] };
}).filter((step) => step.isKnown);

// A paper's title; where its citations have been counted, a press shows them over time.
const paperTitle = (paper) => {
  const title = titleOf(paper);
  if (firstStep[paper] === STEPS) return make("span", { class: "paper-title", dir: "auto" }, title);
  return make("button", { type: "button", class: "link paper-title", dir: "auto", "aria-description": "Show its citations over time", onclick: () => showPaper(paper) }, title);
};

const showPaper = (paper) => {
  choose({ paper: papers.id[paper] });
  showPlace("history-title", { block: "center" });
};

const RISING = 5;

// Papers that gain clearly more than others like them, as the page was told, the clearest first.
const risingAmong = (shown) => {
  const here = new Set(shown);
  return facts.rises.paper.map((paper, row) => ({ paper, row })).filter(({ paper }) => here.has(paper));
};

const drawRising = (left) => {
  const says = document.getElementById("rising-says");
  says.textContent = "";
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
  const shown = risingAmong(paced).slice(0, RISING);
  const untold = early ? ` Of ${counted(early, "paper")} it is too early to say.` : "";
  if (!shown.length) return fill("rising", emptyState(`Of ${counted(paced.length, "paper")} with a rate, none gains clearly more citations than its peers do for as many citations.${untold}`));
  says.textContent = `Papers that clearly gained more citations in the last 90 days of counts than their peers did for as many citations: papers of the same year and field, or of the same year, or all where those are fewer than ten. Per week, over the days between a paper's counts, three or more. Recounts by the source are left out.${untold}`;
  return fill("rising", risingTable(shown));
};

const risingTable = (shown) => {
  const head = ["Paper", "Year", "Per week", "Peers", "Against its peers", "99 % interval", "Over", "Gains", "Citations"];
  const top = scaleTop(shown.map(({ row }) => facts.rises.high[row]));
  const rows = shown.map(({ paper, row }) => {
    const [usual, ratio, low, high] = [facts.rises.usual, facts.rises.growth, facts.rises.low, facts.rises.high].map((values) => values[row]);
    return tableRow(head,
      make("td", {}, paperTitle(paper)),
      make("td", { class: "number" }, String(papers.year[paper] ?? "–")),
      make("td", { class: "number" }, signed(papers.rising[paper])),
      make("td", { class: "number" }, usual < 0.05 ? "< 0.1" : signed(usual)),
      make("td", { class: "number" }, timesText(ratio)),
      make("td", { class: "number broad" }, intervalMark(ratio, low, high, top), make("span", {}, intervalText(low, high))),
      make("td", { class: "number" }, counted(papers.risen_days[paper], "day")),
      make("td", {}, spark(gainsOf(paper))),
      make("td", { class: "number" }, number.format(papers.citations[paper])));
  });
  return cardTable(head, ["Paper", "Gains"], rows);
};

const AGREED = 8;

const drawAgreed = (left) => {
  const several = left.papers.map((paper) => ({ paper, among: listsOf(paper).length })).filter(({ among }) => among > 1);
  several.sort((a, b) => b.among - a.among || placesOf[b.paper].length - placesOf[a.paper].length || a.paper - b.paper);
  document.getElementById("agreed-says").textContent = several.length ? `${counted(several.length, "paper")} here ${several.length === 1 ? "stands" : "stand"} in more than one list.` : "";
  document.getElementById("agreed-numbers").hidden = !several.length;
  drawNumbers("agreed", { head: ["Paper", "Lists", "Places", "Which lists"], body: several.map(({ paper, among }) => [titleOf(paper), number.format(among), number.format(placesOf[paper].length), listsOf(paper).map((list) => listLabels[list]).join("; ")]) });
  if (!several.length) {
    fill("agreed", make("li", {}, emptyState(lists.id.length < 2 ? `${listsThere()}; with two, this shows what both name.` : "No paper here stands in two lists.")));
    return;
  }
  fill("agreed", ...several.slice(0, AGREED).map(({ paper, among }) => make("li", {}, paperTitle(paper), make("span", { class: "by" }, counted(among, "list")))));
};

const drawChosenPaper = () => {
  if (choice.paper === "") return fill("chosen");
  return fill("chosen", make("button", { type: "button", onclick: () => choose({ paper: "" }) }, make("bdi", {}, shortTitle(paperNumber.get(choice.paper))), " ✕", make("span", { class: "unseen" }, " – back to all")));
};
