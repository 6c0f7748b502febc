// Puts it together: controls, address, and drawing again whatever the choice is.

const filters = document.getElementById("filters");
const control = (name) => filters.elements[name];

const offer = (name, options) => control(name).replaceChildren(...options.map(([value, text]) => make("option", { value, dir: "auto" }, text)));

let sectionsOffered = null;
const offerSections = () => {
  if (sectionsOffered === choice.list) return;
  sectionsOffered = choice.list;
  fill("section-names", ...sectionChoices(choice.list).map((key) => make("option", { value: sectionLabel(key) })));
};

// The section that is meant: by its whole name, else by words that stand in one name only.
const sectionMeant = (text) => {
  const wanted = plain(text.trim());
  const all = sectionChoices(choice.list).map((key) => [key, plain(sectionLabel(key))]);
  const whole = all.filter(([, name]) => name === wanted);
  return (whole.length ? whole.slice(0, 1) : all.filter(([, name]) => name.includes(wanted))).map(([key]) => key);
};

const chooseSection = (text) => {
  if (text.trim() === "") return choose({ section: "" });
  const meant = sectionMeant(text);
  if (meant.length === 1) return choose({ section: meant[0] });
  return refuse("section", meant.length ? `${counted(meant.length, "section")} have “${text}” in their names: choose one of them.` : `No section here has “${text}” in its name.`);
};

const offerAll = () => {
  offer("list", [["", "all lists"], ...lists.id.map((id, list) => [id, listLabels[list]])]);
  const categories = ranked(sizesOf([...papers.id.keys()].map((paper) => valueAt(papers.category, paper)).filter(Boolean)));
  offer("category", [["", "all categories"], ...categories.map(([name, size]) => [name, `${name} (${number.format(size)})`])]);
  const all = YEARS ? numbersTo(YEARS[1] - YEARS[0] + 1, YEARS[0]).map(String) : [];
  offer("from", [["", "any year"], ...all.map((year) => [year, year])]);
  offer("to", [["", "any year"], ...all.reverse().map((year) => [year, year])]);
};

// A year of an address in which no paper came out is offered too: an empty field would look like no choice.
const offerYear = (name) => {
  const year = choice[name];
  if (year !== "" && ![...control(name).options].some(({ value }) => value === year)) control(name).append(make("option", { value: year }, year));
};

const SELECTS = ["list", "category", "from", "to", "split", "topics"];

const showRefusal = (refused) => {
  say("refusal", refusal);
  for (const name of ["section", "from", "to"]) control(name).setAttribute("aria-invalid", String(name === refused));
  refusal = "";
};

const showChoice = () => {
  offerSections();
  offerYear("from");
  offerYear("to");
  for (const name of SELECTS) control(name).value = choice[name];
  if (control("q") !== document.activeElement) control("q").value = choice.q;
  control("section").value = choice.section === "" ? "" : sectionLabel(choice.section);
  const isAll = Object.entries(choice).every(([name, value]) => value === NOTHING[name]);
  document.getElementById("reset").setAttribute("aria-disabled", String(isAll));
  say("choice-words", choiceWords());
  showRefusal();
};

const FILTERS = ["list", "section", "category", "from", "to", "q", "sort"];
const OF_THE_TABLE = ["q", "sort", "page"];

// What cannot be chosen is said, and all stays as it was.
const refuse = (name, why) => {
  refusal = why;
  for (const one of ["from", "to"]) control(one).value = choice[one];
  showRefusal(name);
  tellDrawn();
};

const choose = (changes, { isStep = true } = {}) => {
  const paged = FILTERS.some((name) => name in changes) && !("page" in changes);
  const next = { ...choice, ...(paged ? { page: "1" } : {}), ...changes };
  if (isBackwards(next)) return refuse("from" in changes ? "from" : "to", backwardsText(next));
  choice = next;
  dropUnknown();
  writeChoice({ isStep });
  followed = location.hash;
  return Object.keys(changes).every((name) => OF_THE_TABLE.includes(name)) ? showTable() : show();
};

// What can be shown of no paper at all is said in one place, and has no panel of its own.
const gatherUnshown = () => {
  const bare = [...document.querySelectorAll("main section.panel:not([hidden]):has(.empty)")].filter((section) => !section.querySelector(".chart svg, td, li:not(:has(.empty))"));
  for (const section of bare) section.hidden = true;
  if (bare.length) sectionAround("unshown").hidden = false;
  document.getElementById("unshown").append(...bare.map((section) => make("li", {}, make("b", {}, section.querySelector("h2").textContent), ...[...section.querySelectorAll(".empty")].flatMap((why) => [" ", ...why.cloneNode(true).childNodes]))));
  for (const link of document.querySelectorAll(".contents a")) link.parentElement.hidden = sectionAround(link.hash.slice(1)).hidden;
};

