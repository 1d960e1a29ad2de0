
"use strict";
(() => {
  // The page is complete without this script, which lets readers sort tables and choose charts.
  const key = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.v !== undefined ? Number(cell.dataset.v) : cell.textContent;
  };
  const order = (a, b) => {
    if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
    return typeof a === "number" ? -1 : 1;
  };
  // Rows without a figure in the column stay last in either order.
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
        // The first click sorts figures from the largest down, and names from A to Z.
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
  // A click, or the arrow keys and Enter, make a box of the flame graph as wide as the page; Escape
  // shows all boxes.
  const makeZoom = (graph) => {
    const boxes = Array.from(graph.children).filter((e) => e.tagName === "svg").map((e) => ({
      e, x: parseFloat(e.getAttribute("x")), w: parseFloat(e.getAttribute("width")), y: Number(e.getAttribute("y")),
    }));
    const said = document.createElement("p");
    said.className = "said";
    said.setAttribute("aria-live", "polite");
    graph.after(said);
    graph.tabIndex = 0;
    let at = boxes[0];
    const holds = (a, b) => a.y <= b.y && a.x <= b.x + 1e-6 && a.x + a.w >= b.x + b.w - 1e-6;
    const select = (box) => {
      if (!box) return;
      at.e.classList.remove("at");
      at = box;
      at.e.classList.add("at");
      said.textContent = at.e.querySelector("title").textContent;
    };
    const zoom = (to) => {
      for (const b of boxes) {
        const outer = holds(b, to);
        const inner = holds(to, b);
        b.e.setAttribute("display", outer || inner ? "inline" : "none");
        b.e.setAttribute("x", outer ? "0%" : (b.x - to.x) / to.w * 100 + "%");
        b.e.setAttribute("width", outer ? "100%" : b.w / to.w * 100 + "%");
      }
      select(to);
    };
    const shown = (b) => b.e.getAttribute("display") !== "none";
    const row = (y) => boxes.filter((b) => b.y === y && shown(b));
    const beside = (by) => { const r = row(at.y); return r[r.indexOf(at) + by]; };
    const keys = {
      ArrowLeft: () => select(beside(-1)),
      ArrowRight: () => select(beside(1)),
      ArrowUp: () => select(boxes.findLast((b) => b !== at && b.y < at.y && holds(b, at))),
      ArrowDown: () => select(row(at.y + boxes[1].y).find((b) => holds(at, b))),
      Enter: () => zoom(at),
      Escape: () => zoom(boxes[0]),
    };
    graph.addEventListener("keydown", (event) => {
      if (!keys[event.key] || !boxes[1]) return;
      event.preventDefault();
      keys[event.key]();
    });
    for (const b of boxes) b.e.addEventListener("click", () => zoom(b === at ? boxes[0] : b));
  };
  // Opens the collapsed section whose id is in the address of the page (#ID).
  const unfold = () => {
    const section = document.getElementById(location.hash.slice(1));
    const folded = section && section.querySelector(":scope > details");
    if (folded) folded.open = true;
  };
  window.addEventListener("hashchange", unfold);
  unfold();
  for (const graph of document.querySelectorAll(".flame")) makeZoom(graph);
  for (const table of document.querySelectorAll("table")) {
    if (!table.closest(".tree") && table.tBodies[0].rows.length > 2) makeSortable(table);
  }
  for (const box of document.querySelectorAll("[data-choice]")) makeChoice(box);
})();
