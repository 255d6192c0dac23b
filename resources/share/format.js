
"use strict";
// Elements, numbers with their units, and places in time. A text of the run only ever becomes a text node or the value
// of an attribute that holds text.

function filled(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {}))
    if (value !== null && value !== undefined) made.setAttribute(name, value);
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}
function element(name, attributes, ...children) {
  return filled(document.createElement(name), attributes, children);
}
function drawn(name, attributes, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}
/// A name of the run: its letters do not reorder those around it.
function named(text) {
  return element("bdi", {}, text);
}
function byId(id) {
  return document.getElementById(id);
}

const missing = "\u2013";

function fixed(value, digits) {
  return Number.isFinite(value) ? value.toFixed(digits) : missing;
}
function whole(value) {
  return Number.isFinite(value) ? value.toLocaleString("en-US") : missing;
}
function bytesText(bytes) {
  if (bytes < 1024) return `${fixed(bytes, 0)} B`;
  if (bytes < 1048576) return `${fixed(bytes / 1024, 1)} KiB`;
  if (bytes < 1073741824) return `${fixed(bytes / 1048576, 1)} MiB`;
  return `${fixed(bytes / 1073741824, 2)} GiB`;
}
function clockText(seconds) {
  return `${fixed(seconds, 2)} s`;
}
/// "12.3 ms [11.0, 14.2]"; `factor` to the unit.
function meanText(of, factor, digits, unit) {
  if (!of || of.mean === null) return missing;
  const interval = of.low === null ? "" : ` [${fixed(of.low * factor, digits)}, ${fixed(of.high * factor, digits)}]`;
  return `${fixed(of.mean * factor, digits)}${unit}${interval}`;
}
const provenanceMarks = { measured: "", throttled: "^", simulated: "~", predicted: "?", imported: "@" };
function markOf(provenance) {
  return provenanceMarks[provenance] || "";
}

/// How many of `times`, which ascend, are at most `now`; with `strictly`, below it.
function countUntil(times, now, strictly) {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (strictly ? times[middle] < now : times[middle] <= now) low = middle + 1;
    else high = middle;
  }
  return low;
}
/// The value of a series that holds until the next; null before its first.
function valueAt(series, now) {
  const count = countUntil(series.t, now);
  return count === 0 ? null : series.v[count - 1];
}

/// A table: `columns` are {text, name: whether its cells are text}, `rows` are lists of nodes or texts.
function table(caption, columns, rows) {
  const classOf = (i) => (columns[i].name ? "name" : null);
  const head = columns.map((column, i) => element("th", { scope: "col", class: classOf(i) }, column.text));
  const body = rows.map((row) => {
    const cells = (row.cells || row).map((cell, i) =>
      cell instanceof HTMLTableCellElement ? cell : element("td", { class: classOf(i) }, cell));
    return element("tr", { class: row.class }, ...cells);
  });
  return element("table", {}, caption ? element("caption", {}, caption) : null,
    element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...body));
}
/// A list of facts: pairs of a name and a node or text.
function facts(pairs) {
  const list = element("dl", {});
  for (const [name, value] of pairs) list.append(element("dt", {}, named(name)), element("dd", {}, value));
  return list;
}
