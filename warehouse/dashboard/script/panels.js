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

// A line of the paper's counts, days true to scale, from its own least to its own most; broken where nothing is known, and at a recount.
const spark = (paper) => {
  const svg = document.createElementNS(SVG, "svg");
  for (const [name, value] of [["class", "spark"], ["viewBox", "0 0 100 24"], ["preserveAspectRatio", "none"], ["aria-hidden", "true"]]) svg.setAttribute(name, value);
  const rows = linePieces(summed([paper], true), { single: true, label: "", slot: 0, dash: 0, found: recountsAt([paper]) });
  if (!rows.length) return svg;
  const [low, high] = rangeOf(rows.map(({ citations }) => citations));
  const [start, end] = [history.days[0], history.days[STEPS - 1]];
  const x = ({ day }) => (98 * (day / DAY_MS - start)) / Math.max(1, end - start) + 1;
  const y = ({ citations }) => 22 - (20 * (citations - low)) / Math.max(1, high - low);
  const path = document.createElementNS(SVG, "path");
  const isGoingOn = (row, at) => at > 0 && rows[at - 1].piece === row.piece;
  path.setAttribute("d", rows.map((row, at) => `${isGoingOn(row, at) ? "L" : "M"}${x(row).toFixed(1)} ${y(row).toFixed(1)}${isGoingOn(row, at) ? "" : "h0.1"}`).join(""));
  svg.append(path);
  return svg;
};

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
  says.textContent = `Papers that clearly gained more citations in the last 90 days of counts than their peers did for as many citations (“usual”): papers of the same year and field, or of the same year, or all where those are fewer than ten. Per week, over the days between a paper's counts, three or more. Recounts by the source are left out.${untold}`;
  return fill("rising", risingTable(shown));
};

const risingTable = (shown) => {
  const head = ["Paper", "Year", "Per week", "Usual", "Against its peers", "97 to 99 of 100", "Over", "Counts", "Citations"];
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
      make("td", {}, spark(paper)),
      make("td", { class: "number" }, number.format(papers.citations[paper])));
  });
  return cardTable(head, ["Paper", "Counts"], rows);
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
