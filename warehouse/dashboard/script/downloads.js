// What a panel shows, to take along: its numbers as CSV and its drawing as SVG. One way for all panels.

const numbersOf = new Map();

const offerDownloads = (name, numbers) => {
  numbersOf.set(name, numbers);
  if (document.getElementById(`${name}-downloads`)) return;
  const of = make("span", { class: "unseen" }, ` of ${document.getElementById(`${name}-title`).textContent}`);
  const button = (text, save) => make("button", { type: "button", onclick: () => save(name) }, text, of.cloneNode(true));
  const buttons = [button("CSV", saveNumbers), button("SVG", saveDrawing)];
  document.getElementById(`${name}-numbers`).after(make("p", { class: "downloads", id: `${name}-downloads` }, ...buttons));
};

// A number as a spreadsheet reads it; the first column holds names, which stay as they are.
const bareNumber = (value) => {
  if (value === "–") return "";
  if (typeof value !== "string" || !/^[+−-]?[\d,]+(\.\d+)?$/.test(value)) return value;
  return Number(value.replaceAll(",", "").replace("−", "-"));
};

// A spreadsheet takes a cell that begins with one of these for a formula; an apostrophe makes it text.
const cell = (value) => {
  const text = String(value ?? "");
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

const download = (text, name, type) => {
  const address = URL.createObjectURL(new Blob([text], { type }));
  make("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
};

const BYTE_ORDER_MARK = "\ufeff"; // without it a spreadsheet takes UTF-8 for the letters of its own country
const downloadCsv = (lines, name) => download(`${BYTE_ORDER_MARK}${lines.map((line) => line.map(cell).join(",")).join("\r\n")}\r\n`, name, "text/csv;charset=utf-8");

const saveNumbers = (name) => {
  const { head, body } = numbersOf.get(name);
  downloadCsv([head, ...body.map((row) => row.map((value, column) => (column ? bareNumber(value) : value)))], `${name}.csv`);
};

const escaped = (text) => String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, " ");

// In a file of its own a drawing has no style sheet: its colours are those of the page as it is seen now.
const withColours = (drawing) => {
  const style = getComputedStyle(document.documentElement);
  return drawing.replace(/var\((--[\w-]+)\)/g, (_, name) => style.getPropertyValue(name).trim());
};

const MOST_LINES = 60;
const LONGEST = 70; // characters of a cell

// A panel of words is drawn as the table of its numbers.
const tableDrawing = ({ head, body }) => {
  const lines = [head, ...body.slice(0, MOST_LINES)].map((line) => line.map((value) => cutTo(String(value), LONGEST)));
  if (body.length > MOST_LINES) lines.push([`and ${number.format(body.length - MOST_LINES)} more`]);
  const widths = head.map((_, column) => 24 + 7 * largest(lines.map((line) => (line[column] ?? "").length)));
  const starts = widths.map((_, column) => 12 + sum(widths.slice(0, column)));
  const [width, height] = [12 + sum(widths), 20 * lines.length + 16];
  const cells = lines.flatMap((line, row) => line.map((text, column) => `<text x="${starts[column]}" y="${20 * row + 22}"${row ? "" : ' font-weight="600"'}>${escaped(text)}</text>`));
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"><g font-family="system-ui, sans-serif" font-size="12" fill="var(--text)">${cells.join("")}</g></svg>`;
};

const drawingOf = async (name) => {
  const element = document.getElementById(name);
  const view = views.has(name) && !element.hidden ? await views.get(name) : null;
  const drawing = view ? await view.toSVG() : tableDrawing(numbersOf.get(name));
  const title = document.getElementById(`${name}-title`).textContent;
  const says = document.getElementById(`${name}-says`)?.textContent ?? "";
  const inside = `<title>${escaped(title)}</title><desc>${escaped(says)}</desc>${document.getElementById("hatching")?.innerHTML ?? ""}<rect width="100%" height="100%" fill="var(--panel)"/>`;
  return withColours(drawing.replace(/^(<svg[^>]*>)/, (start) => start + inside));
};

const saveDrawing = async (name) => download(await drawingOf(name), `${name}.svg`, "image/svg+xml");
