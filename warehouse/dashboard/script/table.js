// The table of papers, searched, sorted and paged; what it shows as CSV and BibTeX; and the mentions without a paper.

const PAGE = 25;
const collator = new Intl.Collator("en", { sensitivity: "base", numeric: true });

const COLUMNS = [
  { name: "title", head: "Paper", first: 1, key: (paper) => papers.title[paper] },
  { name: "year", head: "Year", first: -1, numeric: true, key: (paper) => papers.year[paper] },
  { name: "venue", head: "Venue", first: 1, key: venueText },
  { name: "lists", head: "In lists", first: -1, key: (paper) => placesOf[paper].length },
  { name: "citations", head: "Citations", first: -1, numeric: true, key: (paper) => papers.citations[paper] },
  { name: "rank", head: "Rank", first: -1, numeric: true, key: (paper) => rankChanges().get(paper) ?? null },
  { name: "rising", head: "Per week", first: -1, numeric: true, key: (paper) => papers.rising[paper] },
];

const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
const hay = [];
const hayOf = (paper) => (hay[paper] ??= plain([
  papers.title[paper], titleOf(paper), papers.authors[paper], venueText(paper), venueName(paper), papers.arxiv[paper], papers.doi[paper], papers.year[paper], categoryName(paper),
].join("\n")));

// Beside words a search may name an author or a venue in full, as the bars of their panels do: author:"Ada Heap".
const NAMED = /\b(author|venue):"([^"]*)"/g;
const isNamed = (paper, field, name) => (field === "venue" ? venueName(paper) === name : papers.authors[paper].split("; ").includes(name));

const searched = (shown) => {
  const names = [...choice.q.matchAll(NAMED)];
  const words = plain(choice.q.replace(NAMED, " ")).split(/\s+/).filter(Boolean);
  return names.length || words.length
    ? shown.filter((paper) => names.every(([, field, name]) => isNamed(paper, field, name)) && words.every((word) => hayOf(paper).includes(word)))
    : shown;
};

// A bar leads to its own papers in the table, and to no others.
const searchFor = (field, name) => {
  const text = name.includes('"') ? name : `${field}:"${name}"`;
  const isAgain = choice.q === text;
  control("q").value = isAgain ? "" : text;
  choose({ q: isAgain ? "" : text }).then(() => isAgain || showPlace("papers"));
};

const sorting = () => {
  const wanted = choice.sort.replace(/^-/, "");
  return { column: COLUMNS.find(({ name }) => name === wanted), direction: choice.sort.startsWith("-") ? -1 : 1 };
};

// What is not told stands last, whichever way the rest is sorted.
const sorted = (shown) => {
  const { column, direction } = sorting();
  const keys = new Map(shown.map((paper) => [paper, column.key(paper)]));
  const told = shown.filter((paper) => keys.get(paper) !== null);
  const untold = shown.filter((paper) => keys.get(paper) === null);
  const compare = typeof keys.get(told[0]) === "string" ? collator.compare : (a, b) => a - b;
  return [...told.sort((a, b) => direction * compare(keys.get(a), keys.get(b)) || a - b), ...untold];
};

let shownPapers = [];

const drawHead = () => {
  const { column: by, direction } = sorting();
  document.querySelector("#papers-table thead tr").replaceChildren(...COLUMNS.map((column) => {
    const next = by === column ? -direction : column.first;
    const sort = by === column ? (direction === 1 ? "ascending" : "descending") : null;
    const press = () => {
      choose({ sort: `${next === -1 ? "-" : ""}${column.name}` });
      document.querySelector(`#papers-table th[data-column=${column.name}] button`).focus();
    };
    return make("th", { scope: "col", role: "columnheader", "aria-sort": sort, class: column.numeric ? "number" : null, "data-column": column.name },
      make("button", { type: "button", onclick: press }, column.head));
  }));
};

const MOST_PLACES = 4;

