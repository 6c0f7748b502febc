// Charts: drawn once, then given new rows. What is in view is drawn at once, the rest when the browser has nothing to do.

const views = new Map();
const drawnViews = new Map(); // those of `views` that stand on the page
const tip = document.getElementById("tip");

const placeTip = ({ clientX, clientY }, words) => {
  tip.hidden = typeof words !== "string" || words === "";
  if (tip.hidden) return;
  tip.textContent = words;
  const [left, top] = [clientX + 14, clientY + 14];
  tip.style.left = `${Math.max(8, Math.min(left, innerWidth - tip.offsetWidth - 8))}px`;
  tip.style.top = `${top + tip.offsetHeight > innerHeight ? Math.max(8, clientY - tip.offsetHeight - 10) : top}px`;
};
const showTip = (_, event, __, value) => placeTip(event, value && (value.tip ?? value));

const clicks = {};

// A finger cannot hover: the first tap on a mark shows its words, and a second one on the same mark chooses it.
let pointer = "mouse";
let tapped = "";
const hideTip = () => {
  tip.hidden = true;
  tapped = "";
};
document.addEventListener("pointerdown", ({ pointerType, target }) => {
  pointer = pointerType;
  if (!target.closest(".chart")) hideTip();
}, true);
document.addEventListener("keydown", ({ key }) => key === "Escape" && hideTip());
document.addEventListener("scroll", () => tapped && hideTip(), { passive: true });

const pressMark = (name, event, item) => {
  const words = item?.datum?.tip;
  if (pointer === "mouse" || pointer === "pen" || !words || tapped === `${name} ${words}`) {
    hideTip();
    return item?.datum && clicks[name]?.(item.datum);
  }
  placeTip(event, clicks[name] ? `${words}\nTap again to choose.` : words);
  tapped = `${name} ${words}`;
  return null;
};

// A chart is drawn when its first rows are there, so that it never has to be drawn empty.
const viewOf = (name, { rows, height }) => {
  if (!views.has(name)) {
    const specification = specifications[name];
    const element = document.getElementById(name);
    specification.data.find((one) => one.name === "rows").values = rows;
    if (height) specification.height = height;
    if (name === "history") specification.autosize.resize = true; // the words change with the rows
    element.replaceChildren();
    const options = { expr: vega.expressionInterpreter, renderer: "svg", container: element, hover: false, tooltip: showTip };
    const view = new vega.View(vega.parse(specification, {}, { ast: true }), options);
    views.set(name, view.runAsync().then(() => {
      drawnViews.set(name, view);
      view.addEventListener("click", (event, item) => pressMark(name, event, item));
      return view;
    }));
    return views.get(name);
  }
  return views.get(name).then((view) => (height ? view.height(height) : view).data("rows", rows).runAsync());
};

// Paper is narrower than most windows: what is drawn for one is drawn anew for the other, as smaller letters could not be read.
const PAPER_WIDTH = { wide: 340, across: 640 };
const paperWidth = (name) => PAPER_WIDTH[sectionAround(name).classList.contains("wide") ? "wide" : "across"];
const drawAnew = (widthOf) => {
  for (const [name, view] of drawnViews) if (document.getElementById(name).clientWidth) view.width(widthOf(name)).run();
};
const windowWidth = (name) => document.getElementById(name).clientWidth;

const drawLegend = (name, legend = []) =>
  fill(`${name}-legend`, ...legend.map(({ slot, label, click }) => {
    const inside = [make("span", { class: `swatch s${slot}`, "aria-hidden": "true" }), make("bdi", {}, label)];
    return click ? make("button", { type: "button", onclick: click }, ...inside) : make("span", {}, ...inside);
  }));

// Where a row can be chosen, as a mark of the chart can with a pointer, its name is a button. Without numbers nothing is offered.
const drawNumbers = (name, numbers) => {
  const details = document.getElementById(`${name}-numbers`);
  details.hidden = numbers === null;
  if (numbers === null) return;
  const { head, body, press } = numbers;
  offerDownloads(name, { head, body });
  const build = () => {
    details.querySelector("div")?.remove();
    if (!details.open) return;
    const table = make("table", {},
      make("thead", {}, make("tr", {}, ...head.map((text) => make("th", { scope: "col", dir: "auto" }, text)))),
      make("tbody", {}, ...body.map((row, at) => make("tr", {}, ...row.map((text, column) => make(column ? "td" : "th", column ? { class: "number" } : { scope: "row", dir: "auto" }, !column && press ? make("button", { type: "button", class: "link", onclick: () => press(at) }, text) : text))))));
    details.append(make("div", { tabindex: "0", role: "region", "aria-label": details.querySelector("summary").textContent }, table));
  };
  details.ontoggle = build;
  build();
};

