"use strict";
// No text of a model is ever parsed as markup here: elements are made one by one, texts are texts.
const SHOWN = 100;
const CHUNK = 128;
const SVG = "http://www.w3.org/2000/svg";
const MATHML = "http://www.w3.org/1998/Math/MathML";
const field = (id) => document.getElementById(id);
const words = (status) => status.replaceAll("_", " ");

async function unpack(id) {
  const packed = atob(field(id).textContent);
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; i++) bytes[i] = packed.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function drawn(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function mathematics([name, attributes, ...children]) {
  const made = document.createElementNS(MATHML, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.map((child) => (Array.isArray(child) ? mathematics(child) : child)));
  return made;
}

const formula = ([latex, tree]) => (tree ? mathematics(tree) : latex);

// --- chunks: unpacked when one of their samples is shown, and some of them kept ---

function chunks(name, most) {
  const kept = new Map();
  return (place) => {
    const chunk = Math.floor(place / CHUNK);
    const found = kept.get(chunk) ?? unpack(`${name}-${chunk}`);
    kept.delete(chunk);
    kept.set(chunk, found);
    if (kept.size > most) kept.delete(kept.keys().next().value);
    return found.then((rows) => rows[place % CHUNK]);
  };
}

const formulas = chunks("formulas", 200); // small ones: of the question and of the answer
const details = chunks("details", 20);

// --- one sample ---

function text(title, [head, left, tail], id) {
  const box = element("pre", {}, head || tail ? head : "(nothing)");
  if (left) {
    const note = element("span", { class: "soft" });
    note.append(`\n\n[... ${left} characters; the whole: `, element("code", {}, id), " ...]\n\n");
    box.append(note, tail);
  }
  return element("div", {}, element("h3", {}, title), box);
}

function formulaPart(title, part) {
  const made = element("div", {}, element("h3", {}, title));
  if (part[1]) made.append(element("div", { class: "formula" }, formula(part)));
  made.append(element("code", { class: "soft" }, part[0]));
  return made;
}

function inside(item, detail, [question, answer, reference]) {
  const box = element("div", { class: "inside" });
  const id = `run.py view ${data.names.run[item.run]} ${detail.view}`;
  for (const [title, part] of [["Asked", question], ["Answer", answer], ["Reference", reference]]) {
    if (part[0]) box.append(formulaPart(title, part));
  }
  const list = element("dl");
  const facts = [["subset, model", `${data.names.subset[item.subset]}, ${data.names.label[item.label]}`]];
  for (const [name, value] of facts.concat(detail.facts ?? [])) {
    list.append(element("dt", {}, name), element("dd", {}, value));
  }
  list.append(element("dt", {}, "whole"), element("dd", {}, element("code", {}, id)));
  box.append(element("div", {}, element("h3", {}, "Evidence"), list));
  if (detail.plot) box.append(element("div", { class: "witness" }, plot(detail.plot)));
  for (const [title, parts] of Object.entries(detail.texts ?? {})) box.append(text(title, parts, id));
  return box;
}

// --- F' against f around the point that refutes an answer ---

function reach(values, wanted) {
  const sorted = values.filter((value) => value !== null).sort((a, b) => a - b);
  const cut = Math.floor(sorted.length * 0.08); // a pole must not flatten the rest
  const some = sorted.slice(cut, sorted.length - cut).concat(wanted);
  const low = Math.min(...some), high = Math.max(...some);
  const margin = 0.12 * (high - low) || Math.abs(high) || 1;
  return [low - margin, high + margin];
}

function plot(found) {
  const width = 520, height = 220, left = 54, right = 10, top = 22, bottom = 24;
  const xs = found.x, [low, high] = reach(found.f.concat(found.F), [found.expected, found.got]);
  const x = (value) => left + ((value - xs[0]) / (xs.at(-1) - xs[0])) * (width - left - right);
  const y = (value) => height - bottom - ((value - low) / (high - low)) * (height - top - bottom);
  const line = (values) => {
    let path = "", before = null;
    values.forEach((value, i) => {
      const out = value === null || value < low - (high - low) || value > high + (high - low);
      if (!out) path += `${before === null ? "M" : "L"}${x(xs[i]).toFixed(1)} ${y(value).toFixed(1)}`;
      before = out ? null : value;
    });
    return path;
  };
  const short = (value) => Number(value.toPrecision(3)).toString();
  const label = (kind, at, name) => drawn("text", { class: kind, x: at, y: 14 }, name);
  const names = found.jump ? [["F", "answer F, which jumps"]] : [["f", "integrand f"], ["F", "F′ of the answer"]];
  const svg = drawn("svg", { viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": `${names.map((name) => name[1]).join(" and ")} around ${found.variable} = ${short(found.at)}` });
  const clip = `clip-${(plot.count = (plot.count ?? 0) + 1)}`;
  const frame = { x: left, y: top, width: width - left - right, height: height - top - bottom };
  svg.append(
    drawn("clipPath", { id: clip }, drawn("rect", frame)),
    drawn("rect", { class: "frame", ...frame }),
    drawn("line", { class: "at", x1: x(found.at), x2: x(found.at), y1: top, y2: height - bottom }),
    drawn("path", { class: "f", d: line(found.f), "clip-path": `url(#${clip})` }),
    drawn("path", { class: "F", d: line(found.F), "clip-path": `url(#${clip})` }),
    drawn("circle", { class: found.jump ? "mark F" : "mark f", cx: x(found.at), cy: y(found.expected), r: 4.5 }),
    drawn("circle", { class: "mark F", cx: x(found.at), cy: y(found.got), r: 4.5 }),
    ...names.map(([kind, name], i) => label(kind, left + 130 * i, name)),
  );
  for (const value of [xs[0], found.at, xs.at(-1)]) {
    svg.append(drawn("text", { class: "tick", x: x(value), y: height - 8,
      "text-anchor": value === xs[0] ? "start" : value === found.at ? "middle" : "end" }, short(value)));
  }
  for (const value of [low, high]) {
    svg.append(drawn("text", { class: "tick", x: left - 6, y: y(value) + (value === low ? 0 : 9),
      "text-anchor": "end" }, short(value)));
  }
  return svg;
}

// --- the table of samples ---

let data, all, fitting = [], by = null, downwards = false, limit = SHOWN;
const body = document.querySelector("#items tbody");

function row(item) {
  const answer = element("td", {}, item.answer || element("span", { class: "soft" }, "—"));
  const asked = element("td", {}, item.integrand);
  const name = item.sample ? `${item.problem} #${item.sample}` : item.problem;
  const cells = [
    element("td", {}, element("span", { class: `chip s-${item.status}` }, words(item.status))),
    element("td", { class: "soft", title: `${data.names.subset[item.subset]}, ${name}` }, name),
    asked,
    answer,
    element("td", { class: "number" }, item.tokens === null ? "" : String(item.tokens)),
    element("td", { class: "number" }, String(item.length)),
    element("td", { class: "number" }, item.seconds.toFixed(2)),
  ];
  if (data.names.label.length > 1) {
    const label = data.names.label[item.label];
    cells.splice(2, 0, element("td", { class: "soft", title: label }, label));
  }
  const made = element("tr", { class: "row", tabindex: "0", "aria-expanded": "false" }, ...cells);
  made.item = item;
  made.ready = formulas(item.place).then(([question, given]) => {
    if (question[1]) asked.replaceChildren(formula(question));
    if (given[1]) answer.replaceChildren(formula(given));
  });
  return made;
}

async function toggle(made) {
  const open = made.getAttribute("aria-expanded") === "true";
  made.setAttribute("aria-expanded", String(!open));
  if (open) {
    made.nextElementSibling.remove();
    return;
  }
  const cell = element("td", { colspan: made.children.length });
  made.after(element("tr", { class: "open" }, cell));
  const { item } = made;
  cell.append(inside(item, ...await Promise.all([details(item.place), formulas(item.place)])));
}

function show() {
  const rows = fitting.slice(0, limit).map(row);
  body.replaceChildren(...rows);
  const more = field("more");
  more.hidden = fitting.length <= limit;
  more.textContent = `Show ${Math.min(SHOWN, fitting.length - limit)} more`;
  field("count").textContent = `${fitting.length} of ${all.length}`;
  return Promise.all(rows.map((made) => made.ready));
}

function filter() {
  const wanted = field("words").value.toLowerCase().split(/\s+/).filter(Boolean);
  const chosen = ["status", "subset", "label"].filter((name) => field(name) && field(name).value);
  fitting = all.filter((item) =>
    chosen.every((name) => String(item[name]) === field(name).value) &&
    wanted.every((word) => item.words.includes(word)));
  sort();
  limit = SHOWN;
  return show();
}

const text_ = new Intl.Collator(undefined, { numeric: true });

function sort() {
  const value = (item) => (by === "label" ? data.names.label[item.label] : item[by]);
  const compare = (a, b) => {
    const one = value(a), other = value(b);
    if (typeof one === "number" && typeof other === "number") return one - other;
    return text_.compare(one ?? "", other ?? "");
  };
  const sign = downwards ? -1 : 1;
  fitting.sort((a, b) => (by && sign * compare(a, b)) || a.order - b.order);
}

function headings(table, choose) {
  const all = [...table.querySelectorAll("th")];
  for (const heading of all) {
    heading.querySelector("button").addEventListener("click", () => {
      const down = heading.getAttribute("aria-sort") === "ascending";
      all.forEach((other) => other.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", down ? "descending" : "ascending");
      choose(heading, down);
    });
  }
}

// Tables that are in the page already: by number where the cells begin with one.
for (const table of document.querySelectorAll("table.sortable")) {
  for (const heading of table.querySelectorAll("th")) {
    heading.replaceChildren(element("button", {}, heading.textContent));
  }
  headings(table, (heading, down) => {
    const column = [...heading.parentElement.children].indexOf(heading);
    const key = (line) => line.children[column].textContent.trim();
    const lines = [...table.tBodies[0].rows];
    lines.sort((a, b) => {
      const one = parseFloat(key(a)), other = parseFloat(key(b));
      const order = Number.isNaN(one) || Number.isNaN(other)
        ? Number.isNaN(one) - Number.isNaN(other) || text_.compare(key(a), key(b))
        : one - other;
      return down ? -order : order;
    });
    table.tBodies[0].append(...lines);
  });
}

headings(field("items"), (heading, down) => {
  [by, downwards] = [heading.dataset.by, down];
  sort();
  show();
});
body.addEventListener("click", (event) => {
  const made = event.target.closest("tr.row");
  if (made && !String(document.getSelection())) toggle(made);
});
body.addEventListener("keydown", (event) => {
  const made = event.target.closest("tr.row");
  if (!made) return;
  const step = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
  if (step) {
    let next = made[step];
    while (next && !next.classList.contains("row")) next = next[step];
    if (next) next.focus();
  } else if (event.key === "Enter" || event.key === " ") {
    toggle(made);
  } else {
    return;
  }
  event.preventDefault();
});
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, select, textarea");
  if (event.key === "/" && !typing) {
    field("words").focus();
    event.preventDefault();
  } else if (event.key === "Escape" && typing) {
    typing.blur();
  } else if (event.key === "ArrowDown" && event.target === field("words")) {
    body.querySelector("tr.row")?.focus();
    event.preventDefault();
  }
});
field("more").addEventListener("click", () => {
  const rows = fitting.slice(limit, limit + SHOWN).map(row);
  body.append(...rows);
  limit += SHOWN;
  field("more").hidden = fitting.length <= limit;
  rows[0]?.focus();
});
for (const name of ["words", "status", "subset", "label"]) field(name)?.addEventListener("input", filter);

async function start() {
  if (typeof DecompressionStream === "undefined") {
    field("count").textContent = "The problems need a browser of 2023 or later.";
    return;
  }
  data = await unpack("index");
  const columns = Object.entries(data.index);
  all = data.index.problem.map((_, place) => {
    const item = Object.fromEntries(columns.map(([name, values]) => [name, values[place]]));
    item.place = place;
    item.words = `${item.problem} ${item.integrand} ${item.answer}`.toLowerCase();
    return item;
  });
  const first = new Map(); // all samples of a problem together, in the order of the plan
  for (const item of all) {
    const key = `${item.subset} ${item.problem}`;
    if (!first.has(key)) first.set(key, first.size);
    item.first = first.get(key);
  }
  [...all].sort((a, b) => a.first - b.first || a.run - b.run || a.label - b.label || a.sample - b.sample)
    .forEach((item, order) => { item.order = order; });
  await filter();
  document.body.dataset.ready = String(Math.round(performance.now()));
}
start();
