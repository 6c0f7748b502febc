// Citations by step of time: what a group of papers gained, or the counts of one paper; gaps and recounts are seen as such.

const historyToCome = () => ["No citation has been counted yet: history begins with the first ", code("paperlake refresh"), ` that asks ${COUNTED_BY}.`];

// Step -> how many papers were recounted then, and what that added.
const recountsAt = (members) => new Map([...grouped(members.flatMap((paper) => recountsOf.get(paper) ?? []), ({ step }) => step)]
  .map(([step, own]) => [step, { papers: own.length, added: sum(own.map(({ added }) => added)) }]));

// A recount is a jump or a fall of the source's making: nobody cited the paper then.
const recountText = (members, single) => {
  const found = recountsAt(members);
  if (!found.size) return "";
  const papersRecounted = members.filter((paper) => recountsOf.has(paper)).length;
  const [first, last] = rangeOf([...found.keys()].map((step) => history.days[step]));
  const when = found.size === 1 ? `on ${dayText(first)}` : `between ${dayText(first)} and ${dayText(last)}`;
  const added = sum([...found.values()].map((one) => one.added));
  return ` The source recounted ${counted(papersRecounted, "paper")} ${when} (${signed(added)} citations): ${single ? "that is no rise or fall, and the line is broken there" : "left out"}.`;
};

// By step: the sum over papers of what each gained since its own first count, recounts left out, or the count of a single
// one. Null before any count, and where less than half of the papers are known; of the others the count last known stands.
const summed = (group, single) => {
  const sums = new Array(STEPS).fill(0);
  const known = new Int32Array(STEPS);
  const begun = new Int32Array(STEPS);
  for (const paper of group) {
    const at = paper * STEPS;
    const base = single ? 0 : counts[at + firstStep[paper]];
    for (let step = firstStep[paper]; step < STEPS; step += 1) {
      sums[step] += counts[at + step] - base - (single ? 0 : recounted[at + step]);
      begun[step] += 1;
      known[step] += isKnown[at + step];
    }
  }
  return sums.map((citations, step) => (begun[step] && 2 * known[step] >= begun[step] ? { citations, of: begun[step], unknown: begun[step] - known[step] } : null));
};

const historyGroups = (left, members) => {
  if (choice.split === "none") return [{ key: "", label: "all together", slot: 0, members }];
  const pairs = choice.split === "category"
    ? members.map((paper) => ({ paper, key: categoryName(paper) }))
    : left.places.map((place) => ({ paper: places.paper[place], key: choice.split === "list" ? listKey(place) : sectionOf(place) })).filter(({ paper }) => firstStep[paper] < STEPS);
  const ofKey = new Map([...grouped(pairs, ({ key }) => key)].map(([key, own]) => [key, [...new Set(own.map(({ paper }) => paper))]]));
  // A sum of all others would stand among single ones as the largest of them: they have no line.
  return groupsOf(choice.split, [...ofKey].flatMap(([key, group]) => group.map(() => key)))
    .filter(({ key }) => key !== null)
    .map((group) => ({ ...group, of: ofKey.size, members: ofKey.get(group.key) }));
};

// Points of a line in pieces: where nothing is known, after a long pause, and over a recount of a single paper it is broken.
const linePieces = (sums, { single, label, slot, dash, found }) => {
  const rows = [];
  let piece = 0;
  let last = null;
  sums.forEach((sum, step) => {
    if (sum === null) return;
    const recount = found.get(step);
    if (last !== null && (step - last > 1 && sums.slice(last + 1, step).includes(null) || history.days[step] - history.days[last] > longPause || (single && recount))) piece += 1;
    last = step;
    const words = [label, dayText(history.days[step]), single ? counted(sum.citations, "citation") : `${signed(sum.citations)} citations`];
    if (sum.unknown) words.push(single ? "not counted then: the count before stands" : `${counted(sum.unknown, "paper")} of ${number.format(sum.of)} not counted then: the counts before stand`);
    if (recount) words.push(single ? `recounted by the source: ${signed(recount.added)}` : `the source recounted ${counted(recount.papers, "paper")} (${signed(recount.added)}): left out`);
    rows.push({ day: history.days[step] * DAY_MS, citations: sum.citations, slot, dash, piece: `${label} ${piece}`, recount: recount ? 1 : 0, tip: words.join("\n") });
  });
  return rows;
};

