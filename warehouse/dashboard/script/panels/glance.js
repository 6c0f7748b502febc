// The figures at a glance.

addPart("glance", (left) => {
  const mentions = left.places.length + left.unresolved.length;
  const named = [...new Set([...left.places.map((place) => places.list[place]), ...left.unresolved.map((row) => unresolved.list[row])])];
  const yet = [`${number.format(left.unresolved.length)} without a paper yet`, left.undated ? `${number.format(left.undated)} more of unknown year` : ""];
  const mentionsNote = left.uncategorised ? `${number.format(left.uncategorised)} more without a paper, category unknown` : yet.filter(Boolean).join(", ");
  const agreed = left.papers.filter((paper) => listsOf(paper).length > 1).length;
  const tiles = [
    ["Papers", number.format(left.papers.length), agreed ? `${number.format(agreed)} in several lists` : ""],
    ["Mentions", number.format(mentions), mentionsNote],
    ["Lists", number.format(named.length), named.length ? `last changed ${dayText(largest(named.map((list) => lists.parsed[list])))}` : ""],
    ["Coverage", left.uncategorised ? "–" : percent(left.places.length, mentions), left.uncategorised ? "not known by category" : `of mentions${left.undated ? " of known year" : ""} have their paper`],
  ];
  fill("glance", ...tiles.map(([name, value, note]) => make("div", {}, make("dt", {}, name), make("dd", {}, value), make("dd", { class: "note" }, note))));
});
