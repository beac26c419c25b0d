// What stands over the table: which columns are shown, and how two chosen models do beside each other.
function showColumnChoice() {
  const turned = turnedAround();
  field("columns").replaceChildren(...table().columns().slice(1).map((column) => {
    const name = encodeURIComponent(column.by);
    const box = element("input", { type: "checkbox" });
    box.checked = Boolean(column.off) === turned.has(name);
    box.addEventListener("change", async () => {
      if (!turned.delete(name)) turned.add(name);
      await choose({ columns: [...turned].join(" ") });
      field("columns").querySelectorAll("input")[table().columns().slice(1).findIndex(({ by }) => by === column.by)]
        ?.focus();
    });
    return element("label", {}, box, " ", column.heading);
  }));
}

// Of the problems that both models were asked, how many each outcome has; a click filters by it.
function showVersus() {
  const box = field("versus"), [a, b] = chosenModels();
  if (!box) return;
  box.hidden = !comparesModels();
  if (box.hidden) return;
  const common = problems.filter((problem) => share(problem, a) !== null && share(problem, b) !== null &&
    (!state.subset || names.subset[problem.subset] === state.subset));
  const buttons = [...OF_TWO].map(([outcome, heading]) => {
    const button = element("button", { type: "button", class: "plain", "aria-pressed": String(state.show === outcome) },
      `${heading}: ${common.filter(SHOWN_BY[outcome]).length}`);
    button.addEventListener("click", () => choose({ show: state.show === outcome ? "" : outcome }));
    return button;
  });
  box.replaceChildren(element("span", {}, element("b", {}, "A "), names.short[a], " beside ",
    element("b", {}, "B "), names.short[b], `, ${common.length} problems asked of both`), ...buttons);
}
