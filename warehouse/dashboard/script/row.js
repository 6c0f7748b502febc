// A row of the table opens in place: abstract, every mention, history, who cites whom, and the paper to copy.

NOTHING.open = "";

let abstractsUnpacked = null;

const paperAddress = (paper) => {
  if (papers.arxiv[paper] !== null) return arxivAddress(papers.arxiv[paper]);
  if (papers.doi[paper] !== null) return doiAddress(papers.doi[paper]);
  return papers.s2[paper] === null ? null : s2Address(papers.s2[paper]);
};

const paperLine = (paper) => {
  const address = paperAddress(paper);
  if (address !== null) return markdownLine({ title: papers.title[paper], address, authors: namesIn(papers.authors[paper]), year: papers.year[paper] });
  return `- ${inMarkdown(papers.title[paper])}${papers.year[paper] ? ` (${papers.year[paper]})` : ""}`;
};

const permalink = (paper) => `${location.href.split("#")[0]}#${new URLSearchParams({ open: papers.id[paper] })}`;

// Citations gained since the count before the last 90 days: what of the rank they changed.
const RANK_DAYS = 90;
const stepThen = history.days.findIndex((day) => history.days[STEPS - 1] - day <= RANK_DAYS);
const rankStart = stepThen < STEPS - 1 ? stepThen : -1; // where there is no such step, either
let rankChanges = () => {
  const both = rankStart < 0 ? [] : [...papers.id.keys()].filter((paper) => firstStep[paper] <= rankStart);
  const ranksIn = (step) => {
    const of = (paper) => counts[paper * STEPS + step] - recounted[paper * STEPS + step];
    const rank = new Map();
    [...both].sort((a, b) => of(b) - of(a)).forEach((paper, at, all) => rank.set(paper, at && of(paper) === of(all[at - 1]) ? rank.get(all[at - 1]) : at));
    return rank;
  };
  const [before, after] = [ranksIn(rankStart), ranksIn(STEPS - 1)];
  const found = new Map(both.map((paper) => [paper, before.get(paper) - after.get(paper)]));
  rankChanges = () => found;
  return found;
};

// What the column of ranks compares, and over which days.
const rankWords = () => (rankStart < 0 ? ""
  : `Rank: places won (▲) or lost (▼) by citations between ${dayText(history.days[rankStart])} and ${dayText(history.days[STEPS - 1])}, recounts left out, among the ${counted(rankChanges().size, "paper")} of this page that were counted by then, whatever is chosen.`);

// A row's gains are drawn when it comes into view: few of a table's rows are.
const sparkOf = new WeakMap();
const sparksSeen = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) if (isIntersecting) {
    sparksSeen.unobserve(target);
    target.replaceChildren(spark(gainsOf(sparkOf.get(target))));
  }
}, { rootMargin: "200px 0px" });
const laterSpark = (paper) => {
  const place = make("div", { class: "spark-place" });
  sparkOf.set(place, paper);
  sparksSeen.observe(place);
  return place;
};

const titleList = (words, all) => (all.length ? folded(`${words}: ${number.format(all.length)}`, {},
  make("ul", {}, ...all.map((paper) => make("li", {}, make("button", { type: "button", class: "link", onclick: () => choose({ open: papers.id[paper], ...NO_FILTERS }) }, titleOf(paper)))))) : null);
const NO_FILTERS = { list: "", section: "", category: "", from: "", to: "", q: "" };

const historyList = (paper) => {
  if (firstStep[paper] === STEPS) return make("p", { class: "by" }, "Its citations have not been counted.");
  const known = history.days.map((day, step) => [day, step]).filter(([, step]) => step >= firstStep[paper] && wasCounted[paper * STEPS + step]);
  const [[firstDay, first], [lastDay, last]] = [known[0], known.at(-1)];
  const says = known.length === 1 ? `Counted once, on ${dayText(firstDay)}: ${counted(counts[paper * STEPS + first], "citation")}.`
    : `${number.format(counts[paper * STEPS + first])} citations on ${dayText(firstDay)}, ${number.format(counts[paper * STEPS + last])} on ${dayText(lastDay)}, counted ${number.format(known.length)} times.${recountsOf.has(paper) ? " The source recounted it in between." : ""}`;
  const byYear = citedRow.has(paper) ? `By year: ${cited.years[citedRow.get(paper)].map((year, at) => `${year} ${number.format(cited.counts[citedRow.get(paper)][at])}`).join(", ")} (OpenAlex).` : null;
  return make("div", {}, make("p", {}, says, " ", make("button", { type: "button", class: "link", onclick: () => showPaper(paper) }, "Show its citations over time")), spark(gainsOf(paper)), byYear && make("p", { class: "by" }, byYear));
};

const abstractText = (paper) => {
  const text = make("p", { class: "abstract", dir: "auto" });
  abstractsUnpacked ??= unpacked("abstracts"); // needed by few, so only when asked for
  abstractsUnpacked.then(({ size, texts }) => {
    const words = texts[paper] ?? null;
    if (!size) text.textContent = "Abstracts are left out of this page: they would make it too large, or may not be given to others.";
    else text.textContent = words === null ? "No abstract is known." : withoutTex(words);
    if (words?.endsWith("…")) text.append(make("span", { class: "by" }, ` (cut at ${number.format(size)} characters to keep the page small)`));
  });
  return text;
};

const openRow = (paper) => make("tr", { role: "row", class: "opened", id: "opened" }, make("td", { role: "cell", colspan: String(COLUMNS.length) },
  abstractText(paper),
  make("h3", {}, `Mentions: ${number.format(placesOf[paper].length)}`),
  make("ul", {}, ...placesOf[paper].map((place) => make("li", {}, lineLink(places.list[place], places.line[place]), " ", make("span", { class: "by" }, `${sectionLabel(placeSections[places.section.codes[place]])}, since ${dayText(placeSince(place))}`)))),
  make("h3", {}, "History"), historyList(paper),
  titleList("Cites here", citesHere.get(paper) ?? []), titleList("Cited here by", citedByHere.get(paper) ?? []),
  make("p", { class: "buttons" }, copyButton("BibTeX", async () => (await entriesOf([paper]))[0]), " ", copyButton("Markdown", async () => paperLine(paper)), " ", make("a", { href: permalink(paper) }, "Permalink", make("span", { class: "unseen" }, ` of ${titleOf(paper)}`)))));

const opener = (paper) => make("button", {
  type: "button", class: "opener", "aria-expanded": String(choice.open === papers.id[paper]),
  onclick: () => choose({ open: choice.open === papers.id[paper] ? "" : papers.id[paper] }),
}, make("span", { "aria-hidden": "true" }, choice.open === papers.id[paper] ? "▾" : "▸"), make("span", { class: "unseen" }, `Details of ${titleOf(paper)}`));