// Names at the ends of their lines, moved apart where lines end side by side: `at` is where a name stands on the scale.
const endLabels = (lines) => {
  const ends = lines.filter(({ rows }) => rows.length).map(({ label, slot, rows }) => ({ ...rows.at(-1), slot, name: label, tip: "" }));
  const all = lines.flatMap(({ rows }) => rows.map(({ citations }) => citations));
  if (!all.length) return [];
  const [low, high] = rangeOf(all);
  const apart = Math.max(1, high - low) * 0.06;
  const day = rangeOf(ends.map((end) => end.day))[1];
  ends.sort((a, b) => a.citations - b.citations);
  let floor = -Infinity;
  for (const end of ends) {
    end.at = Math.max(end.citations, floor);
    floor = end.at + apart;
  }
  let ceiling = Math.max(high, low + apart * (ends.length - 1));
  for (const end of ends.slice().reverse()) {
    end.at = Math.min(end.at, ceiling);
    ceiling = end.at - apart;
  }
  return ends.map(({ slot, name, at }) => ({ day, slot, name, at }));
};

const gapText = (lines, single) => {
  const broken = lines.some(({ rows }) => new Set(rows.filter(({ recount }) => !single || !recount).map(({ piece }) => piece)).size > 1);
  return broken ? ` A line is broken where counts lie more than ${counted(longPause, "day")} apart.` : "";
};

addChart("history", (left) => {
  const paper = choice.paper === "" ? null : paperNumber.get(choice.paper);
  const single = paper !== null;
  const members = (single ? [paper] : left.papers).filter((one) => firstStep[one] < STEPS);
  if (!STEPS) return { empty: historyToCome() };
  if (!members.length) return { empty: "Citations have not been counted for what is chosen." };
  if (STEPS === 1) return { empty: [`Citations have been counted once, on ${dayText(history.days[0])}: history begins now. A line can be drawn after the next `, code("paperlake refresh"), " on another day."] };
  const groups = single ? [{ key: "", label: titleOf(paper), slot: 0, members }] : historyGroups(left, members);
  const lines = groups.map((group, dash) => {
    const sums = summed(group.members, single);
    return { ...group, sums, rows: linePieces(sums, { single, label: group.label, slot: group.slot, dash, found: recountsAt(group.members) }) };
  });
  const whole = single ? lines[0].sums : summed(members, false);
  const steps = whole.map((sum, step) => (sum === null ? null : step)).filter((step) => step !== null);
  const [from, to] = [history.days[steps[0]], history.days[steps.at(-1)]];
  const last = whole[steps.at(-1)].citations;
  return {
    rows: [...lines.flatMap(({ rows }) => rows), ...(lines.length > 1 ? endLabels(lines) : [])],
    legend: lines.length > 1 ? lines : [],
    head: ["Day", ...lines.map(({ label }) => label)],
    body: history.days.map((day, step) => [dayText(day), ...lines.map(({ sums }) => (sums[step] === null ? "–" : number.format(sums[step].citations)))]),
    says: `${single ? apartFromLine(titleOf(paper)) : counted(members.length, "paper")}: ${single ? `${number.format(last)} citations on` : `${signed(last)} citations from ${dayText(from)} to`} ${dayText(to)}, by ${COUNTED_BY}.${groups[0].of > groups.length ? ` The ${groups.length} with most papers of ${number.format(groups[0].of)} have a line.` : ""}${recountText(members, single)}${gapText(lines, single)}`,
  };
});

addPart("chosen", () => fill("chosen", choice.paper === "" ? null : make("button", { type: "button", onclick: () => choose({ paper: "" }) },
  make("bdi", {}, shortTitle(paperNumber.get(choice.paper))), " ✕", make("span", { class: "unseen" }, " – back to all"))));
