"use strict";
(() => {
  const root = document.documentElement;
  root.classList.add("js");

  // The reader's theme. It is set before the page appears; a browser may keep nothing for files.
  const THEMES = ["system", "light", "dark"];
  const stored = () => { try { return localStorage.getItem("theme"); } catch { return null; } };
  const store = (theme) => { try { localStorage.setItem("theme", theme); } catch { /* lasts for this page */ } };
  let theme = THEMES.includes(stored()) ? stored() : "system";
  const useTheme = () => {
    if (theme === "system") delete root.dataset.theme;
    else root.dataset.theme = theme;
  };
  useTheme();

  document.addEventListener("DOMContentLoaded", () => {
    const all = (selector, within = document) => [...within.querySelectorAll(selector)];

    for (const button of all(".theme-button")) {
      const name = () => { button.title = `Theme: ${theme}`; button.setAttribute("aria-label", button.title); };
      button.addEventListener("click", () => {
        theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
        store(theme);
        useTheme();
        name();
      });
      name();
    }

    // Sections below each other become tabs.
    // Source: ARIA Authoring Practices Guide, "Tabs Pattern".
    let tabCount = 0;
    const makeTabs = (group) => {
      const sections = all(":scope > .tab", group);
      if (sections.length < 2) return;
      const list = document.createElement("div");
      list.className = "tablist";
      list.setAttribute("role", "tablist");
      if (group.dataset.label) list.setAttribute("aria-label", group.dataset.label);
      const tabs = sections.map((section) => {
        tabCount += 1;
        section.id ||= `tab-${tabCount}`;
        section.setAttribute("role", "tabpanel");
        const tab = document.createElement("button");
        tab.type = "button";
        tab.id = `${section.id}-name`;
        tab.textContent = section.querySelector(".tab-name").textContent;
        tab.setAttribute("role", "tab");
        tab.setAttribute("aria-controls", section.id);
        section.setAttribute("aria-labelledby", tab.id);
        return tab;
      });
      const select = (index) => {
        tabs.forEach((tab, place) => {
          tab.setAttribute("aria-selected", place === index);
          tab.tabIndex = place === index ? 0 : -1;
          sections[place].hidden = place !== index;
        });
        group.dispatchEvent(new CustomEvent("tab", { bubbles: true, detail: sections[index].id }));
      };
      list.addEventListener("click", ({ target }) => {
        const index = tabs.indexOf(target.closest("button"));
        if (index >= 0) select(index);
      });
      list.addEventListener("keydown", (event) => {
        const index = tabs.indexOf(event.target);
        const next = { ArrowLeft: index - 1, ArrowRight: index + 1, Home: 0, End: tabs.length - 1 }[event.key];
        if (index < 0 || next === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        const place = (next + tabs.length) % tabs.length;
        select(place);
        tabs[place].focus();
      });
      sections.forEach((section, index) => section.addEventListener("show-tab", () => select(index)));
      list.append(...tabs);
      group.prepend(list);
      group.classList.add("ready");
      select(0);
    };
    all(".tabs").forEach(makeTabs);
    // A script may add parts later.
    document.addEventListener("parts", ({ target }) => all(".tabs", target).forEach(makeTabs));

    // A menu closes when the focus or a click leaves it, or with Escape.
    const closeMenus = (except) => all("details.menu[open]").filter((menu) => menu !== except).forEach((menu) => { menu.open = false; });
    document.addEventListener("click", ({ target }) => closeMenus(target.closest?.("details.menu")));
    document.addEventListener("focusin", ({ target }) => closeMenus(target.closest?.("details.menu")));
    document.addEventListener("keydown", (event) => {
      const menu = event.key === "Escape" && event.target.closest?.("details.menu[open]");
      if (!menu) return;
      menu.open = false;
      menu.querySelector("summary").focus();
    });

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
        const text = button.closest(".code, li, dd, div, p")?.querySelector("code")?.textContent;
        if (text !== undefined) navigator.clipboard?.writeText(text).then(() => { button.textContent = "copied"; });
      }
    });

    // A link may lead into something that is folded, or to a tab that is not shown.
    const unfold = () => {
      const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
      if (!target) return;
      for (let around = target; around; around = around.parentElement) {
        if (around.matches("details")) around.open = true;
        if (around.matches(".tab[hidden]")) around.dispatchEvent(new Event("show-tab"));
      }
      target.scrollIntoView();
    };
    addEventListener("hashchange", unfold);
    unfold();

    // The Tab key stops once at a matrix, however many cells it has; the arrow keys lead from cell to cell.
    // Source: ARIA Authoring Practices Guide, "Grid (Interactive Tabular Data and Layout Containers) Pattern".
    const makeGrid = (table) => {
      const rows = all("tr", table.tBodies[0]).map((row) => [...row.cells].flatMap((cell) => {
        const links = all("a", cell);
        return links.length ? links : [cell];
      }));
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
  });
})();
