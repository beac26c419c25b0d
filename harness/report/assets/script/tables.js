// Tables that are in the page from the start: a heading sorts, by number where cells begin with one.
function headings(table, choose) {
  const all = [...table.querySelectorAll("th[scope=col]")];
  for (const heading of all) {
    heading.querySelector("button")?.addEventListener("click", () => {
      const down = heading.getAttribute("aria-sort") === "ascending";
      all.forEach((other) => other.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", down ? "descending" : "ascending");
      choose(heading, down);
    });
  }
}

for (const box of document.querySelectorAll(".scroll")) cuttable(box);
for (const table of document.querySelectorAll("table.sortable")) {
  for (const heading of table.querySelectorAll("th[scope=col]")) {
    heading.replaceChildren(element("button", {}, ...heading.childNodes));
  }
  headings(table, (heading, down) => {
    const column = [...heading.parentElement.children].indexOf(heading);
    const key = (line) => line.children[column].textContent.trim();
    const lines = [...table.tBodies[0].rows];
    lines.sort((a, b) => {
      const one = parseFloat(key(a)), other = parseFloat(key(b));
      const order = Number.isNaN(one) || Number.isNaN(other)
        ? Number.isNaN(one) - Number.isNaN(other) || byText.compare(key(a), key(b))
        : one - other;
      return down ? -order : order;
    });
    table.tBodies[0].append(...lines);
  });
}
