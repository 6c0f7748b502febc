// What the reader has chosen, kept in the address after `#`, so that it can be shared and restored.

const NOTHING = {
  list: "", section: "", category: "", from: "", to: "", q: "", sort: "-citations", page: "1", paper: "",
  split: "list", topics: "category",
};
let choice = { ...NOTHING };
let refusal = ""; // why the last choice was not taken

const readChoice = () => {
  const told = [...new URLSearchParams(location.hash.slice(1))].filter(([, value]) => value !== "");
  choice = { ...NOTHING, ...Object.fromEntries(told.filter(([name]) => Object.hasOwn(NOTHING, name))) };
  dropUnknown();
  const unknown = told.filter(([name, value]) => choice[name] !== value).map(([name, value]) => `${name} ${apartFromLine(`“${value}”`)}`);
  if (unknown.length && !refusal) refusal = `Not chosen, as this page does not have it: ${andList(unknown)}.`;
};

const REFERENCES = { list: listNumber, a: listNumber, b: listNumber, paper: paperNumber, open: paperNumber };
// An address may be old, or typed: what this page does not hold is not chosen, and named.
const dropUnknown = () => {
  for (const [name, known] of Object.entries(REFERENCES)) if (!known.has(choice[name])) choice[name] = "";
  if (choice.section !== "" && !sectionChoices(choice.list).includes(choice.section)) choice.section = "";
  if (!papers.category.values.includes(choice.category)) choice.category = "";
  if (!COLUMNS.some(({ name }) => name === choice.sort.replace(/^-/, ""))) choice.sort = NOTHING.sort;
  for (const end of ["from", "to"]) if (!/^\d{1,4}$/.test(choice[end])) choice[end] = "";
  if (isBackwards(choice)) {
    refusal = backwardsText(choice);
    Object.assign(choice, { from: "", to: "" });
  }
  if (!/^\d{1,6}$/.test(choice.page)) choice.page = "1";
  for (const name of ["split", "topics", "by"]) {
    const offered = [...document.querySelector(`select[name=${name}]`).options].map((option) => option.value);
    if (!offered.includes(choice[name])) choice[name] = NOTHING[name];
  }
};

const isBackwards = ({ from, to }) => from !== "" && to !== "" && Number(from) > Number(to);
const backwardsText = ({ from, to }) => `Not chosen: ${from} is later than ${to}, so no paper is published from ${from} to ${to}.`;

const choiceText = () => {
  const told = new URLSearchParams();
  for (const [name, value] of Object.entries(choice)) if (value !== NOTHING[name]) told.set(name, value);
  return told.toString();
};

// Each choice is a step that the browser's Back undoes; what is typed letter by letter is one step.
const writeChoice = ({ isStep = false } = {}) => {
  const hash = choiceText();
  if (hash === location.hash.slice(1)) return;
  const address = hash ? `#${hash}` : location.pathname + location.search;
  if (isStep) window.history.pushState(null, "", address);
  else window.history.replaceState(null, "", address);
};

// The choice in words, as a print of the page needs it.
const choiceWords = () => {
  const parts = [];
  if (choice.list) parts.push(`list ${apartFromLine(listLabels[listChosen()])}`);
  if (choice.section) parts.push(`section ${apartFromLine(sectionLabel(choice.section))}`);
  if (choice.category) parts.push(`category ${choice.category}`);
  if (choice.from || choice.to) parts.push(`published ${choice.from ? `from ${choice.from}` : ""}${choice.from && choice.to ? " " : ""}${choice.to ? `to ${choice.to}` : ""}`);
  if (choice.q) parts.push(`in the table papers that match “${apartFromLine(choice.q)}”`);
  if (choice.paper) parts.push(`in the history citations of ${apartFromLine(titleOf(paperNumber.get(choice.paper)))}`);
  return parts.length ? `Chosen: ${parts.join("; ")}.` : "Nothing is left out.";
};

// The sections of a list (of all lists where none is chosen) in the order in which they stand there, each with those above.
const sectionsOfList = new Map();
const sectionChoices = (list) => {
  if (sectionsOfList.has(list)) return sectionsOfList.get(list);
  const found = new Set();
  const collect = (column, names, of) => {
    const codes = new Set(list === "" ? column.codes : column.codes.filter((_, row) => of[row] === listNumber.get(list)));
    for (const code of codes) {
      const headings = names[code].split(STEP_DOWN);
      for (let depth = 1; depth <= headings.length; depth += 1) found.add(headings.slice(0, depth).join(STEP_DOWN));
    }
  };
  collect(places.section, placeSections, places.list);
  collect(unresolved.section, unresolvedSections, unresolved.list);
  found.delete("");
  sectionsOfList.set(list, [...found]);
  return sectionsOfList.get(list);
};

const isWithin = (section, chosen) => section === chosen || section.startsWith(chosen + STEP_DOWN);

// What the choice asks of whatever stands in a list.
const isInList = (list) => choice.list === "" || list === listNumber.get(choice.list);
const isInSection = (section) => choice.section === "" || isWithin(section, choice.section);
const isInYears = (year) => (choice.from === "" && choice.to === "")
  || (year !== null && (choice.from === "" || year >= Number(choice.from)) && (choice.to === "" || year <= Number(choice.to)));
const isPaperChosen = (paper) => (choice.category === "" || valueAt(papers.category, paper) === choice.category) && isInYears(papers.year[paper]);
// An entry without a paper has no category, and a year of its own.
const isEntryChosen = ({ list, section, paper, year }) => isInList(list) && isInSection(section)
  && (paper === NOT_TOLD ? choice.category === "" && isInYears(year) : isPaperChosen(paper));

// What the choice leaves: places (mentions with a paper), papers in their order, mentions without a paper.
const chosen = () => {
  const paperFits = papers.id.map((_, paper) => isPaperChosen(paper));
  const [placeFits, mentionFits] = [placeSections, unresolvedSections].map((names) => names.map(isInSection));
  const shownPlaces = [...places.paper.keys()].filter((place) => isInList(places.list[place]) && placeFits[places.section.codes[place]] && paperFits[places.paper[place]]);
  const named = new Set(shownPlaces.map((place) => places.paper[place]));
  const mentions = [...unresolved.list.keys()].filter((row) => isInList(unresolved.list[row]) && mentionFits[unresolved.section.codes[row]]);
  const dated = mentions.filter((row) => isInYears(unresolved.year[row]));
  const isUncategorised = choice.category !== ""; // nobody knows of a mention without a paper whether it belongs to the choice
  return {
    places: shownPlaces, papers: [...papers.id.keys()].filter((paper) => named.has(paper)), unresolved: isUncategorised ? [] : dated,
    undated: isInYears(null) ? 0 : mentions.filter((row) => unresolved.year[row] === null).length, uncategorised: isUncategorised ? dated.length : 0,
  };
};

// Of a mention without a paper no category is known, and often no year: what such a choice leaves out is said.
const leftOutText = ({ undated, uncategorised }) => [[uncategorised, "category"], [undated, "year"]].filter(([count]) => count)
  .map(([count, what]) => ` Left out: ${counted(count, "mention")} without a paper, of which no ${what} is known.`).join("");

const isEverything = () => ["list", "section", "category", "from", "to"].every((name) => choice[name] === "");
