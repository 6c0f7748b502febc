// Charts: drawn once, then given new rows.

const views = new Map();
const tip = document.getElementById("tip");

const showTip = (_, event, __, value) => {
  const words = value && (value.tip ?? value);
  tip.hidden = typeof words !== "string" || words === "";
  if (tip.hidden) return;
  tip.textContent = words;
  const [left, top] = [event.clientX + 14, event.clientY + 14];
  tip.style.left = `${Math.max(8, Math.min(left, innerWidth - tip.offsetWidth - 8))}px`;
  tip.style.top = `${top + tip.offsetHeight > innerHeight ? event.clientY - tip.offsetHeight - 10 : top}px`;
};

const TALLIES = {
  cited: tallyCited, history: tallyHistory, years: tallyYears, topics: tallyTopics, sections: tallySections,
  ages: tallyAges, venues: tallyVenues, overlap: tallyOverlap, coverage: tallyCoverage,
};
const clicks = {};

// A chart is drawn when its first rows are there, so that it never has to be drawn empty.
const viewOf = (name, rows) => {
  if (!views.has(name)) {
    specifications[name].data.find((one) => one.name === "rows").values = rows;
    const options = { mode: "vega", ast: true, actions: false, renderer: "svg", defaultStyle: false, tooltip: showTip, hover: false };
    views.set(name, vegaEmbed(document.getElementById(name), specifications[name], options).then(({ view }) => {
      view.addEventListener("click", (_, item) => item?.datum && clicks[name]?.(item.datum));
      return view;
    }));
    return views.get(name);
  }
  return views.get(name).then((view) => view.data("rows", rows).runAsync());
};

const drawLegend = (name, legend) =>
  fill(`${name}-legend`, ...legend.map(({ slot, label, click }) => {
    const inside = [make("span", { class: `swatch s${slot}`, "aria-hidden": "true" }), label];
    return click ? make("button", { type: "button", onclick: click }, ...inside) : make("span", {}, ...inside);
  }));

const drawNumbers = (name, { head, body }) => {
  const details = document.getElementById(`${name}-numbers`);
  const build = () => {
    details.querySelector("div")?.remove();
    if (!details.open) return;
    const table = make("table", {},
      make("thead", {}, make("tr", {}, ...head.map((text) => make("th", { scope: "col" }, text)))),
      make("tbody", {}, ...body.map((row) => make("tr", {}, ...row.map((text, column) => make(column ? "td" : "th", column ? { class: "number" } : { scope: "row" }, text))))));
    details.append(make("div", { tabindex: "0", role: "region", "aria-label": "Numbers" }, table));
  };
  details.ontoggle = build;
  build();
};

const drawChart = async (name, left) => {
  const tally = TALLIES[name](left);
  const figure = document.getElementById(name).closest("figure");
  figure.querySelector(".empty")?.remove();
  const empty = tally.empty !== undefined;
  document.getElementById(name).hidden = empty;
  document.getElementById(`${name}-numbers`).hidden = empty;
  document.getElementById(`${name}-says`).textContent = empty ? "" : tally.says;
  drawLegend(name, empty ? [] : tally.legend);
  if (empty) {
    figure.append(emptyState(...[tally.empty].flat()));
    return;
  }
  clicks[name] = tally.click ?? (name === "years" || name === "topics" ? chooseYear : null);
  drawNumbers(name, tally);
  await viewOf(name, tally.rows);
};

const chooseYear = ({ year }) => {
  const only = String(year);
  const again = choice.from === only && choice.to === only;
  choose({ from: again ? "" : only, to: again ? "" : only });
};
