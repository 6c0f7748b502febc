// The panels that are no charts: figures, rising papers, papers that several lists name, mentions without a paper.

const drawGlance = (left) => {
  const mentions = left.places.length + left.unresolved.length;
  const named = listsNamed(left);
  const countedPapers = left.papers.filter((paper) => papers.citations[paper] !== null);
  const citations = countedPapers.reduce((sum, paper) => sum + papers.citations[paper], 0);
  const ages = left.papers.map((paper) => papers.year[paper]).filter((year) => year !== null);
  const agreed = left.papers.filter((paper) => listsOf(paper).length > 1).length;
  const tiles = [
    ["Papers", number.format(left.papers.length), agreed ? `${number.format(agreed)} in several lists` : ""],
    ["Mentions", number.format(mentions), `${number.format(left.unresolved.length)} without a paper yet`],
    ["Lists", number.format(named.length), named.length ? `last changed ${dayText(named.reduce((last, list) => Math.max(last, lists.parsed[list]), -Infinity))}` : ""],
    ["Coverage", percent(left.places.length, mentions), "of mentions have their paper"],
    ["Citations", countedPapers.length ? number.format(citations) : "–", countedPapers.length ? `of ${countedPapers.length === left.papers.length ? "all" : percent(countedPapers.length, left.papers.length)} papers` : "not counted yet"],
    ["Median year", ages.length ? String(Math.floor(median(ages))) : "–", ages.length ? "of publication" : ""],
  ];
  fill("glance", ...tiles.map(([name, value, note]) => make("div", {}, make("dt", {}, name), make("dd", {}, value), make("dd", { class: "note" }, note))));
};

const SVG = "http://www.w3.org/2000/svg";

// A line of the paper's counts, days true to scale, from its own least to its own most.
const spark = (paper) => {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "spark");
  svg.setAttribute("viewBox", "0 0 100 24");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  const from = paper * STEPS + firstStep[paper];
  const values = counts.subarray(from, (paper + 1) * STEPS);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const [start, end] = [history.days[0], history.days[STEPS - 1]];
  const x = (step) => (98 * (history.days[step] - start)) / Math.max(1, end - start) + 1;
  const y = (value) => 22 - (20 * (value - low)) / Math.max(1, high - low);
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", Array.from(values, (value, at) => `${at ? "L" : "M"}${x(firstStep[paper] + at).toFixed(1)} ${y(value).toFixed(1)}`).join(""));
  svg.append(path);
  return svg;
};

// A paper's title; where its citations have been counted, a press shows them over time.
const paperTitle = (paper) => {
  const title = papers.title[paper];
  if (firstStep[paper] === STEPS) return make("span", { class: "paper-title" }, title);
  return make("button", { type: "button", class: "link paper-title", title: "Show its citations over time", onclick: () => showPaper(paper) }, title);
};

const showPaper = (paper) => {
  choose({ paper: papers.id[paper], measure: "total" });
  document.getElementById("history-title").scrollIntoView({ block: "center" });
};

const RISING = 10;

const drawRising = (left) => {
  const says = document.getElementById("rising-says");
  if (!COUNTED || !STEPS) {
    says.textContent = "";
    fill("rising", emptyState(...historyToCome(), " Each refresh after that adds a point for every paper, and this panel shows who gains fastest."));
    return;
  }
  const paced = left.papers.filter((paper) => papers.rising[paper] > 0).sort((a, b) => papers.rising[b] - papers.rising[a]).slice(0, RISING);
  if (STEPS < 2 || papers.rising.every((pace) => pace === null)) {
    const cited = left.papers.filter((paper) => papers.citations[paper] !== null).slice(0, RISING);
    says.textContent = `${STEPS < 2
      ? `Citations have been counted once, on ${dayText(history.days[0])}, so nothing rises yet: history begins now.`
      : "No rate can be told yet: that takes three counts of a paper, over 21 days or more."}${cited.length ? " The most cited, meanwhile:" : ""}`;
    fill("rising", cited.length ? risingTable(cited, { paced: false }) : emptyState("Nothing that is chosen has been counted."));
    return;
  }
  says.textContent = paced.length
    ? `Citations gained per week in the last 90 days of counts, to ${dayText(history.days.at(-1))}: each over the days between its counts in them, three or more. Recounts by the source are left out. The small lines run from ${dayText(history.days[0])}, each on a scale of its own.`
    : "";
  fill("rising", paced.length ? risingTable(paced, { paced: true }) : emptyState("Nothing that is chosen gained citations in the last 90 days of counts."));
};

const risingTable = (shown, { paced }) => {
  const head = ["Paper", "Year", ...(paced ? ["Per week", "Over", "Counts"] : []), "Citations"];
  const rows = shown.map((paper) => make("tr", {},
    make("td", {}, paperTitle(paper)),
    make("td", { class: "number" }, String(papers.year[paper] ?? "–")),
    ...(paced ? [make("td", { class: "number" }, signed(papers.rising[paper])), make("td", { class: "number" }, counted(papers.risen_days[paper], "day")), make("td", {}, spark(paper))] : []),
    make("td", { class: "number" }, number.format(papers.citations[paper]))));
  return make("table", {},
    make("thead", {}, make("tr", {}, ...head.map((text) => make("th", { scope: "col", class: text === "Paper" || text === "Counts" ? null : "number" }, text)))),
    make("tbody", {}, ...rows));
};

const AGREED = 8;

const drawAgreed = (left) => {
  const several = left.papers.map((paper) => ({ paper, among: listsOf(paper).length })).filter(({ among }) => among > 1);
  several.sort((a, b) => b.among - a.among || placesOf[b.paper].length - placesOf[a.paper].length || a.paper - b.paper);
  document.getElementById("agreed-says").textContent = several.length ? `${counted(several.length, "paper")} here ${several.length === 1 ? "stands" : "stand"} in more than one list.` : "";
  if (!several.length) {
    fill("agreed", make("li", {}, emptyState(lists.id.length < 2 ? "There is one list; add a second one to see what both name." : "No paper here stands in two lists.")));
    return;
  }
  fill("agreed", ...several.slice(0, AGREED).map(({ paper, among }) => make("li", {}, paperTitle(paper), make("span", { class: "by" }, counted(among, "list")))));
};

const drawChosenPaper = () => {
  if (choice.paper === "") return fill("chosen");
  const title = papers.title[paperNumber.get(choice.paper)];
  return fill("chosen", make("button", { type: "button", onclick: () => choose({ paper: "" }) }, `${title.length > 60 ? `${title.slice(0, 59)}…` : title} ✕`, make("span", { class: "unseen" }, " – back to all")));
};
