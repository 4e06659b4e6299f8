"use strict";
(() => {
  const MOST_SHOWN = 12;
  // This script is in the site's root, as is the list.
  const root = new URL(".", document.currentScript.src);
  const button = document.querySelector(".find-button");
  if (!button) return;

  const dialog = document.createElement("dialog");
  dialog.className = "find";
  dialog.setAttribute("aria-label", "Search");
  const input = document.createElement("input");
  input.type = "search";
  input.placeholder = "Search rules, surprises, bugs, cases, docs";
  input.setAttribute("aria-label", "Search");
  const status = document.createElement("p");
  status.className = "note";
  status.setAttribute("role", "status");
  const found = document.createElement("ul");
  dialog.append(input, status, found);
  document.body.append(dialog);

  const load = () => new Promise((resolve) => {
    if (window.layoutproofPlaces) return resolve();
    const script = document.createElement("script");
    script.src = new URL("search-index.js", root);
    script.onload = resolve;
    document.head.append(script);
  });

  // All words have to occur. Words at the start of a title count most, then those in it.
  const weight = ([, title, , words], wanted) => {
    const [inTitle, inWords] = [title.toLowerCase(), words.toLowerCase()];
    let sum = 0;
    for (const word of wanted) {
      if (inTitle.startsWith(word)) sum += 8;
      else if (inTitle.includes(` ${word}`)) sum += 5;
      else if (inTitle.includes(word)) sum += 3;
      else if (inWords.includes(word)) sum += 1;
      else return 0;
    }
    return sum;
  };
  const item = ([part, title, path]) => {
    const link = document.createElement("a");
    link.href = new URL(path, root);
    const kind = document.createElement("span");
    kind.className = "dim";
    kind.textContent = part;
    link.append(title, " ", kind);
    const line = document.createElement("li");
    line.append(link);
    return line;
  };
  const search = () => {
    const wanted = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const places = window.layoutproofPlaces ?? [];
    const fitting = wanted.length ? places.map((place) => [weight(place, wanted), place]).filter(([sum]) => sum) : [];
    fitting.sort(([one, a], [other, b]) => other - one || a[1].length - b[1].length);
    found.replaceChildren(...fitting.slice(0, MOST_SHOWN).map(([, place]) => item(place)));
    const more = fitting.length - MOST_SHOWN;
    status.textContent = !wanted.length ? "" : !fitting.length ? "Nothing found." : more > 0 ? `${more} more: add a word` : "";
  };

  const open = async () => {
    if (dialog.open) return;
    dialog.showModal();
    input.select();
    await load();
    search();
  };
  button.addEventListener("click", open);
  input.addEventListener("input", search);
  document.addEventListener("keydown", (event) => {
    const types = event.target.closest?.("input, textarea, select, [contenteditable]");
    if (event.key === "/" && !types && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      open();
    }
  });
  dialog.addEventListener("keydown", (event) => {
    const links = [...found.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    if (event.key === "ArrowDown") links[Math.min(at + 1, links.length - 1)]?.focus();
    else if (event.key === "ArrowUp") (links[at - 1] ?? input).focus();
    else if (event.key === "Enter" && event.target === input) links[0]?.click();
    else return;
    event.preventDefault();
  });
  // A click outside the box closes it, and so does a link, whose target may be on this page.
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog || event.target.closest("a")) dialog.close();
  });
})();
