// What the last refresh changed: a sentence, a list by kind, and what of it belongs to the choice.

const changed = facts.changes;
const CHANGE_KINDS = ["added", "removed", "published", "retracted", "withdrawn", "jumped", "missing"];
const [ADDED, REMOVED, , , , JUMPED, MISSING] = CHANGE_KINDS.keys();
const CHANGE_WORDS = [
  (count) => `${counted(count, "entry", "entries")} added`, (count) => `${counted(count, "entry", "entries")} removed`,
  (count) => `${counted(count, "preprint")} published`, (count) => `${counted(count, "paper")} retracted`,
  (count) => `${counted(count, "paper")} withdrawn`, (count) => `${counted(count, "paper")} cited much more than before`,
  (count) => `${counted(count, "work")} newly among the likeliest that are missing`,
];
const CHANGE_HEADS = ["Added", "Removed", "Published", "Retracted", "Withdrawn", "Cited much more", "Missing"];
const changedSections = changed.section.values.map(sectionKey);
const newLists = new Set(changed.new_lists);

const andList = (words) => (words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`);

const isInYears = (year) => (choice.from === "" && choice.to === "") || (year !== null
  && (choice.from === "" || year >= Number(choice.from)) && (choice.to === "" || year <= Number(choice.to)));

const isPaperChosen = (paper) => isInYears(papers.year[paper])
  && (choice.category === "" || papers.category.values[papers.category.codes[paper]] === choice.category);

// A work outside the lists has no section and no category: where one is chosen, nothing is said of it.
const isMissingFrom = (list) => (choice.list === "" ? list === NOT_TOLD : list === listNumber.get(choice.list));
const isMissingChosen = (list, year) => isMissingFrom(list)
  && choice.section === "" && choice.category === "" && isInYears(year);

const isChangeChosen = (row, named) => {
  const [kind, paper, list] = [changed.kind[row], changed.paper[row], changed.list[row]];
  if (kind === MISSING) return isMissingChosen(list, changed.year[row]);
  if (kind !== ADDED && kind !== REMOVED) return named.has(paper);
  if (choice.list !== "" && list !== listNumber.get(choice.list)) return false;
  if (choice.section !== "" && !isWithin(changedSections[changed.section.codes[row]], choice.section)) return false;
  return paper === NOT_TOLD ? choice.category === "" && isInYears(changed.year[row]) : isPaperChosen(paper);
};

const changesAmong = (left) => {
  const named = new Set(left.papers);
  return changed.kind.map((_, row) => row).filter((row) => isChangeChosen(row, named));
};

const changeTitle = (row) => (changed.paper[row] === NOT_TOLD ? withoutTex(changed.text[row]) : titleOf(changed.paper[row]));

const changeDetail = (row) => {
  if (changed.kind[row] === JUMPED) return `+${number.format(changed.counts[row][0])}, now ${number.format(changed.counts[row][1])}`;
  if (changed.words[row]) return changed.words[row];
  return changed.list[row] === NOT_TOLD ? "" : apartFromLine(listLabels[changed.list[row]]);
};

const changesSentence = (rows) => {
  const days = changed.until - changed.since;
  const span = days < 1 ? `the refresh before the last, on the same day (${dayText(changed.since)})` : `${dayText(changed.since)}, ${counted(days, "day")} before the last refresh`;
  const what = isEverything() ? "Nothing" : "Nothing that is chosen";
  if (!rows.length) return `${what} has changed since ${span}.`;
  const fresh = rows.filter((row) => changed.kind[row] === ADDED && newLists.has(changed.list[row]));
  const readFirst = new Set(fresh.map((row) => changed.list[row])).size;
  const parts_ = CHANGE_WORDS.map((words, kind) => [words, rows.filter((row) => changed.kind[row] === kind).length, kind])
    .filter(([, count]) => count)
    .map(([words, count, kind]) => words(count) + (kind === ADDED && fresh.length ? ` (${fresh.length === count ? "all" : number.format(fresh.length)} in ${counted(readFirst, "list")} read for the first time)` : ""));
  return `${isEverything() ? "Since" : "Of what is chosen, since"} ${span}: ${andList(parts_)}.`;
};

const MOST_CHANGES = 6;

const changeItems = (rows, kind) => {
  const own = rows.filter((row) => changed.kind[row] === kind && !(kind === ADDED && newLists.has(changed.list[row])));
  const items = own.slice(0, MOST_CHANGES).map((row) => make("li", {},
    changed.paper[row] === NOT_TOLD ? make("span", { class: "paper-title", dir: "auto" }, changeTitle(row)) : paperTitle(changed.paper[row]),
    " ", make("span", { class: "by" }, changeDetail(row))));
  if (kind === ADDED) for (const list of newLists) {
    const count = rows.filter((row) => changed.kind[row] === ADDED && changed.list[row] === list).length;
    if (count) items.unshift(make("li", {}, make("bdi", { class: "paper-title" }, listLabels[list]), " ", make("span", { class: "by" }, `read for the first time: ${counted(count, "entry", "entries")}`)));
  }
  const more = own.length - MOST_CHANGES;
  return more > 0 ? [...items, make("li", { class: "by" }, `and ${number.format(more)} more, in Numbers below`)] : items;
};

const drawChanges = (left) => {
  const says = document.getElementById("changes-says");
  document.getElementById("changes-numbers").hidden = changed.since === null;
  sectionAround("changes").hidden = changed.since === null && lists.id.length > 0; // the first findings say what there is
  if (changed.since === null) {
    says.textContent = !lists.id.length ? "No list has been read yet: the first `paperlake refresh` reads some." : "The lists were read once so far: from the next refresh on, this tells what changed since the one before.";
    return fill("changes");
  }
  const rows = changesAmong(left);
  says.textContent = changesSentence(rows);
  fill("changes", ...CHANGE_HEADS.map((head, kind) => [head, changeItems(rows, kind)]).filter(([, items]) => items.length)
    .map(([head, items]) => make("div", {}, make("h3", {}, head), make("ul", {}, ...items))));
  return drawNumbers("changes", {
    head: ["What", "Kind", "List", "More"],
    body: rows.map((row) => [changeTitle(row), CHANGE_HEADS[changed.kind[row]].toLowerCase(), changed.list[row] === NOT_TOLD ? "" : listLabels[changed.list[row]], changed.list[row] === NOT_TOLD ? changeDetail(row) : ""]),
  });
};
