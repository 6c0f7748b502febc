// What several panels show of one paper: its title and what it gained.

// An element of a drawing.
const drawn = (name, attributes, ...children) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
};

// Columns from zero: what was gained from one day or year to the next, as wide as the time between them.
const spark = (steps) => {
  const within = { class: "spark", viewBox: "0 0 100 24", preserveAspectRatio: "none", "aria-hidden": "true" };
  if (!steps.length) return drawn("svg", within);
  const paces = steps.map(({ from, to, gained }) => gained / (to - from));
  const [low, high] = rangeOf([0, ...paces]);
  const [start, end] = [steps[0].from, steps.at(-1).to];
  const x = (when) => (100 * (when - start)) / (end - start);
  const y = (pace) => 23 - (22 * (pace - low)) / Math.max(1e-9, high - low);
  return drawn("svg", within, drawn("path", { d: `M0 ${y(0).toFixed(1)}h100${steps.map(({ from, to }, at) => `M${(x(from) + 0.4).toFixed(1)} ${y(0).toFixed(1)}V${y(paces[at]).toFixed(1)}H${(x(to) - 0.4).toFixed(1)}V${y(0).toFixed(1)}`).join("")}` }));
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
