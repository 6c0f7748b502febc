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
const andList = (words) => (words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`);
const signed = (value) => `${value > 0 ? "+" : value < 0 ? "−" : ""}${decimal.format(Math.abs(value))}`;
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

// A row of a table that becomes a card on a phone, where each cell carries the head of its column.
const tableRow = (head, ...cells) => {
  cells.forEach((cell, column) => {
    cell.setAttribute("role", "cell");
    if (head[column]) cell.dataset.head = head[column];
  });
  return make("tr", { role: "row" }, ...cells);
};

const numberCell = (content) => make("td", { class: "number" }, ...[content].flat());

// A table of such rows; the columns that are not in `wordy` hold numbers.
const cardTable = (head, wordy, rows) => make("table", { class: "cards", role: "table" },
  make("thead", { role: "rowgroup" }, make("tr", { role: "row" }, ...head.map((text) => make("th", { scope: "col", role: "columnheader", class: wordy.includes(text) ? null : "number" }, text)))),
  make("tbody", { role: "rowgroup" }, ...rows));

const say = (id, text) => { document.getElementById(id).textContent = text; };
const fill = (id, ...children) => document.getElementById(id).replaceChildren(...children.filter((one) => one !== null));
const folded = (words, attributes, ...children) => make("details", attributes, make("summary", {}, words), ...children);
// The first of many as items, and how many more the table of numbers has.
const firstItems = (all, most, itemOf) => [
  ...all.slice(0, most).map(itemOf),
  ...(all.length > most ? [make("li", { class: "by" }, `and ${number.format(all.length - most)} more, in Numbers below`)] : []),
];
const emptyState = (...children) => make("p", { class: "empty" }, ...children);
const code = (text) => make("code", {}, text);

// Titles come with formulas in TeX. What of them is plain in Unicode is shown so; any other formula stays as it was written.
const TEX_SIGNS = {
  alpha: "α", beta: "β", gamma: "γ", delta: "δ", epsilon: "ε", varepsilon: "ε", zeta: "ζ", eta: "η", theta: "θ", iota: "ι", kappa: "κ",
  lambda: "λ", mu: "μ", nu: "ν", xi: "ξ", pi: "π", rho: "ρ", sigma: "σ", tau: "τ", phi: "φ", varphi: "φ", chi: "χ", psi: "ψ", omega: "ω",
  Gamma: "Γ", Delta: "Δ", Theta: "Θ", Lambda: "Λ", Xi: "Ξ", Pi: "Π", Sigma: "Σ", Phi: "Φ", Psi: "Ψ", Omega: "Ω", ell: "ℓ", infty: "∞",
  times: "×", to: "→", rightarrow: "→", leftarrow: "←", leq: "≤", le: "≤", geq: "≥", ge: "≥", neq: "≠", approx: "≈", sim: "∼", cdot: "·",
  pm: "±", star: "⋆", ast: "∗", circ: "∘", partial: "∂", nabla: "∇", in: "∈", ldots: "…", dots: "…", log: "log", exp: "exp", min: "min", max: "max",
};
const TEX_FONTS = /\\(?:mathcal|mathbf|mathrm|mathit|mathsf|boldsymbol|text|textit|textbf|operatorname|rm)\s*\{([^{}]*)\}/g;
const TEX_ACCENTS = { "'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307" };
const RAISED = Object.fromEntries([..."0123456789+-=()nik"].map((sign, at) => [sign, [..."⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱᵏ"][at]]));
const LOWERED = Object.fromEntries([..."0123456789+-=()inpk"].map((sign, at) => [sign, [..."₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ᵢₙₚₖ"][at]]));
const signsFrom = (table, text) => ([...text].every((sign) => Object.hasOwn(table, sign)) ? [...text].map((sign) => table[sign]).join("") : null);

const formulaText = (formula, whole) => {
  const signs = formula
    .replace(/\\mathbb\s*\{?([RNZCQ])\}?/g, (_, letter) => ({ R: "ℝ", N: "ℕ", Z: "ℤ", C: "ℂ", Q: "ℚ" })[letter])
    .replace(TEX_FONTS, "$1")
    .replace(/\\sqrt\s*\{(\w)\}/g, "√$1")
    .replace(/\\([A-Za-z]+)/g, (command, name) => (Object.hasOwn(TEX_SIGNS, name) ? TEX_SIGNS[name] : command))
    .replace(/\^(?:\{([^{}]*)\}|([^\s{}]))/g, (raw, many, one) => signsFrom(RAISED, many ?? one) ?? raw)
    .replace(/_(?:\{([^{}]*)\}|([^\s{}]))/g, (raw, many, one) => signsFrom(LOWERED, many ?? one) ?? raw);
  return /[\\{}^_]/.test(signs) ? whole : signs;
};

const withoutTex = (text) => {
  if (!/[$\\]/.test(text)) return text;
  return text
    .replace(/\$([^$\s](?:[^$]*[^$\s])?)\$/g, (whole, formula) => (/[\\^_]/.test(formula) || /^[A-Za-z]\w?$/.test(formula) ? formulaText(formula, whole) : whole))
    .replace(/\\(['`^"~=.])\s*\{?([A-Za-z])\}?/g, (_, accent, letter) => (letter + TEX_ACCENTS[accent]).normalize("NFC"))
    .replace(/\\([&%#])/g, "$1");
};

const yearText = (paper) => String(papers.year[paper] ?? "–");
const shownTitles = [];
const titleOf = (paper) => (shownTitles[paper] ??= withoutTex(papers.title[paper]));
const cutTo = (text, most) => (text.length > most ? `${[...text].slice(0, most - 1).join("")}…` : text);
const shortTitle = (paper) => apartFromLine(cutTo(titleOf(paper), 60));

const namesIn = (authors) => (authors ? authors.split("; ") : []);
const MOST_AUTHORS = 4;
const authorsText = (paper) => {
  const names = namesIn(papers.authors[paper]);
  return names.length <= MOST_AUTHORS ? names.join(", ") : `${names.slice(0, MOST_AUTHORS - 1).join(", ")} and others`;
};

const arxivAddress = (id) => `https://arxiv.org/abs/${encodeURI(id)}`;
const doiAddress = (doi) => `https://doi.org/${encodeURIComponent(doi).replaceAll("%2F", "/")}`;
const s2Address = (id) => `https://www.semanticscholar.org/paper/${encodeURIComponent(id)}`;

const paperLinks = (paper) => {
  const addresses = [["arXiv", papers.arxiv[paper], arxivAddress], ["DOI", papers.doi[paper], doiAddress], ["Semantic Scholar", papers.s2[paper], s2Address]];
  const links = addresses
    .filter(([, id]) => id !== null)
    .map(([name, id, address]) => make("a", { href: address(id) }, name, make("span", { class: "unseen" }, ` of ${titleOf(paper)}`)));
  return make("span", { class: "out" }, ...links);
};

// A line of a list: a link where the list is on the web, else the file's name and the line.
const lineLink = (list, line) => {
  const prefix = lists.line_prefix[list];
  if (prefix === null || !/^https?:\/\//.test(prefix)) return make("bdi", {}, `${lists.name[list]}:${line}`);
  return make("a", { href: `${prefix}${line}` }, make("bdi", {}, listLabels[list]), `, line ${line}`);
};

// Words that run from right to left would turn the numbers beside them round: they are set apart from their line.
const FROM_THE_RIGHT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const apartFromLine = (text) => (FROM_THE_RIGHT.test(text) ? `\u2068${text}\u2069` : text);

const listsThere = () => (lists.id.length ? "There is one list" : "There is no list yet");