const placeLines = (paper) => {
  const all = placesOf[paper];
  const lines = all.slice(0, MOST_PLACES).map((place) => lineLink(places.list[place], places.line[place]));
  const more = all.length > MOST_PLACES ? [make("span", {}, `and ${counted(all.length - MOST_PLACES, "more place")}`)] : [];
  return make("div", { class: "places" }, ...lines, ...more);
};

const knownCell = (value, show) => numberCell(value === null ? make("span", { class: "none" }, make("span", { "aria-hidden": "true" }, "–"), make("span", { class: "unseen" }, "not told")) : show(value));

const publishedAs = (paper) => {
  const versions = valueAt(papers.published_as, paper);
  return versions && make("div", {}, make("bdi", {}, `published: ${versions}`));
};

const paperRow = (paper) => tableRow(COLUMNS.map(({ head }) => head),
  make("td", {},
    make("div", { class: "opened-by" }, opener(paper), paperTitle(paper)),
    ...[[withdrawn, " withdrawn"], [retracted, " retracted"]].map(([gone, words]) => (gone.has(paper) ? make("span", { class: "withdrawn" }, words) : null)),
    make("div", { class: "by", dir: "auto" }, authorsText(paper)),
    paperLinks(paper)),
  knownCell(papers.year[paper], String),
  make("td", { class: "by" }, venueText(paper) ?? "", make("div", {}, categoryName(paper)), publishedAs(paper)),
  make("td", {}, placeLines(paper)),
  knownCell(papers.citations[paper], (count) => number.format(count)),
  knownCell(rankChanges().get(paper) ?? null, (places_) => (places_ === 0 ? "same" : `${places_ > 0 ? "▲" : "▼"} ${number.format(Math.abs(places_))}`)),
  knownCell(papers.rising[paper], (pace) => [signed(pace), make("div", { class: "none" }, `over ${counted(papers.risen_days[paper], "day")}`), laterSpark(paper)]));

// The buttons of a table's pages; the pages of no row are one.
const pagesOf = (rows) => Math.max(1, Math.ceil(rows.length / PAGE));
const pageOf = (rows, page) => rows.slice((page - 1) * PAGE, page * PAGE);
const pager = (id, page, pages, go) => {
  if (pages < 2) return fill(id);
  const button = (text, to, enabled) => make("button", { type: "button", disabled: !enabled, onclick: () => go(to) }, text);
  return fill(id, button("Previous", page - 1, page > 1), make("span", {}, `Page ${number.format(page)} of ${number.format(pages)}`), button("Next", page + 1, page < pages));
};

// The page that is chosen; where a row is open by its address, the page with that row.
let openedBefore = "";
const pageShown = (pages) => {
  const opened = choice.open === "" || choice.open === openedBefore ? -1 : shownPapers.indexOf(paperNumber.get(choice.open));
  openedBefore = choice.open;
  if (opened >= 0) choice.page = String(1 + Math.floor(opened / PAGE));
  return Math.min(pages, Math.max(1, Number(choice.page)));
};

addPart("papers-table", (left, { isWhole = false } = {}) => {
  shownPapers = sorted(searched(left.papers));
  const pages = pagesOf(shownPapers);
  const page = pageShown(pages);
  drawHead();
  const rows = (isWhole ? shownPapers : pageOf(shownPapers, page)).flatMap((paper) => [paperRow(paper), ...(papers.id[paper] === choice.open ? [openRow(paper)] : [])]);
  const none = make("tr", { role: "row" }, make("td", { role: "cell", colspan: String(COLUMNS.length) }, emptyState(choice.q ? `Nothing here matches “${choice.q}”.` : PAPERS ? "No paper here; choose less, or show all." : "No paper yet: the next refresh with a network looks for every mention below.")));
  document.querySelector("#papers-table tbody").replaceChildren(...(rows.length ? rows : [none]));
  say("papers-says", `${counted(shownPapers.length, "paper")}${choice.q ? ` matching “${choice.q}”` : ""}.`);
  pager("papers-pages", page, pages, (to) => {
    choose({ page: String(to) });
    document.getElementById("papers").scrollIntoView();
  });
  say("rank-says", rankWords());
  for (const id of ["csv", "bibtex"]) document.getElementById(id).disabled = !shownPapers.length;
});

