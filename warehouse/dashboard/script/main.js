// Puts it together: controls, address, and drawing again whatever the choice is.

const filters = document.getElementById("filters");
const control = (name) => filters.elements[name];

const offer = (name, options) => control(name).replaceChildren(...options.map(([value, text]) => make("option", { value }, text)));

const offerSections = () => {
  const indent = (path) => "\u2003".repeat(path.split(" / ").length - 1) + path.split(" / ").at(-1);
  offer("section", [["", "all sections"], ...sectionChoices(choice.list).filter(Boolean).map((path) => [path, indent(path)])]);
};

const offerAll = () => {
  offer("list", [["", "all lists"], ...lists.id.map((id, list) => [id, lists.title[list]])]);
  const sizes = new Map();
  for (const category of papers.category.codes) sizes.set(category, (sizes.get(category) ?? 0) + 1);
  const categories = papers.category.values.map((name, category) => [name, sizes.get(category)]).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  offer("category", [["", "all categories"], ...categories.map(([name, size]) => [name, `${name} (${number.format(size)})`])]);
  const all = YEARS ? Array.from({ length: YEARS[1] - YEARS[0] + 1 }, (_, more) => String(YEARS[0] + more)) : [];
  offer("from", [["", "any year"], ...all.map((year) => [year, year])]);
  offer("to", [["", "any year"], ...all.toReversed().map((year) => [year, year])]);
};

const showChoice = () => {
  offerSections();
  for (const name of ["list", "section", "category", "from", "to", "measure", "split", "topics"]) control(name).value = choice[name];
  if (control("q") !== document.activeElement) control("q").value = choice.q;
  document.getElementById("reset").disabled = Object.entries(choice).every(([name, value]) => value === NOTHING[name]);
};

const FILTERS = ["list", "section", "category", "from", "to", "q", "sort"];

const choose = (changes) => {
  const paged = FILTERS.some((name) => name in changes) && !("page" in changes);
  choice = { ...choice, ...(paged ? { page: "1" } : {}), ...changes };
  dropUnknown();
  writeChoice();
  return Object.keys(changes).every((name) => OF_THE_TABLE.includes(name)) ? showTable() : show();
};

const tellDrawn = () => {
  document.body.dataset.drawn = String(1 + Number(document.body.dataset.drawn ?? 0));
};

const OF_THE_TABLE = ["q", "sort", "page"];

const showTable = () => {
  showChoice();
  drawPapers(chosen());
  tellDrawn();
};

const show = () => {
  const left = chosen();
  showChoice();
  document.getElementById("shown").textContent = isEverything()
    ? `All ${counted(left.papers.length, "paper")}`
    : `${number.format(left.papers.length)} of ${counted(PAPERS, "paper")}`;
  drawGlance(left);
  drawRising(left);
  drawAgreed(left);
  drawChosenPaper();
  drawPapers(left);
  drawUnresolved(left);
  return Promise.all(Object.keys(TALLIES).map((name) => drawChart(name, left))).then(tellDrawn);
};

filters.addEventListener("change", ({ target }) => {
  if (target.name === "q") return;
  choose(target.name === "list" ? { list: target.value, section: "" } : { [target.name]: target.value });
});
for (const name of ["measure", "split", "topics"]) control(name).addEventListener("change", ({ target }) => choose({ [name]: target.value }));
let typing = 0;
control("q").addEventListener("input", ({ target }) => {
  clearTimeout(typing);
  typing = setTimeout(() => choose({ q: target.value }), 120);
});
filters.addEventListener("submit", (event) => event.preventDefault());
filters.addEventListener("reset", (event) => {
  event.preventDefault();
  control("q").value = "";
  choose({ ...NOTHING });
});
document.getElementById("csv").addEventListener("click", () => download(csvText(), "papers.csv", "text/csv;charset=utf-8"));
document.getElementById("bibtex").addEventListener("click", async () => {
  const entries = await unpacked("entries"); // needed by few, so only when asked for
  download(shownPapers.map((paper) => entries[paper]).join("\n"), "papers.bib", "application/x-bibtex;charset=utf-8");
});
// The link past the filters leads to a place of the page; the address keeps what is chosen.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  document.getElementById("papers").focus();
});
window.addEventListener("hashchange", () => {
  if (document.getElementById(location.hash.slice(1))) return writeChoice();
  readChoice();
  return show();
});

document.body.classList.toggle("uncounted", !COUNTED);
offerAll();
readChoice();
show();
