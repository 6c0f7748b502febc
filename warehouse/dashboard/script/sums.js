// Sums and groups. Arrays may be too long for the arguments of one call, so that `Math.max(...)` is not used.

const sum = (values) => values.reduce((a, b) => a + b, 0);
const rangeOf = (values) => [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
const largest = (values, least = -Infinity) => values.reduce((a, b) => Math.max(a, b), least);
const numbersTo = (length, from = 0) => Array.from({ length }, (_, more) => from + more);

const addTo = (sums, key, more = 1) => sums.set(key, (sums.get(key) ?? 0) + more);
const sizesOf = (keys) => {
  const sizes = new Map();
  for (const key of keys) addTo(sizes, key);
  return sizes;
};
// Largest first; equal ones by their names.
const ranked = (sizes) => [...sizes].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));

const grouped = (items, keyOf) => {
  const groups = new Map();
  for (const item of items) {
    const key = keyOf(item);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(item);
  }
  return groups;
};

// A column of repeated values: each row has the number of its value, -1 for none.
const valueAt = ({ values, codes }, row) => values[codes[row]] ?? null;
