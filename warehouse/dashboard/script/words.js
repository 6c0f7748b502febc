// Numbers, days and elements, as people read them. Text only ever becomes text.

const number = new Intl.NumberFormat("en");
const decimal = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const dayFormat = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
const dayText = (day) => dayFormat.format(new Date(day * DAY_MS));
const yearOfDay = (day) => new Date(day * DAY_MS).getUTCFullYear();
const counted = (count, one, many = `${one}s`) => `${number.format(count)} ${count === 1 ? one : many}`;
const percent = (part, whole) => {
  if (!whole) return "–";
  const share = (100 * part) / whole;
  if (part && share < 1) return "< 1 %";
  return part < whole && share > 99 ? "> 99 %" : `${Math.round(share)} %`;
};
const signed = (value) => `${value > 0 ? "+" : value < 0 ? "−" : ""}${decimal.format(Math.abs(value))}`;
const median = (values) => {
  if (!values.length) return null;
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

const make = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
};

const fill = (id, ...children) => document.getElementById(id).replaceChildren(...children.filter((one) => one !== null));
const emptyState = (...children) => make("p", { class: "empty" }, ...children);
const code = (text) => make("code", {}, text);

const authorsText = (paper, most = 4) => {
  const names = papers.authors[paper] ? papers.authors[paper].split("; ") : [];
  if (names.length <= most) return names.join(", ");
  return `${names.slice(0, most - 1).join(", ")} and others`;
};

const paperLinks = (paper) => {
  const addresses = [
    ["arXiv", papers.arxiv[paper], (id) => `https://arxiv.org/abs/${encodeURI(id)}`],
    ["DOI", papers.doi[paper], (doi) => `https://doi.org/${encodeURIComponent(doi).replaceAll("%2F", "/")}`],
    ["Semantic Scholar", papers.s2[paper], (id) => `https://www.semanticscholar.org/paper/${encodeURIComponent(id)}`],
  ];
  const links = addresses
    .filter(([, id]) => id !== null)
    .map(([name, id, address]) => make("a", { href: address(id) }, name, make("span", { class: "unseen" }, ` of ${papers.title[paper]}`)));
  return make("span", { class: "out" }, ...links);
};

// A line of a list: a link where the list is on the web, else the file's name and the line.
const lineLink = (list, line) => {
  const prefix = lists.line_prefix[list];
  if (prefix === null || !/^https?:\/\//.test(prefix)) return make("span", {}, `${lists.name[list]}:${line}`);
  return make("a", { href: `${prefix}${line}` }, `${lists.title[list]}, line ${line}`);
};
