// What the last refresh changed: a sentence, a list by kind, and what of it belongs to the choice.

const changed = facts.changes;
// Each kind of change, in the order of the page's facts: its head, of what it is, and what came to pass.
const CHANGES = [
  ["Added", ["entry", "entries"], "added"], ["Removed", ["entry", "entries"], "removed"], ["Published", ["preprint"], "published"],
  ["Retracted", ["paper"], "retracted"], ["Withdrawn", ["paper"], "withdrawn"], ["Cited much more", ["paper"], "cited much more than before"],
  ["Missing", ["work"], "newly among the likeliest that are missing"],
];
const [ADDED, REMOVED, , , , JUMPED, MISSING] = CHANGES.keys();
const changedSections = changed.section.values.map(sectionKey);
const newLists = new Set(changed.new_lists);

const isChangeChosen = (row, named) => {
  const [kind, paper, list] = [changed.kind[row], changed.paper[row], changed.list[row]];
  if (kind === MISSING) return isMissingChosen(list, changed.year[row]);
  if (kind !== ADDED && kind !== REMOVED) return named.has(paper);
  return isEntryChosen({ list, section: changedSections[changed.section.codes[row]], paper, year: changed.year[row] });
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
  const parts_ = CHANGES.map(([, names, words], kind) => {
    const count = rows.filter((row) => changed.kind[row] === kind).length;
    const readNew = kind === ADDED && fresh.length ? ` (${fresh.length === count ? "all" : number.format(fresh.length)} in ${counted(readFirst, "list")} read for the first time)` : "";
    return count && `${counted(count, ...names)} ${words}${readNew}`;
  }).filter(Boolean);
  return `${isEverything() ? "Since" : "Of what is chosen, since"} ${span}: ${andList(parts_)}.`;
};

const MOST_CHANGES = 6;

const changeItems = (rows, kind) => {
  const own = rows.filter((row) => changed.kind[row] === kind && !(kind === ADDED && newLists.has(changed.list[row])));
  const items = firstItems(own, MOST_CHANGES, (row) => make("li", {},
    changed.paper[row] === NOT_TOLD ? make("span", { class: "paper-title", dir: "auto" }, changeTitle(row)) : paperTitle(changed.paper[row]),
    " ", make("span", { class: "by" }, changeDetail(row))));
  if (kind === ADDED) for (const list of newLists) {
    const count = rows.filter((row) => changed.kind[row] === ADDED && changed.list[row] === list).length;
    if (count) items.unshift(make("li", {}, make("bdi", { class: "paper-title" }, listLabels[list]), " ", make("span", { class: "by" }, `read for the first time: ${counted(count, "entry", "entries")}`)));
  }
  return items;
};

addPart("changes", (left) => {
  sectionAround("changes").hidden = changed.since === null && lists.id.length > 0; // the first findings say what there is
  if (changed.since === null) {
    say("changes-says", !lists.id.length ? "No list has been read yet: the first `paperlake refresh` reads some." : "The lists were read once so far: from the next refresh on, this tells what changed since the one before.");
    drawNumbers("changes", null);
    return fill("changes");
  }
  const named = new Set(left.papers);
  const rows = [...changed.kind.keys()].filter((row) => isChangeChosen(row, named));
  say("changes-says", changesSentence(rows));
  fill("changes", ...CHANGES.map(([head], kind) => [head, changeItems(rows, kind)]).filter(([, items]) => items.length)
    .map(([head, items]) => make("div", {}, make("h3", {}, head), make("ul", {}, ...items))));
  return drawNumbers("changes", {
    head: ["What", "Kind", "List", "More"],
    body: rows.map((row) => [changeTitle(row), CHANGES[changed.kind[row]][0].toLowerCase(), changed.list[row] === NOT_TOLD ? "" : listLabels[changed.list[row]], changed.list[row] === NOT_TOLD ? changeDetail(row) : ""]),
  });
});
