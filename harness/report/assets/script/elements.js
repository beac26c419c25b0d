// No text of a model is ever parsed as markup: elements are made one by one, texts are texts.
const SVG = "http://www.w3.org/2000/svg";
const MATHML = "http://www.w3.org/1998/Math/MathML";
const field = (id) => document.getElementById(id);
const words = (status) => status.replaceAll("_", " ");
const byText = new Intl.Collator(undefined, { numeric: true });

function filled(made, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null) made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

const element = (name, attributes = {}, ...children) =>
  filled(document.createElement(name), attributes, children);
const drawn = (name, attributes, ...children) =>
  filled(document.createElementNS(SVG, name), attributes, children);

// A name that a narrow cell may break after a slash or an underscore.
const breakable = (name) => name.split(/(?<=[/_])/).flatMap((part) => [part, element("wbr")]);

function mathematics([name, attributes, ...children]) {
  const made = document.createElementNS(MATHML, name);
  return filled(made, attributes,
    children.map((child) => (Array.isArray(child) ? mathematics(child) : child)));
}

const formula = ([latex, tree]) => (tree ? mathematics(tree) : element("code", {}, latex));
// A formula over its LaTeX; where it cannot be drawn, the LaTeX alone.
const shownFormula = ([latex, tree], code) => [
  ...(tree ? [cuttable(element("div", { class: "formula", tabindex: "0" }, mathematics(tree)))] : []),
  ...(code ? [code] : tree ? [] : [element("code", { class: "latex" }, latex)]),
];
// Marks what is wider than its place, as long as there is more to the right.
const markCut = (box) => box.classList.toggle("cut", box.scrollWidth - box.scrollLeft > box.clientWidth + 1);
const widths = new ResizeObserver((entries) => {
  for (const { target } of entries) markCut(target.closest(".cuttable"));
});
function cuttable(box) {
  box.classList.add("cuttable");
  for (const part of [box, box.firstElementChild]) if (part) widths.observe(part);
  box.addEventListener("scroll", () => markCut(box), { passive: true });
  return box;
}

// A formula in a row of a table, on one line.
const shortFormula = (text) =>
  cuttable(element("div", { class: "formula short" }, element("span", {}, text)));
const chip = (status) => element("span", { class: `chip s-${status}` }, words(status));

// A list of what is chosen from; `chosen` is a value.
function choice(label, options, chosen, change) {
  const made = element("select", { "aria-label": label },
    ...options.map(([value, text]) => element("option", { value }, text)));
  made.value = String(chosen);
  made.addEventListener("change", () => change(made.value));
  return made;
}
