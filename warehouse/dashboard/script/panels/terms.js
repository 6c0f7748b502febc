// Topics in motion: terms of titles and abstracts whose share of the papers rises or falls, year by year.

const terms = facts.terms;
const MOST_RISING = 8;
const MOST_FALLING = 4;
const CLEAR = 3; // so many standard errors make a trend
const THIN = 10; // papers of a year below which a share says little, and of a term below which its trend does
const MOST_YEARS = 20;

// Cochran's and Armitage's test for a trend in shares; null where it says nothing.
const trendOf = (having, ofYear, years_) => {
  const over = (of) => sum(years_.map(of));
  const all = over((year) => ofYear.get(year));
  const withTerm = over((year) => having.get(year) ?? 0);
  const share = withTerm / all;
  const middle = over((year) => year * ofYear.get(year)) / all;
  const spread = over((year) => ofYear.get(year) * (year - middle) ** 2);
  if (withTerm < THIN || share >= 1 || spread === 0) return null;
  return over((year) => (having.get(year) ?? 0) * (year - middle)) / Math.sqrt(share * (1 - share) * spread);
};

const yearCounts = (among) => sizesOf(among.map((paper) => papers.year[paper]).filter((year) => year !== null));

// Of terms that stand in nearly the same papers the clearest speaks for all, the longer one where they are equally clear.
const apart = (sorted_) => {
  const left = [];
  for (const one of sorted_) {
    const own = new Set(one.of);
    const same = left.findIndex(({ of }) => of.filter((paper) => own.has(paper)).length >= 0.8 * Math.max(own.size, of.length));
    if (same < 0) left.push(one);
    else if (one.trend === left[same].trend && one.term.length > left[same].term.length) left[same] = one;
  }
  return left;
};

const termsInMotion = (left, ofYear, years_) => {
  const named = new Set(left.papers);
  const all = terms.term.map((term, at) => {
    const of = terms.papers[at].filter((paper) => named.has(paper));
    const having = yearCounts(of);
    return { term, of, having, trend: trendOf(having, ofYear, years_) };
  }).filter(({ trend }) => trend !== null && Math.abs(trend) >= CLEAR);
  all.sort((a, b) => b.trend - a.trend || (a.term < b.term ? -1 : 1));
  const rising = apart(all.filter(({ trend }) => trend > 0)).slice(0, MOST_RISING);
  return [...rising, ...apart(all.filter(({ trend }) => trend < 0).reverse()).slice(0, MOST_FALLING).reverse()];
};

addChart("terms", (left) => {
  const ofYear = yearCounts(left.papers);
  const known = sum([...ofYear.values()]);
  if (!known) return { empty: "No paper here has a known year." };
  const last = largest([...ofYear.keys()]);
  const shown = [...ofYear.keys()].filter((year) => year > last - MOST_YEARS);
  const years_ = shown.filter((year) => ofYear.get(year) >= THIN); // a trend rests on these alone
  const found = termsInMotion(left, ofYear, years_);
  const where = terms.abstracts ? "titles and abstracts" : "titles";
  if (shown.length < 2) return { empty: `The papers here with a known year are all of ${last}: a trend takes several years.` };
  if (years_.length < 2) return { empty: `A trend takes two years with ${THIN} papers each; here ${years_.length ? `only ${years_[0]} has so many` : "no year has so many"}.` };
  // Under a choice those terms alone are looked at that the page carries: not every one that moves in the chosen part.
  const among = isEverything() || !terms.term.length ? "" : ` Looked at: the ${counted(terms.term.length, "term")} that move most among all papers of the page.`;
  if (!found.length) return { empty: `No term of the ${where} of ${counted(known, "paper")} here rises or falls clearly over the years with ${THIN} papers or more.${among}` };
  const [first] = rangeOf(shown);
  const span = numbersTo(last - first + 1, first);
  const label = ({ term, trend }) => `${trend > 0 ? "▲" : "▼"} ${term}`;
  const rows = found.flatMap((one) => span.map((year) => {
    const [count, all] = [one.having.get(year) ?? 0, ofYear.get(year) ?? 0];
    const words = all ? `${number.format(count)} of ${counted(all, "paper")}, ${percent(count, all)}` : "no paper";
    return { term: label(one), year, share: all ? count / all : 0, thin: all < THIN, fill: all < THIN ? "url(#hatch)" : "var(--series-0)", tip: `${one.term}, ${year}\n${words}${all < THIN ? "\ntoo few papers to tell a share" : ""}` };
  }));
  const rising = found.filter(({ trend }) => trend > 0);
  const falling = found.filter(({ trend }) => trend < 0);
  const names = (some) => andList(some.slice(0, 3).map(({ term }) => `“${term}”`));
  const moves = [rising.length ? `Rising most clearly: ${names(rising)}.` : "", falling.length ? `Falling: ${names(falling.reverse())}.` : ""].filter(Boolean).join(" ");
  return {
    rows, height: 26 * found.length,
    head: ["Term", "Trend", ...span.map(String)],
    body: found.map((one) => [one.term, decimal.format(one.trend), ...span.map((year) => `${number.format(one.having.get(year) ?? 0)} of ${number.format(ofYear.get(year) ?? 0)}`)]),
    says: `${moves}${among} Share of your lists' papers of a year that have the term in ${where}; darker is more. It tells what was listed, not the field. Years with fewer than ${THIN} papers are hatched, and no trend rests on them.${untoldText(left.papers.length - known)}`,
  };
});