const tellDrawn = () => {
  delete document.body.dataset.settled;
  document.body.dataset.drawn = String(1 + Number(document.body.dataset.drawn ?? 0));
  drawRest(() => {
    if (isEverything() && PAPERS && !document.getElementById("unshown").childElementCount) gatherUnshown();
    document.body.dataset.settled = "";
  });
};

const showTable = () => {
  showChoice();
  stale.add("papers-table");
  return drawPart("papers-table").then(tellDrawn);
};

const show = () => {
  const left = chosen();
  showChoice();
  const isNothing = PAPERS > 0 && !left.papers.length;
  document.body.classList.toggle("nothing", isNothing);
  sectionAround("first").hidden = !isEverything(); // they are of all
  say("nothing", isNothing ? `No paper is in all that is chosen. ${choiceWords()} Choose less, or show all.` : "");
  const share = isEverything() ? `All ${counted(PAPERS, "paper")}` : `${number.format(left.papers.length)} of ${counted(PAPERS, "paper")}`;
  say("shown", isNothing ? `No paper of ${number.format(PAPERS)}` : share);
  return drawParts(left).then(tellDrawn);
};

filters.addEventListener("change", ({ target }) => {
  if (target.name === "q") return;
  if (target.name === "section") chooseSection(target.value);
  else choose(target.name === "list" ? { list: target.value, section: "" } : { [target.name]: target.value });
});
// A name taken from those offered is chosen at once; one that is typed, with Enter or on leaving the field.
control("section").addEventListener("input", ({ inputType, target }) => inputType === "insertReplacementText" && chooseSection(target.value));
for (const name of ["split", "topics", "a", "b", "by"]) control(name).addEventListener("change", ({ target }) => choose({ [name]: target.value }));
let typing = 0;
control("q").addEventListener("input", ({ target }) => {
  clearTimeout(typing);
  typing = setTimeout(() => choose({ q: target.value }, { isStep: choice.q === "" || target.value === "" }), 120);
});
filters.addEventListener("submit", (event) => event.preventDefault());
filters.addEventListener("reset", (event) => {
  event.preventDefault();
  if (document.getElementById("reset").getAttribute("aria-disabled") === "true") return;
  control("q").value = "";
  choose({ ...NOTHING });
});
// The link past the filters leads to a place of the page; the address keeps what is chosen.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  unfold("papers");
  document.getElementById("papers").focus();
});
// Back, Forward, and an address that was typed.
let followed = null;
const follow = () => {
  if (goToPlace()) return writeChoice();
  if (location.hash === followed) return null;
  followed = location.hash;
  readChoice();
  control("q").value = choice.q;
  unfoldChosen(choice);
  return show().then(goToRow);
};
// A link of the page, such as one of the contents, opens what it leads to.
const goToPlace = (where) => {
  const place = document.getElementById(location.hash.slice(1));
  if (!place?.closest("section")) return place;
  showPlace(place.id, where);
  return place;
};
// What an address chooses within a folded panel opens it; an open row comes into view.
const CHOSEN_IN = { q: "papers", sort: "papers", page: "papers", open: "papers", paper: "history", split: "history", topics: "topics", a: "compare", b: "compare", by: "compare" };
const unfoldChosen = (told) => {
  for (const [name, id] of Object.entries(CHOSEN_IN)) if (told[name] !== NOTHING[name]) unfold(id);
};
const goToRow = () => choice.open !== "" && drawPart("papers-table").then(() => document.getElementById("opened")?.previousElementSibling.scrollIntoView({ block: "center", behavior: "instant" }));
window.addEventListener("popstate", follow);
window.addEventListener("hashchange", follow);
// On paper there are no pages to turn and no filters to see: all rows are there, and what is chosen in words.
let foldedOnScreen = [];
const turnTo = (isPaper) => {
  for (const fold of foldedOnScreen) fold.open = isPaper;
  drawAnew(isPaper ? paperWidth : windowWidth);
  for (const id of ["papers-table", "unresolved-table"]) parts.get(id)(leftNow, { isWhole: isPaper });
};
window.addEventListener("beforeprint", () => {
  foldedOnScreen = [...document.querySelectorAll(".fold:not([open])")];
  turnTo(true);
});
window.addEventListener("afterprint", () => turnTo(false));

document.querySelector("header").append(make("p", { id: "choice-words", class: "as-of" }));
document.querySelector("main").prepend(make("p", { id: "nothing", class: "empty", role: "status" }));
document.body.classList.toggle("uncounted", !COUNTED);
for (const link of document.querySelectorAll("#first a")) link.textContent = withoutTex(link.textContent);
offerAll();
readChoice();
unfoldChosen(choice);
show().then(() => goToPlace({ behavior: "instant" }) ?? goToRow());
