// What the lists lack: works that many of their papers cite, or that cite many of them, with the line to paste.

const missing = facts.missing;
const MOST_MISSING = 5;
const WELL_KNOWN = 10000; // citations from which a work is known well enough to be left out on purpose
const MOST_KNOWN = 3;

// A work outside the lists has no section and no category: where one is chosen, nothing is said of it.
const isMissingFrom = (list) => list === (listChosen() ?? NOT_TOLD);
const isMissingChosen = (list, year) => isMissingFrom(list) && choice.section === "" && choice.category === "" && isInYears(year);
const missingRows = () => [...missing.list.keys()].filter((row) => isMissingChosen(missing.list[row], missing.year[row]));

const missingAddress = (row) => {
  if (missing.arxiv_id[row] !== null) return arxivAddress(missing.arxiv_id[row]);
  if (missing.doi[row] !== null) return doiAddress(missing.doi[row]);
  return `https://openalex.org/${encodeURIComponent(missing.openalex_id[row])}`;
};

const inMarkdown = (text) => text.replace(/\s+/g, " ").replace(/[\\`*_[\]<>]/g, "\\$&");

const markdownLine = ({ title, address, authors, year }) => {
  const who = authors.length > 2 ? `${authors[0]} et al.` : authors.join(" and ");
  const more = [who, year].filter(Boolean).join(", ");
  return `- [${inMarkdown(title)}](${address.replaceAll("(", "%28").replaceAll(")", "%29")})${more ? ` (${inMarkdown(more)})` : ""}`;
};

// In the list's own form where the page was written beside the list's file, else in plain Markdown.
const missingLine = (row) => missing.line[row] ?? markdownLine({
  title: missing.title[row], address: missingAddress(row), authors: namesIn(missing.authors[row]), year: missing.year[row],
});

// Text that is there to be taken: a press copies it, and where the browser does not allow that, it is selected.
const copyButton = (what, textOf) => {
  const button = make("button", { type: "button", class: "copy" }, `Copy ${what}`);
  button.addEventListener("click", async () => {
    const text = await textOf();
    const done = await (navigator.clipboard?.writeText(text) ?? Promise.reject(new Error("no clipboard"))).then(() => true, () => false);
    button.nextElementSibling?.classList.contains("to-copy") && button.nextElementSibling.remove();
    if (!done) {
      const field = make("textarea", { class: "to-copy", readonly: true, rows: "3", "aria-label": what }, text);
      button.after(field);
      field.select();
    }
    document.getElementById("copied").textContent = done ? `Copied ${what}.` : `Press Ctrl+C to copy ${what}.`;
  });
  return button;
};

// What it rests on: where little was asked for, little can be found missing.
const basisText = () => {
  const { papers: all, with_references: citing, with_citing_works: cited_, works_not_known: unknown } = missing.basis;
  return ` This rests on the references of ${number.format(citing)} of ${counted(all, "paper")} of all lists${cited_ ? `, and on the works that cite ${number.format(cited_)} of them` : "; which works cite them is not known"}.${unknown ? ` Not looked up yet: ${counted(unknown, "work")} that may be missing.` : ""}`;
};

const namedPapers = (words, all, total, of = "") => (total ? make("div", { class: "by" }, `${words} ${number.format(total)}${of}:`,
  make("ul", {}, ...all.slice(0, 3).map((paper) => make("li", {}, paperTitle(paper))), total > 3 ? make("li", {}, `and ${number.format(total - 3)} more`) : "")) : null);

// Of all lists together: in which one most of the papers stand that it is linked to.
const missingHome = (row) => (missing.home[row] === NOT_TOLD || lists.id.length < 2 ? "" : `, ${number.format(missing.home_links[row])} in ${apartFromLine(listLabels[missing.home[row]])}`);

const missingItem = (row) => make("li", {},
  make("a", { href: missingAddress(row), class: "paper-title", dir: "auto" }, withoutTex(missing.title[row])),
  make("div", { class: "by", dir: "auto" }, [missing.authors[row].replaceAll("; ", ", "), missing.year[row], missing.venue[row], missing.citation_count[row] === null ? null : `${counted(missing.citation_count[row], "citation")} in all`, `linked at least ${decimal.format(missing.score[row])} times as often as works of like fame`].filter(Boolean).join(" · ")),
  namedPapers("cited here by", missing.citing[row], missing.cited_by_listed[row], ` of ${counted(missing.with_references[row], "paper")} with known references (${percent(missing.cited_by_listed[row], missing.with_references[row]).replace(" %", "\u00a0%")})${missingHome(row)}`),
  namedPapers("cites here", missing.cited[row], missing.cites_listed[row], missing.cited_by_listed[row] ? "" : missingHome(row)),
  make("code", { class: "line", dir: "ltr" }, missingLine(row)), " ", copyButton("the line", () => missingLine(row)));

const MOST_COUNTED = 500; // works that the view `missing_papers` has of a list

// How many are shown, of how many: the page carries the likeliest alone.
const missingExtent = (rows, of, all) => {
  const shown = number.format(Math.min(MOST_MISSING, rows.length));
  if (rows.length < of.length) return ` ${number.format(rows.length)} of the ${number.format(of.length)} likeliest of ${all} came out in the years chosen${rows.length > MOST_MISSING ? `, ${shown} of them are shown` : ""}.`;
  return String(shown) === all ? "" : ` ${shown} of ${all} are shown${rows.length > MOST_MISSING ? `, ${number.format(rows.length)} in Numbers below` : ""}.`;
};

addPart("missing", () => {
  const rows = missingRows();
  say("missing-says", "");
  if (!rows.length) drawNumbers("missing", null);
  if (!missing.basis.with_references && !missing.basis.with_citing_works) {
    return fill("missing", emptyState("Who cites whom is not known of any paper yet, so nothing can be said to be missing: OpenAlex tells it with the next ", code("paperlake refresh"), " that may use the network."));
  }
  if (!missing.title.length) return fill("missing", emptyState(`No work is known that three papers of a list cite, or that cites three of them, far more than the world does.${basisText()}`));
  const of = [...missing.list.keys()].filter((row) => isMissingFrom(missing.list[row]));
  const all = of.length ? `${missing.works[of[0]] < MOST_COUNTED ? "" : "at least "}${number.format(missing.works[of[0]])}` : "";
  if (!rows.length) {
    const isUnknown = choice.section !== "" || choice.category !== "";
    const none = of.length ? `None of the ${number.format(of.length)} likeliest of ${all} works missing from ${choice.list === "" ? "the lists" : "this list"} came out in the years chosen; paperlake missing names all.` : "Nothing is known to be missing from what is chosen.";
    const why = isUnknown ? "What is missing is known by list and year, not by section or category." : `${none}${basisText()}`;
    return fill("missing", emptyState(why));
  }
  const list = listChosen();
  say("missing-says", `Works that ${list === null ? "the lists do" : `${apartFromLine(listLabels[list])} does`} not name although at least three of ${list === null ? "their" : "its"} papers cite them, or are cited by them, far more than the world does; first those that most papers are linked to, by OpenAlex.${missingExtent(rows, of, all)}${basisText()} ${rows.every((row) => missing.line[row] !== null) ? "The lines to paste are in the list's own style." : "paperlake missing writes the lines in a list's own style."}`);
  drawNumbers("missing", {
    head: ["Title", "Authors", "Year", "Venue", "Citations in all", "Cited by here", "Cites here", "Times as often, at least", "Most in", "Missing since", "Line to paste"],
    body: rows.map((row) => [withoutTex(missing.title[row]), missing.authors[row], String(missing.year[row] ?? "–"), missing.venue[row] ?? "", number.format(missing.citation_count[row] ?? 0), number.format(missing.cited_by_listed[row]), number.format(missing.cites_listed[row]), decimal.format(missing.score[row]), missing.home[row] === NOT_TOLD ? "" : listLabels[missing.home[row]], missing.since[row] === null ? "–" : dayText(missing.since[row]), missingLine(row)]),
  });
  const isKnown_ = (row) => missing.citation_count[row] >= WELL_KNOWN;
  const [known, others] = [rows.filter(isKnown_).slice(0, MOST_KNOWN), rows.filter((row) => !isKnown_(row)).slice(0, MOST_MISSING)];
  const items = (some) => make("ol", { class: "missing" }, ...some.map(missingItem));
  return fill("missing", items(others), ...(known.length ? [make("h3", {}, `Well known: ${number.format(WELL_KNOWN)} citations or more`), items(known)] : []));
});