const drawChart = async (name, tally) => {
  const figure = document.getElementById(name).closest("figure");
  figure.querySelector(".empty")?.remove();
  const empty = tally.empty !== undefined;
  document.getElementById(name).hidden = empty;
  say(`${name}-says`, empty ? "" : tally.says);
  drawLegend(name, empty ? [] : tally.legend);
  drawNumbers(name, empty ? null : tally);
  if (empty) return figure.append(emptyState(...[tally.empty].flat()));
  clicks[name] = tally.click;
  return viewOf(name, tally);
};

// What the keyboard stands on may be drawn anew: it then stands on what has the same words, else on what has taken the place.
const focusPlace = () => {
  const element = document.activeElement;
  const holder = element?.closest("[id]:not(body)");
  if (!holder || holder === element) return null;
  return { element, holder, at: [...holder.querySelectorAll(element.tagName)].indexOf(element), words: element.textContent };
};

const restoreFocus = (place) => {
  if (!place || (place.element.isConnected && !place.element.disabled)) return;
  if (![null, document.body, place.element].includes(document.activeElement)) return;
  const { element, holder, at, words } = place;
  const candidates = [...holder.querySelectorAll(element.tagName)].filter((one) => !one.disabled && one.offsetParent !== null);
  const next = candidates.find((one) => one.textContent === words) ?? candidates[Math.min(at, candidates.length - 1)] ?? holder.closest("section")?.querySelector("h2");
  if (!next) return;
  if (next.tagName === "H2") next.setAttribute("tabindex", "-1");
  next.focus({ preventScroll: true });
};

// The parts of the page by the id of an element in them; each has a function that draws it from what the choice leaves.
const parts = new Map();
const stale = new Set();
let leftNow = null;
let isDrawingRest = false;
const NEAR = 300; // pixels below the window that count as in view

const sectionAround = (id) => document.getElementById(id).closest("section");

// What is folded opens where something leads to it.
const foldAround = (id) => sectionAround(id).querySelector(".fold");
const unfold = (id) => foldAround(id)?.setAttribute("open", "");
const showPlace = (id, where) => {
  unfold(id);
  document.getElementById(id).scrollIntoView(where);
};

const isNear = (id) => {
  if (foldAround(id)?.open === false) return false;
  const { top, bottom } = sectionAround(id).getBoundingClientRect();
  return top < innerHeight + NEAR && bottom > -NEAR;
};

const drawPart = async (id) => {
  if (!stale.delete(id)) return;
  const place = focusPlace();
  const drawn = parts.get(id)(leftNow);
  restoreFocus(place);
  await drawn;
};

const whenIdle = (work) => (window.requestIdleCallback ? requestIdleCallback(work, { timeout: 200 }) : setTimeout(work, 1));
const drawRest = (tellSettled) => {
  if (isDrawingRest) return;
  isDrawingRest = true;
  const next = () => {
    const [id] = stale;
    if (id === undefined) {
      isDrawingRest = false;
      tellSettled();
      return;
    }
    whenIdle(() => drawPart(id).then(next));
  };
  next();
};

const drawWithin = (sections) => {
  for (const id of parts.keys()) if (leftNow && sections.has(sectionAround(id)) && isNear(id)) drawPart(id);
};
const scrolledTo = new IntersectionObserver((entries) => {
  drawWithin(new Set(entries.filter(({ isIntersecting }) => isIntersecting).map(({ target }) => target)));
}, { rootMargin: `${NEAR}px 0px` });

// A chart that was drawn while it was folded takes its width now, as charts do where the window's changes.
for (const fold of document.querySelectorAll(".fold")) fold.addEventListener("toggle", () => {
  if (!fold.open) return;
  drawWithin(new Set([fold.closest("section")]));
  window.dispatchEvent(new Event("resize"));
});

const addPart = (id, draw) => {
  parts.set(id, draw);
  scrolledTo.observe(sectionAround(id));
};
// A chart is drawn by what a function makes of the choice: `rows`, or in words why there are none (`empty`).
const addChart = (name, tally) => addPart(name, (left) => drawChart(name, tally(left)));

const drawParts = (left) => {
  leftNow = left;
  for (const id of parts.keys()) stale.add(id);
  return Promise.all([...parts.keys()].filter(isNear).map(drawPart));
};