let unresolvedPage = 1;

const drawUnresolved = (left, { isWhole = false } = {}) => {
  const panel = document.getElementById("unresolved");
  const rows = left.unresolved;
  const pages = pagesOf(rows);
  unresolvedPage = Math.min(unresolvedPage, pages);
  const kinds = STATUSES.map((status) => [status, rows.filter((row) => statusOf(row) === status).length]).filter(([, count]) => count);
  say("unresolved-says", (rows.length
    ? `${counted(rows.length, "mention")}: ${kinds.map(([status, count]) => `${number.format(count)} ${STATUS_NAMES[status]}`).join(", ")}. The next refresh asks again for those that could not be asked; paperlake review settles the others.`
    : "None here.") + leftOutText(left));
  document.getElementById("unresolved-scroll").hidden = !rows.length;
  panel.querySelector("tbody").replaceChildren(...(isWhole ? rows : pageOf(rows, unresolvedPage)).map((row) => tableRow(["Status", "Mention", "Where", "Why", "Best candidate"],
    make("td", {}, STATUS_NAMES[statusOf(row)]),
    make("td", { dir: "auto" }, withoutTex(unresolved.mention[row])),
    make("td", { class: "by" }, lineLink(unresolved.list[row], unresolved.line[row])),
    make("td", { class: "by" }, valueAt(unresolved.reason, row) ?? ""),
    make("td", { class: "by" }, candidateText(row) ? make("div", { dir: "auto" }, candidateText(row)) : null,
      ...(statusOf(row) === "failed" ? [] : [make("code", { class: "line", dir: "ltr" }, reviewLine(row)), copyButton("the command", () => reviewLine(row))])))));
  pager("unresolved-pages", unresolvedPage, pages, (to) => {
    unresolvedPage = to;
    const place = focusPlace();
    drawUnresolved(left);
    restoreFocus(place);
    panel.scrollIntoView();
  });
};

addPart("unresolved-table", drawUnresolved);

// The columns of the CSV: those of the page, and what is made of them.
const CSV_COLUMNS = {
  paper_id: papers.id, title: papers.title, authors: papers.authors, year: papers.year, venue: venueText, primary_category: (paper) => valueAt(papers.category, paper),
  arxiv_id: papers.arxiv, doi: papers.doi, s2_paper_id: papers.s2, citation_count: papers.citations, gained_per_week: papers.rising, gained_over_days: papers.risen_days,
  lists: (paper) => listsOf(paper).map((list) => listLabels[list]).join("; "),
};
const csvRow = (paper) => Object.values(CSV_COLUMNS).map((column) => (typeof column === "function" ? column(paper) : column[paper]));

// The rows as the table shows them, for a picture of it.
const tableNumbers = () => ({
  head: COLUMNS.map(({ head }) => head),
  body: shownPapers.map((paper) => [
    titleOf(paper), papers.year[paper], venueText(paper) ?? "", placesOf[paper].length, papers.citations[paper], rankChanges().get(paper) ?? null, papers.rising[paper],
  ].map((value) => (value === null ? "–" : typeof value === "number" && value !== papers.year[paper] ? decimal.format(value) : String(value)))),
});

const onPress = (id, act) => document.getElementById(id).addEventListener("click", act);
onPress("csv", () => downloadCsv([Object.keys(CSV_COLUMNS), ...shownPapers.map(csvRow)], "papers.csv"));
onPress("bibtex", async () => download((await entriesOf(shownPapers)).join("\n"), "papers.bib", "application/x-bibtex;charset=utf-8"));
onPress("svg", () => {
  numbersOf.set("papers", tableNumbers());
  saveDrawing("papers");
});
