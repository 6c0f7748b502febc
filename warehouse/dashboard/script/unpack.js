// Takes out of the page what it carries.

// A page that cannot be drawn says so; what stands in it without a script stays.
const giveUp = (why) => {
  document.body.classList.add("undrawn");
  const notice = document.createElement("p");
  notice.className = "notice";
  notice.setAttribute("role", "alert");
  const link = (name) => Object.assign(document.createElement("a"), { href: name, textContent: name });
  notice.append(`${why} The catalogue stands beside this page as `, link("catalogue.csv"), " and ", link("catalogue.parquet"), ".");
  document.querySelector("header").after(notice);
};
if (typeof DecompressionStream === "undefined") {
  giveUp("This browser cannot unpack the data of this page (it lacks DecompressionStream): Chrome and Edge from 80, Firefox from 113 and Safari from 16.4 can.");
  return;
}

const bytesOf = (text) => {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  return bytes;
};

const unpacked = (id) => {
  const bytes = bytesOf(document.getElementById(id).textContent);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
};

// `page.py` says how sorted numbers are written.
const summedUp = (differences) => {
  let sum = 0;
  return differences.map((more) => (sum += more));
};

const unpackFacts = async () => {
  const facts_ = await unpacked("facts");
  const { places: at, terms: words, institutions: working, growth: grown, links: linked, cited: told } = facts_;
  at.line = summedUp(at.line);
  for (const some of [words, working]) some.papers = some.papers.map(summedUp);
  working.known = summedUp(working.known);
  for (const rows of [grown, linked, told]) rows.paper = summedUp(rows.paper);
  Object.assign(linked, { cites: linked.cites.map(summedUp), untold: summedUp(linked.untold) });
  const isTold = told.counts.map((counts_) => counts_.map((count) => count !== null));
  told.years = told.counts.map((counts_, row) => counts_.map((_, more) => told.first[row] + more).filter((_, more) => isTold[row][more]));
  told.counts = told.counts.map((counts_, row) => counts_.filter((_, more) => isTold[row][more]));
  return facts_;
};

// The library is a script of the page like the others: the policy names its digest.
const loadLibrary = async () => document.head.append(Object.assign(document.createElement("script"), { textContent: await unpacked("library") }));

const [facts, specifications] = await Promise.all([unpackFacts(), unpacked("charts"), loadLibrary()]);
