
"use strict";
(() => {
  // The page is whole without this: here tables learn to sort, and charts to be chosen.
  const key = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.v !== undefined ? Number(cell.dataset.v) : cell.textContent;
  };
  const order = (a, b) => {
    if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
    return typeof a === "number" ? -1 : 1;
  };
  // What has no figure stands last, whichever way the rest goes.
  const sort = (table, column, descending) => {
    const body = table.tBodies[0];
    const rows = Array.from(body.rows, (row) => [key(row, column), row]);
    rows.sort(([a], [b]) => typeof a === typeof b && descending ? order(b, a) : order(a, b));
    for (const [, row] of rows) body.append(row);
  };
  const makeSortable = (table) => {
    const heads = Array.from(table.tHead.rows[0].cells);
    heads.forEach((head, column) => {
      if (head.classList.contains("bars") || !head.textContent) return;
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        // Figures are wanted from the top, names from A.
        const first = head.classList.contains("r") ? "descending" : "ascending";
        const other = first === "ascending" ? "descending" : "ascending";
        const next = head.getAttribute("aria-sort") === first ? other : first;
        for (const h of heads) h.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", next);
        sort(table, column, next === "descending");
      });
    });
  };
  const makeChoice = (box) => {
    const charts = Array.from(box.querySelectorAll("[data-of]"));
    const names = [...new Set(charts.map((c) => c.dataset.of))];
    if (names.length < 2) return;
    const label = document.createElement("label");
    const select = document.createElement("select");
    label.className = "choice";
    label.append("Show ", select);
    for (const name of [...names, "all"]) select.add(new Option(name, name));
    const show = () => {
      for (const c of charts) c.hidden = select.value !== "all" && c.dataset.of !== select.value;
    };
    select.addEventListener("change", show);
    box.prepend(label);
    show();
  };
  for (const table of document.querySelectorAll("table")) {
    if (!table.closest(".tree") && table.tBodies[0].rows.length > 2) makeSortable(table);
  }
  for (const box of document.querySelectorAll("[data-choice]")) makeChoice(box);
})();
