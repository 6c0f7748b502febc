// What needs a person: findings in the lists, mentions without a paper, and counts that have grown old.

const findings = facts.findings;
const findingSections = findings.section.values.map(sectionKey);
const OLD = 30; // days behind the newest count from which a count is old

const isFindingChosen = (row) => isEntryChosen({ list: findings.list[row], section: findingSections[findings.section.codes[row]], paper: findings.paper[row], year: findings.year[row] });
const findingCode = (row) => valueAt(findings.code, row);
const findingText = (row) => valueAt(findings.message, row) ?? "";

const lastCounted = (paper) => {
  for (let step = STEPS - 1; step >= firstStep[paper]; step -= 1) if (wasCounted[paper * STEPS + step]) return history.days[step];
  return null;
};
const staleAmong = (left) => left.papers.map((paper) => [paper, lastCounted(paper)]).filter(([, day]) => day !== null && history.days[STEPS - 1] - day > OLD);

const reviewLine = (row) => `paperlake review ${unresolved.candidate[row] === null ? `set-id ${unresolved.id[row]} ID` : `accept ${unresolved.id[row]}`}`;

const candidateText = (row) => {
  if (unresolved.candidate[row] === null) return "";
  const [title, year, id] = unresolved.candidate[row];
  return [withoutTex(title), year, id].filter(Boolean).join(", ");
};

const FINDINGS_SHOWN = 10;

addPart("health-says", (left) => {
  const found = [...findings.line.keys()].filter(isFindingChosen);
  const old = staleAmong(left);
  const never = STEPS ? left.papers.filter((paper) => firstStep[paper] === STEPS) : [];
  const unread = lists.unread.filter(isInList);
  const skipping = [...lists.not_read.keys()].filter((list) => lists.not_read[list] && isInList(list));
  const parts_ = [
    [unread.length, "list", "that could not be read when last tried"], [sum(skipping.map((list) => lists.not_read[list])), "line", "that may name a paper and could not be read"],
    [found.length, "finding", "in the lists"], [left.unresolved.length, "mention", "without a paper"],
    [old.length, "count", `more than ${OLD} days older than the newest`], [never.length, "paper", "never counted"],
  ].filter(([count]) => count).map(([count, what, words]) => `${counted(count, what)} ${words}`);
  say("health-says", parts_.length ? `${isEverything() ? "" : "Of what is chosen: "}${andList(parts_)}.` : `Nothing needs attention${isEverything() ? "" : " in what is chosen"}.${leftOutText(left)}`);
  fill("findings", ...[...grouped(found, findingCode)].sort((a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1)).map(([name, rows]) => folded(`${name.replaceAll("-", " ")}: ${number.format(rows.length)}`, {},
    make("ul", {}, ...firstItems(rows, FINDINGS_SHOWN, (row) => make("li", {}, lineLink(findings.list[row], findings.line[row]), " ", make("bdi", {}, withoutTex(findings.value[row] ?? "")), " ", make("span", { class: "by" }, findingText(row))))))));
  fill("unread", ...unread.map((list) => make("p", {}, make("bdi", {}, listLabels[list]), ` could not be read when last tried: what the page has of it is of ${dayText(lists.parsed[list])} or later. paperlake status says why.`)),
    ...skipping.map((list) => make("p", {}, make("bdi", {}, listLabels[list]), `: ${counted(lists.not_read[list], "line")} that may name a paper and could not be read. paperlake parse --skipped shows them.`)));
  fill("stale", ...(old.length ? [folded(`Old counts: ${number.format(old.length)}`, {},
    make("ul", {}, ...old.slice(0, FINDINGS_SHOWN).map(([paper, day]) => make("li", {}, paperTitle(paper), " ", make("span", { class: "by" }, `last counted ${dayText(day)}`)))))] : []));
  drawNumbers("health", {
    head: ["What", "Where", "Text", "Why", "Do"],
    body: [
      ...unread.map((list) => ["list not read", lists.name[list], listLabels[list], "", "paperlake status"]),
      ...skipping.map((list) => ["lines not read", lists.name[list], listLabels[list], String(lists.not_read[list]), "paperlake parse --skipped"]),
      ...found.map((row) => [findingCode(row), `${lists.name[findings.list[row]]}:${findings.line[row]}`, withoutTex(findings.value[row] ?? ""), findingText(row), ""]),
      ...left.unresolved.map((row) => [STATUS_NAMES[statusOf(row)], `${lists.name[unresolved.list[row]]}:${unresolved.line[row]}`, withoutTex(unresolved.mention[row]), [valueAt(unresolved.reason, row), candidateText(row) && `best candidate: ${candidateText(row)}`].filter(Boolean).join("; "), statusOf(row) === "failed" ? "" : reviewLine(row)]),
      ...old.map(([paper, day]) => ["old count", "", titleOf(paper), `last counted ${dayText(day)}`, ""]),
      ...never.map((paper) => ["never counted", "", titleOf(paper), "", ""]),
    ],
  });
});
