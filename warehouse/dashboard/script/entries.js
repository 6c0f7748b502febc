// Entries in BibTeX, from what the page carries of them beside its columns (`facts.py` takes them apart).

const lastFirst = (name) => {
  const at = name.lastIndexOf(" ");
  return at < 0 ? name : `${name.slice(at + 1)}, ${name.slice(0, at)}`;
};

const withDifferences = (plainParts, difference, between) => {
  if (typeof difference === "string") return difference;
  const parts = plainParts.slice();
  for (let at = 0; at < (difference.length ?? 0); at += 2) parts[difference[at]] = difference[at + 1];
  return parts.join(between);
};

const keyFrom = (key, paper, names) => {
  if (key.startsWith("=")) return key.slice(1);
  const author = names.length ? names[0].split(" ").at(-1).toLowerCase().replace(/[^a-z]/g, "") : "anon";
  return `${author}${papers.year[paper] ?? ""}${papers.title[paper].toLowerCase().match(/[a-z0-9]+/g)[Number(key[0])]}${key.slice(1)}`;
};

const entryText = ({ forms, keys, titles, authors }, paper) => {
  const names = namesIn(papers.authors[paper]);
  const title = withDifferences(papers.title[paper].split(" "), titles[paper], " ");
  const author = withDifferences(names.map(lastFirst), authors[paper], " and ");
  const columns = [papers.year[paper], venueText(paper), papers.doi[paper], papers.arxiv[paper], valueAt(papers.category, paper), papers.s2[paper]];
  const [kind, ...fields] = valueAt(forms, paper).replace(/[\u0001-\u0006]/g, (sign) => columns[sign.charCodeAt(0) - 1]).split(",\n\t");
  const written = [...(title ? [`title = {${title}}`] : []), ...(author ? [`author = {${author}}`] : []), ...fields];
  return `@${kind}{${keyFrom(keys[paper], paper, names)},\n\t${written.join(",\n\t")}\n}\n`;
};

let entriesUnpacked = null;
const entriesOf = async (shown) => {
  entriesUnpacked ??= unpacked("entries"); // needed by few, so only when asked for
  const entries = await entriesUnpacked;
  return shown.map((paper) => entryText(entries, paper));
};
