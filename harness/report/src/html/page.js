"use strict";
(() => {
  const root = document.documentElement;
  root.classList.add("js");
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

  // A member under the pointer is lit in every map of its section.
  const light = (event) => {
    const member = event.target.closest?.("[data-m]");
    all(".lit").forEach((other) => other.classList.remove("lit"));
    const section = member?.closest(".lights,.block,.case");
    if (section) {
      all("[data-m]", section).filter((other) => other.dataset.m === member.dataset.m)
        .forEach((other) => other.classList.add("lit"));
    }
  };
  document.addEventListener("mouseover", light);

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button.copy");
    if (button) {
      const text = button.parentElement.querySelector("code").textContent;
      navigator.clipboard?.writeText(text).then(() => { button.textContent = "copied"; });
    }
  });

  // A link may lead to a case that is folded.
  const unfold = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const folded = target?.closest("details");
    if (folded) {
      folded.open = true;
      target.scrollIntoView();
    }
  };
  addEventListener("hashchange", unfold);
  unfold();

  // The Tab key stops once at a matrix, however many cells it has; the arrow keys lead from cell to cell.
  // Source: ARIA Authoring Practices Guide, "Grid (Interactive Tabular Data and Layout Containers) Pattern".
  const makeGrid = (table) => {
    const rows = all("tr", table.tBodies[0]).map((row) => [...row.cells].map((cell) => cell.querySelector("a") ?? cell));
    const places = new Map();
    rows.forEach((cells, row) => cells.forEach((cell, column) => {
      cell.tabIndex = -1;
      places.set(cell, { row, column });
    }));
    let current = rows[0]?.find((cell) => cell.matches("td a")) ?? rows[0]?.[0];
    if (!current) return;
    current.tabIndex = 0;
    table.setAttribute("role", "grid");

    table.addEventListener("focusin", ({ target }) => {
      if (!places.has(target)) return;
      current.tabIndex = -1;
      current = target;
      current.tabIndex = 0;
    });
    table.addEventListener("keydown", (event) => {
      const place = places.get(event.target);
      if (!place || event.altKey || event.metaKey || event.shiftKey) return;
      const { row, column } = place;
      const [lastRow, lastColumn] = [rows.length - 1, rows[row].length - 1];
      const next = {
        ArrowLeft: () => rows[row][column - 1],
        ArrowRight: () => rows[row][column + 1],
        ArrowUp: () => rows[row - 1]?.[column],
        ArrowDown: () => rows[row + 1]?.[column],
        Home: () => rows[event.ctrlKey ? 0 : row][0],
        End: () => rows[event.ctrlKey ? lastRow : row][lastColumn],
      }[event.key];
      if (!next || (event.ctrlKey && event.key.startsWith("Arrow"))) return;
      event.preventDefault();
      const cell = next();
      cell?.focus();
      // A browser may take a cell for visible of which a part is.
      cell?.scrollIntoView({ block: "nearest", inline: "nearest" });
    });
  };
  all("table.matrix").forEach(makeGrid);

  const search = document.getElementById("search");
  if (!search) return;
  const outcome = document.getElementById("outcome");
  const rules = document.getElementById("rules");
  const producer = document.getElementById("producer");
  const count = document.getElementById("count");
  const cases = all(".case");
  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const one of cases) {
      const checks = one.dataset.checks.split(" ");
      const fits = (check) => {
        const [ofOutcome, ofRules, ofPlace] = check.split(":");
        return (!outcome.value || ofOutcome === outcome.value) && (!rules.value || ofRules === rules.value) &&
          (!producer.value || ofPlace === producer.value);
      };
      const text = one.firstElementChild.textContent.toLowerCase();
      const isShown = words.every((word) => text.includes(word)) && checks.some(fits);
      one.hidden = !isShown;
      shown += isShown;
    }
    count.textContent = `${shown} of ${cases.length} cases`;
  };
  [search, outcome, rules, producer].forEach((input) => input.addEventListener("input", filter));
  filter();

  document.addEventListener("click", (event) => {
    const cell = event.target.closest("a[data-rules]");
    if (cell) {
      rules.value = cell.dataset.rules;
      producer.value = cell.dataset.place;
      outcome.value = "";
      search.value = "";
      filter();
    }
  });
})();
