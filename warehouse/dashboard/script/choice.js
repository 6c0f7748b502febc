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

// An address may be old, or typed: what this page does not hold is not chosen, and named.
const dropUnknown = () => {
  if (!listNumber.has(choice.list)) choice.list = "";
  if (choice.section !== "" && !sectionChoices(choice.list).includes(choice.section)) choice.section = "";
  if (!papers.category.values.includes(choice.category)) choice.category = "";
  for (const name of ["paper", "open"]) if (!paperNumber.has(choice[name])) choice[name] = "";
  for (const name of ["a", "b"]) if (!listNumber.has(choice[name])) choice[name] = "";
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
  if (choice.list) parts.push(`list ${apartFromLine(listLabels[listNumber.get(choice.list)])}`);
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
  const wanted = list === "" ? null : listNumber.get(list);
  const found = new Set();
  const collect = (column, names, of) => {
    const codes = new Set(wanted === null ? column.codes : column.codes.filter((_, row) => of[row] === wanted));
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

// What the choice leaves: places (mentions with a paper), papers in their order, mentions without a paper.
const chosen = () => {
  const list = choice.list === "" ? null : listNumber.get(choice.list);
  const category = papers.category.values.indexOf(choice.category);
  const [from, to] = [choice.from === "" ? null : Number(choice.from), choice.to === "" ? null : Number(choice.to)];
  const inYears = (year) =>
    (from === null && to === null) || (year !== null && (from === null || year >= from) && (to === null || year <= to));
  const inSection = (names) => {
    if (choice.section === "") return null;
    return names.map((name) => isWithin(name, choice.section));
  };
  const ofPlaces = inSection(placeSections);
  const ofUnresolved = inSection(unresolvedSections);
  const paperFits = new Uint8Array(PAPERS);
  for (let paper = 0; paper < PAPERS; paper += 1) {
    paperFits[paper] = (category < 0 || papers.category.codes[paper] === category) && inYears(papers.year[paper]) ? 1 : 0;
  }
  const shownPlaces = [];
  const named = new Uint8Array(PAPERS);
  for (let place = 0; place < places.paper.length; place += 1) {
    if (list !== null && places.list[place] !== list) continue;
    if (ofPlaces !== null && !ofPlaces[places.section.codes[place]]) continue;
    if (!paperFits[places.paper[place]]) continue;
    shownPlaces.push(place);
    named[places.paper[place]] = 1;
  }
  const shownPapers = [];
  for (let paper = 0; paper < PAPERS; paper += 1) if (named[paper]) shownPapers.push(paper);
  const shownUnresolved = [];
  let [undated, uncategorised] = [0, 0]; // mentions without a paper of which nobody knows whether they belong to the choice
  for (let row = 0; row < unresolved.list.length; row += 1) {
    if (list !== null && unresolved.list[row] !== list) continue;
    if (ofUnresolved !== null && !ofUnresolved[unresolved.section.codes[row]]) continue;
    if (unresolved.year[row] === null && !inYears(null)) undated += 1;
    else if (!inYears(unresolved.year[row])) continue;
    else if (category >= 0) uncategorised += 1;
    else shownUnresolved.push(row);
  }
  return { places: shownPlaces, papers: shownPapers, unresolved: shownUnresolved, undated, uncategorised };
};

// Of a mention without a paper no category is known, and often no year: what such a choice leaves out is said.
const leftOutText = ({ undated, uncategorised }) => [[uncategorised, "category"], [undated, "year"]].filter(([count]) => count)
  .map(([count, what]) => ` Left out: ${counted(count, "mention")} without a paper, of which no ${what} is known.`).join("");

const isEverything = () => ["list", "section", "category", "from", "to"].every((name) => choice[name] === "");
