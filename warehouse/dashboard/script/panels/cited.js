// Citations in each year, by OpenAlex: its own record of the past, apart from the counts that paperlake observed.

addChart("cited", (left) => {
  const known = left.papers.filter((paper) => citedRow.has(paper)).map((paper) => citedRow.get(paper));
  if (!cited.paper.length) return { empty: "No citations by year are known yet. OpenAlex tells them of papers with a DOI or on arXiv: refresh with a network." };
  if (!known.length) return { empty: "No citations by year are known of the papers chosen." };
  const told = largest(known.map((row) => cited.told[row]));
  const last = yearOfDay(told);
  const sums = new Map();
  for (const row of known) cited.years[row].forEach((year, at) => addTo(sums, year, cited.counts[row][at]));
  const before = known.filter((row) => yearOfDay(cited.told[row]) < last).length;
  const first = Math.min(...sums.keys(), last);
  const rows = numbersTo(last - first + 1, first).map((year) => {
    const citations = sums.get(year) ?? 0;
    const isLast = year === last;
    return { year, slot: isLast ? 1 : 0, citations, tip: `${year}${isLast ? ` until ${dayText(told)}` : ""}\n${counted(citations, "citation")}` };
  });
  return {
    rows,
    legend: ["full years", "the year that was not over"].map((label, slot) => ({ slot, label })),
    head: ["Year", "Citations"],
    body: rows.map(({ year, citations }) => [String(year), number.format(citations)]),
    says: `Citations that ${known.length === left.papers.length ? "these papers" : `${number.format(known.length)} of these ${counted(left.papers.length, "paper")}`} received in each year, by OpenAlex, which tells the last ten years; ${last} was not over on ${dayText(told)}.${before ? ` Of ${counted(before, "paper")} it told before ${last}: what they received since then is not in it.` : ""}`,
  };
});
