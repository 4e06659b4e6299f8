"use strict";
(() => {
  const explorer = document.getElementById("explorer");
  if (!explorer) return;
  // The style needs no `:has`, which would be looked for again after each answer.
  document.documentElement.classList.toggle("explorer-page", !explorer.dataset.page);
  const $ = (part) => document.getElementById(`explorer-${part}`);
  const all = (selector, within = explorer) => [...within.querySelectorAll(selector)];

  const ANSWER_LIMIT = 2000;
  const PADDING_DELAY = 150;
  const LONGEST_LINK = 60000;
  const LONGEST_COLOURED = 100000;
  const LONGEST_COLOURED_LINE = 5000;
  const MOST_NUMBERED = 20000;
  const LONGEST_DRAWN = 3000000;
  const EXAMPLES = [
    ["hlsl", "float3, then float", "cbuffer Scene {\n    float3 sun;\n    float  exposure;\n    float  weights[2];\n    float  gamma;\n    float2 jitter;\n};\n"],
    ["hlsl", "Order of members", "struct Light {\n    float  range;\n    float3 position;\n    bool   castsShadows;\n    float3 colour;\n    float  angle;\n};\n\nStructuredBuffer<Light> lights;\n\ncbuffer Frame {\n    Light sun;\n    row_major float3x4 view;\n    uint count;\n};\n"],
    ["hlsl", "Registers and bindings", "Texture2D albedo;\nTexture2D normals[4];\nSamplerState linearSampler;\nRWStructuredBuffer<float4> result;\nConstantBuffer<float4> tint : register(b3, space1);\n\n[numthreads(8, 8, 1)]\nvoid main(uint3 id : SV_DispatchThreadID) {\n    result[id.x] = albedo[id.xy] * tint + normals[1][id.xy];\n}\n"],
    ["slang", "Parameter block", "struct Material {\n    float3 albedo;\n    float  roughness;\n    float3x3 uv;\n    Texture2D map;\n};\n\nParameterBlock<Material> material;\n\nstruct Node { float3 centre; half weight; Node* next; };\nStructuredBuffer<Node> nodes;\n"],
    ["glsl", "std140 and std430", "#version 450\nstruct Light { vec3 position; float range; float falloff[3]; };\n\nlayout(std140, binding = 0) uniform Uniforms { Light sun; mat3 view; };\nlayout(std430, binding = 1) buffer Storage { Light lights[4]; mat3 views[2]; };\n\nvoid main() {}\n"],
    ["wgsl", "Uniform and storage", "struct Light { position: vec3<f32>, range: f32, colour: vec3<f32>, angle: f32 }\nstruct Frame { @align(16) exposure: f32, view: mat3x3<f32>, lights: array<Light, 2> }\n\n@group(0) @binding(0) var<uniform> frame: Frame;\n@group(0) @binding(1) var<storage> weights: array<vec2<f32>>;\n"],
  ];

  const text = $("text");
  const ink = $("ink");
  const gutter = $("gutter");
  const language = $("language");
  const status = $("status");
  // On the home page, links lead to the explorer's own page.
  const ownPage = explorer.dataset.page;
  const USUAL_BINDINGS = ["d3d12.dxc", "vulkan.dxc", "vulkan.slang"];
  const chosen = { columns: [], bindings: USUAL_BINDINGS, tab: "offsets", host: "cpp" };
  let offered = null;
  let answered = null;

  // --- Questions: one at a time to a worker that is ended when it takes too long or crashes.

  let module = null;
  let worker = null;
  let current = null;
  let timer = 0;
  const waiting = [];

  const start = () => {
    worker = new Worker("explorer-worker.js");
    worker.onmessage = ({ data }) => (data.choices ? begin(data.choices) : finish(data));
    worker.onerror = (event) => finish({ crashed: event.message || "the worker ended" });
    worker.postMessage({ module });
  };
  const begin = (choices) => {
    if (!offered) offer(choices);
    worker.isReady = true;
    next();
  };
  const next = () => {
    if (current || !worker?.isReady || !waiting.length) return;
    current = waiting.shift();
    timer = setTimeout(() => finish({ late: true }), ANSWER_LIMIT);
    worker.postMessage(current.question);
  };
  const finish = (result) => {
    clearTimeout(timer);
    const { resolve } = current ?? {};
    current = null;
    if (result.late || result.crashed) {
      worker.terminate();
      start();
    }
    resolve?.(result);
    next();
  };
  // A question about the text replaces a waiting one of the same kind.
  const ask = (question) => new Promise((resolve) => {
    const isReplaced = (other) => !question.copied && !other.copied && !question.padding === !other.padding;
    for (let at = waiting.length - 1; at >= 0; at--) if (isReplaced(waiting[at].question)) waiting.splice(at, 1)[0].resolve(null);
    waiting.push({ question, resolve });
    next();
  });

  // --- What is typed.

  const lines = (value) => value.split(/\s+/).filter(Boolean);
  const request = () => ({
    language: language.value,
    text: text.value,
    columns: chosen.columns,
    bindings: chosen.bindings,
    defines: lines($("defines").value),
    entry: $("entry").value.trim(),
    matrix: $("matrix").value,
    wideHalf: $("half").value === "4",
  });

  const show = async () => {
    paint([]);
    const asked = request();
    const began = performance.now();
    const result = await ask({ request: asked });
    if (!result) return;
    explorer.dataset.milliseconds = (performance.now() - began).toFixed(1);
    explorer.dataset.answers = Number(explorer.dataset.answers ?? 0) + 1;
    if (result.answer) draw(result.answer, performance.now() - began);
    else if (result.late) fail("This text takes more than 2 seconds, so the explorer stopped. The command has longer limits: layoutproof show FILE.");
    else if (result.crashed) fail(`This text ended the program (${result.crashed}). It was started anew; the last layouts are still shown.`);
    else fail(result.refused);
  };
  const fail = (sentence) => {
    status.textContent = sentence;
    status.className = "bad";
    answered = null;
    list([]);
    explorer.classList.add("outdated");
  };

  const counted = (number, word) => (number === 1 ? `1 ${word}` : `${number} ${word}s`);
  const draw = (answer, milliseconds) => {
    answered = answer;
    const errors = answer.problems.filter(({ severity }) => severity === "error").length;
    status.textContent = summary(answer, errors, milliseconds);
    status.className = errors ? "bad" : "";
    explorer.classList.toggle("outdated", !answer.isRead);
    list(answer.problems);
    paint(answer.problems);
    if (answer.isRead) fill();
  };
  const summary = ({ isRead, blocks, differing }, errors, milliseconds) => {
    const parts = [];
    if (isRead) parts.push(`Laid out in ${Math.max(1, Math.round(milliseconds))} ms`);
    if (isRead && blocks > 1) parts.push(`${differing || "none"} of ${blocks} blocks ${differing === 1 ? "differs" : "differ"}`);
    if (errors) parts.push(counted(errors, "error"));
    else if (!isRead) parts.push("Nothing to lay out");
    if (!isRead && Object.keys(drawn).length) parts.push("the last layouts are still shown");
    return parts.join(" · ");
  };

  // --- The panel of the chosen tab. The others cost nothing until they are shown.

  // A browser takes longer to draw than the program to answer, and a comment or a space moves nothing.
  const drawn = {};
  const put = (tab, markup) => {
    if (drawn[tab] === markup) return;
    drawn[tab] = markup;
    // The program makes these parts, and it escapes every name.
    $(tab).innerHTML = markup.length > LONGEST_DRAWN ? "<p class=note>Too many members for a page: “Copy”, “JSON” has all of them.</p>" : markup;
  };
  const fill = () => {
    if (!answered?.isRead) return;
    const { offsets, maps, bindings } = answered;
    switch (chosen.tab) {
      case "offsets": put("offsets", offsets); break;
      case "bytes": put("bytes", maps); reachScrolled(); break;
      case "bindings": put("bindings", bindings || "<p class=note>The text says its own bindings, or no target is chosen.</p>"); break;
      case "padding": writePadding(); break;
      default: writeHost();
    }
    lightMember();
  };
  const panel = () => $(chosen.tab);
  // The keyboard can scroll maps that are wider than the panel.
  const reachScrolled = () => {
    for (const map of all("#explorer-bytes figure")) {
      if (map.scrollWidth > map.clientWidth) map.tabIndex = 0;
      else map.removeAttribute("tabindex");
    }
  };
  addEventListener("resize", reachScrolled);

  // Finding better orders of members takes longer than everything else, so it waits for a pause in typing.
  let orders = [];
  let ordered = "";
  let ordering = 0;
  const writePadding = () => {
    clearTimeout(ordering);
    ordering = setTimeout(async () => {
      const asked = request();
      const result = await ask({ request: asked, padding: true });
      if (!result) return;
      [orders, ordered] = [result.answer?.orders ?? [], asked.text];
      put("padding", result.answer?.padding ??
        "<p class=note>This text takes too long. The command has longer limits: <code>layoutproof show --padding FILE</code>.</p>");
    }, drawn.padding === undefined ? 0 : PADDING_DELAY);
  };
  const apply = ({ start, end, text: order }) => {
    if (text.value !== ordered) return;
    text.focus();
    text.setSelectionRange(start, end);
    // Unlike a new value, typing can be undone.
    if (!document.execCommand("insertText", false, order)) {
      text.setRangeText(order);
      text.dispatchEvent(new Event("input", { bubbles: true }));
    }
    text.setSelectionRange(start, start);
  };

  const writeHost = async () => {
    const result = await ask({ request: request(), copied: chosen.host });
    $("host-text").textContent = result.answer ?? result.refused ?? "";
    const columns = shownColumns();
    $("host-column").textContent = columns.length ? labelOf("columns", columns[0]) : "this text";
  };

  const select = (tab) => {
    chosen.tab = all("[role=tab]").some(({ dataset }) => dataset.tab === tab) ? tab : "offsets";
    for (const button of all("[role=tab]")) {
      const isChosen = button.dataset.tab === chosen.tab;
      button.setAttribute("aria-selected", isChosen);
      button.tabIndex = isChosen ? 0 : -1;
      $(button.dataset.tab).hidden = !isChosen;
    }
    offerChips();
    fill();
  };
  explorer.querySelector("[role=tablist]").addEventListener("keydown", (event) => {
    const tabs = all("[role=tab]");
    const at = tabs.indexOf(event.target);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1 + tabs.length, Home: 0, End: tabs.length - 1 }[event.key];
    if (at < 0 || next === undefined) return;
    event.preventDefault();
    tabs[next % tabs.length].focus();
    select(tabs[next % tabs.length].dataset.tab);
    save();
  });

  // --- Problems: errors stay in sight, warnings are folded.

  const list = (problems) => {
    const of = (severity) => problems.filter((problem) => problem.severity === severity);
    $("errors").replaceChildren(...of("error").map(item));
    const warnings = of("warning");
    $("warnings").replaceChildren(...warnings.map(item));
    $("warnings-part").hidden = !warnings.length;
    $("warnings-head").textContent = counted(warnings.length, "warning");
    followCaret();
  };
  const item = (problem) => {
    const made = document.createElement("li");
    made.className = problem.severity === "error" ? "bad" : "warned";
    made.dataset.line = problem.line;
    const place = document.createElement("button");
    place.type = "button";
    place.textContent = `${problem.line}:${problem.column}`;
    place.title = "Go to this line and column";
    place.onclick = () => goTo(problem.start, problem.end);
    made.append(place, ` ${problem.message} `);
    const code = document.createElement("code");
    code.textContent = problem.code;
    made.append(code);
    if (problem.help) {
      const help = document.createElement("p");
      help.textContent = problem.help;
      made.append(help);
    }
    return made;
  };
  // Selects a part of the text and scrolls its line to the middle of the editor.
  const goTo = (start, end) => {
    if (!isShown("text")) showPanes(["text", "result"]);
    text.focus({ preventScroll: true });
    text.setSelectionRange(start, Math.max(start, end));
    const line = text.value.slice(0, start).split("\n").length - 1;
    const height = parseFloat(getComputedStyle(text).lineHeight);
    text.scrollTop = line * height - text.clientHeight / 2;
  };

  // --- Colours and marks: ranges of one text behind the text area, without an element for each word.

  const WORDS = {
    comment: /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y,
    string: /"(?:[^"\\\n]|\\.)*"?/y,
    directive: /#[^\n]*|@\w+/y,
    number: /\b(?:0x[\da-f]+|\d[\d.]*(?:e[+-]?\d+)?)[a-z]*/iy,
    word: /[A-Za-z_]\w*/y,
  };
  const KEYWORD = /^(?:struct|cbuffer|tbuffer|class|interface|enum|uniform|buffer|layout|row_major|column_major|register|packoffset|const|static|in|out|inout|readonly|writeonly|coherent|restrict|return|if|else|for|while|namespace|typedef|import|extension|var|let|fn|override|alias|push_constant|std140|std430|scalar|set|binding|storage|private|workgroup|void)$/;
  const TYPE = /^(?:(?:bool|u?int|float|half|double|min16(?:float|u?int)|u?int(?:8|16|32|64)_t|float(?:16|32|64)_t|size_t)(?:[1-4](?:x[1-4])?)?|[biud]?vec[2-4][fiuh]?|[fd]?mat[2-4](?:x[2-4])?[fh]?|[fiu](?:8|16|32|64)|array|atomic|ptr|vector|matrix|(?:RW|RO|Append|Consume)?(?:Structured|ByteAddress|Constant|Texture)Buffer|ConstantBuffer|ParameterBlock|(?:RW)?(?:Texture|Buffer|texture_|image|sampler)\w*|Sampler(?:Comparison)?State)$/;
  const canMark = "highlights" in CSS && typeof Highlight === "function";
  const mark = (name, ranges) => (ranges.length ? CSS.highlights.set(name, new Highlight(...ranges)) : CSS.highlights.delete(name));

  const paint = (problems) => {
    // The last line is empty; without a letter it would have no height.
    if (ink.textContent !== `${text.value}\n`) ink.textContent = `${text.value}\n`;
    const count = text.value.split("\n").length;
    if (gutter.dataset.count !== String(count)) {
      gutter.dataset.count = count;
      gutter.textContent = Array.from({ length: Math.min(count, MOST_NUMBERED) }, (_, index) => index + 1).join("\n");
    }
    follow();
    if (!canMark) return;

    const node = ink.firstChild;
    const range = (from, to) => {
      const made = new Range();
      made.setStart(node, Math.min(from, node.length));
      made.setEnd(node, Math.min(Math.max(to, from + 1), node.length));
      return made;
    };
    const ranges = { comment: [], string: [], directive: [], number: [], keyword: [], type: [] };
    const isLong = text.value.length > LONGEST_COLOURED || text.value.split("\n").some((line) => line.length > LONGEST_COLOURED_LINE);
    const source = isLong ? "" : text.value;
    for (let at = 0; at < source.length;) {
      let taken = 0;
      for (const [kind, pattern] of Object.entries(WORDS)) {
        pattern.lastIndex = at;
        const found = pattern.exec(source);
        if (!found) continue;
        taken = found[0].length;
        const name = kind !== "word" ? kind : KEYWORD.test(found[0]) ? "keyword" : TYPE.test(found[0]) ? "type" : null;
        if (name) ranges[name].push(range(at, at + taken));
        break;
      }
      at += taken || 1;
    }
    for (const [name, all] of Object.entries(ranges)) mark(`ink-${name}`, all);
    for (const severity of ["error", "warning"]) {
      mark(`ink-${severity}`, problems.filter((problem) => problem.severity === severity).map(({ start, end }) => range(start, end)));
    }
  };
  const follow = () => {
    ink.scrollTop = gutter.scrollTop = text.scrollTop;
    ink.scrollLeft = text.scrollLeft;
  };

  // The problems of the caret's line stand out, and the member under it is lit wherever it is drawn.
  const followCaret = () => {
    const line = text.value.slice(0, text.selectionStart).split("\n").length;
    for (const problem of all(".problems li")) problem.toggleAttribute("data-here", problem.dataset.line === String(line));
    lightMember();
  };
  const lightMember = () => {
    const before = text.value.slice(0, text.selectionStart).match(/\w*$/)[0];
    const word = before + text.value.slice(text.selectionStart).match(/^\w*/)[0];
    for (const member of all("[data-m]", panel())) {
      member.classList.toggle("lit", word !== "" && nameOf(member.dataset.m) === word && document.activeElement === text);
    }
  };
  const nameOf = (path) => path.replace(/\[[^\]]*\]/g, "").split(".").pop();
  // A member that is clicked is selected in the text: the first place that can be its declaration.
  const goToMember = (path) => {
    const name = nameOf(path);
    const found = name && new RegExp(`\\b${name}(?=\\s*[[;:,=])`).exec(text.value);
    if (found) goTo(found.index, found.index + name.length);
  };

  // --- Choices: a chip for each target.

  const option = (value, label) => Object.assign(document.createElement("option"), { value, textContent: label });
  const chip = (kind, { name, label }) => {
    const made = document.createElement("button");
    made.type = "button";
    made.className = "chip";
    made.textContent = label;
    made.dataset.kind = kind;
    made.value = name;
    if (label !== name) made.title = name;
    return made;
  };
  const isBinding = () => chosen.tab === "bindings";
  const usualColumns = () => offered.languages.find(({ name }) => name === language.value)?.columns ?? [];
  const shownColumns = () => (chosen.columns.length ? chosen.columns : usualColumns());
  const shownOf = (kind) => (kind === "bindings" ? chosen.bindings : shownColumns());
  const offeredOf = (kind) => (kind === "bindings" ? offered.bindings : [...offered.compilers, ...offered.rules]);
  const labelOf = (kind, name) => offeredOf(kind).find((choice) => choice.name === name)?.label ?? name;

  const offer = (choices) => {
    offered = choices;
    const names = { hlsl: "HLSL", slang: "Slang", glsl: "GLSL", wgsl: "WGSL" };
    language.replaceChildren(...choices.languages.map(({ name }) => option(name, names[name])));
    $("example").append(...EXAMPLES.map(([lang, title], index) => option(index, `${names[lang]}: ${title}`)));
    $("rules").append(...choices.rules.map((choice) => chip("columns", choice)));
    load();
  };
  // In sight are the usual targets and those that are shown; the rest is in the menu.
  const offerChips = () => {
    if (!offered) return;
    const kind = isBinding() ? "bindings" : "columns";
    const usual = isBinding() ? USUAL_BINDINGS : usualColumns();
    const inSight = [...usual, ...shownOf(kind).filter((name) => !usual.includes(name))];
    const hasFocus = document.activeElement?.closest?.("#explorer-chips") && document.activeElement.value;
    $("chips").replaceChildren(...inSight.map((name) => chip(kind, { name, label: labelOf(kind, name) })));
    if (hasFocus) all("#explorer-chips .chip").find(({ value }) => value === hasFocus)?.focus();

    if ($("targets").dataset.kind !== kind) {
      $("targets").dataset.kind = kind;
      const choices = isBinding() ? offered.bindings : offered.compilers;
      const targets = [...new Set(choices.map(({ target }) => target))];
      $("targets").replaceChildren(...targets.map((target) => {
        const group = document.createElement("div");
        group.className = "chips";
        group.setAttribute("role", "group");
        group.setAttribute("aria-label", target);
        group.append(...choices.filter((choice) => choice.target === target).map((choice) => chip(kind, choice)));
        return group;
      }));
    }
    for (const one of all(".chip[data-kind]")) one.setAttribute("aria-pressed", shownOf(one.dataset.kind).includes(one.value));
    const isOwn = !isBinding() && !usualColumns().length;
    $("chips").hidden = $("more").hidden = isOwn;
    $("own-note").hidden = !isOwn;
    $("expert").hidden = isBinding();
    $("usual").hidden = isBinding() ? chosen.bindings.join() === usual.join() : !chosen.columns.length;
  };
  const choose = ({ dataset: { kind }, value }) => {
    const before = shownOf(kind);
    const after = before.includes(value) ? before.filter((name) => name !== value) : [...before, value];
    chosen[kind] = kind === "columns" && after.join() === usualColumns().join() ? [] : after;
    changed();
  };
  $("usual").onclick = () => {
    if (isBinding()) chosen.bindings = USUAL_BINDINGS;
    else chosen.columns = [];
    changed();
  };
  explorer.addEventListener("change", ({ target }) => {
    if (target === $("example")) {
      if (!target.value) return;
      const [lang, , source] = EXAMPLES[target.value];
      language.value = lang;
      text.value = source;
      text.scrollTop = 0;
      chosen.columns = [];
      target.value = "";
    } else if (target === language) {
      chosen.columns = [];
    }
    if (target !== text) changed();
  });

  const countOptions = () => {
    const set = [lines($("defines").value).length, $("entry").value.trim(), $("matrix").value === "row", $("half").value === "4"];
    $("options-set").textContent = set.filter(Boolean).length || "";
  };

  // On a phone, each pane can be hidden to give the other one all of the height.
  const isShown = (pane) => explorer.dataset.panes.split(" ").includes(pane);
  const showPanes = (panes) => {
    explorer.dataset.panes = panes.join(" ");
    for (const button of all("[data-pane]")) button.setAttribute("aria-pressed", isShown(button.dataset.pane));
  };
  const togglePane = (pane) => {
    const other = pane === "text" ? "result" : "text";
    if (!isShown(pane)) showPanes(["text", "result"]);
    else showPanes(isShown(other) ? [other] : ["text", "result"]);
  };

  // --- The address: the whole state, compressed, after `#`. Browsers do not send this part to a server.

  const pipe = async (bytes, through) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(through)).arrayBuffer());
  const encode = (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  const decode = (letters) => Uint8Array.from(atob(letters.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0));
  const fragment = async () => {
    const { text: source, ...rest } = request();
    const state = { ...rest, ...(chosen.tab === "offsets" ? {} : { tab: chosen.tab }), text: source };
    const packed = encode(await pipe(new TextEncoder().encode(JSON.stringify(state)), new CompressionStream("deflate-raw")));
    return `#1.${packed}`;
  };
  const address = async () => new URL(await fragment(), new URL(ownPage ?? "", location.href.split("#")[0])).href;
  const fromFragment = async () => {
    // Pages of the site, and of others, name a text without compression.
    const named = new URLSearchParams(location.hash.slice(1));
    if (named.has("text")) return { ...Object.fromEntries(named), defines: named.getAll("defines") };
    const found = location.hash.match(/^#1\.([\w-]+)$/);
    if (!found) return null;
    try {
      return JSON.parse(new TextDecoder().decode(await pipe(decode(found[1]), new DecompressionStream("deflate-raw"))));
    } catch {
      status.textContent = "The address is damaged: a part of it is missing.";
      return null;
    }
  };
  let saving = 0;
  const save = () => {
    clearTimeout(saving);
    saving = setTimeout(async () => {
      const link = await fragment();
      const fits = link.length <= LONGEST_LINK;
      if (ownPage) $("open").href = fits ? await address() : ownPage;
      else history.replaceState(null, "", fits ? link : location.pathname);
      all("[data-copy=link]").forEach((button) => { button.disabled = !fits; });
    }, 300);
  };

  const words = (value) => (Array.isArray(value) ? value.filter((one) => typeof one === "string") : []);
  const load = async () => {
    const state = (ownPage ? null : await fromFragment()) ?? { language: EXAMPLES[0][0], text: EXAMPLES[0][2] };
    language.value = offered.languages.some(({ name }) => name === state.language) ? state.language : "hlsl";
    text.value = String(state.text ?? "");
    chosen.columns = words(state.columns);
    chosen.bindings = state.bindings ? words(state.bindings) : USUAL_BINDINGS;
    $("defines").value = words(state.defines).join(" ");
    $("entry").value = String(state.entry ?? "");
    $("matrix").value = state.matrix === "row" ? "row" : "column";
    $("half").value = state.wideHalf ? "4" : "2";
    countOptions();
    select(state.tab);
    show();
  };
  if (!ownPage) addEventListener("hashchange", load);

  // --- Texts to copy.

  const copy = async (content, isShown) => {
    const isCopied = await navigator.clipboard?.writeText(content).then(() => true, () => false);
    if (isCopied) status.textContent = "Copied.";
    if (isCopied && !isShown) return;
    $("copied").value = content;
    $("copied-part").hidden = false;
    $("copied").select();
  };
  $("copied-close").onclick = () => { $("copied-part").hidden = true; };
  const copyKind = async (kind) => {
    if (kind === "link") return copy(await address());
    if (kind === "host") return copy($("host-text").textContent);
    const result = await ask({ request: request(), copied: kind });
    if (result.answer === undefined) return void (status.textContent = result.refused ?? "There is nothing to copy.");
    return copy(kind === "markdown" ? `${result.answer}\n[Open in the explorer](${await address()})\n` : result.answer, kind === "case");
  };

  explorer.addEventListener("click", ({ target }) => {
    const button = target.closest("button");
    const member = target.closest(".x-panel [data-m]");
    if (!button) return void (member && goToMember(member.dataset.m));
    const { copy: kind, kind: choice, tab, pane, host, order } = button.dataset;
    if (kind) {
      $("copy").open = false;
      copyKind(kind);
    } else if (choice) {
      choose(button);
    } else if (tab) {
      select(tab);
      save();
    } else if (pane) {
      togglePane(pane);
    } else if (host) {
      chosen.host = host;
      all("[data-host]").forEach((one) => one.setAttribute("aria-pressed", one === button));
      writeHost();
    } else if (order) {
      apply(orders[order]);
    }
  });

  // --- Start.

  const changed = () => {
    countOptions();
    offerChips();
    show();
    save();
  };
  text.addEventListener("input", () => { show(); save(); });
  text.addEventListener("scroll", follow);
  document.addEventListener("selectionchange", () => { if (document.activeElement === text) followCaret(); });
  for (const id of ["defines", "entry"]) $(id).addEventListener("input", changed);

  const loadModule = async () => {
    if (location.protocol === "file:") throw new Error("a browser loads no WebAssembly from a file; serve the folder, as python3 -m http.server does");
    const response = await fetch("layoutproof_web_bg.wasm");
    if (!response.ok) throw new Error(`the server answers ${response.status}`);
    return WebAssembly.compile(await response.arrayBuffer());
  };
  status.textContent = "Loading …";
  if (ownPage || !location.hash) {
    text.value = EXAMPLES[0][2];
    paint([]);
  }
  loadModule().then((compiled) => {
    module = compiled;
    start();
  }).catch((error) => { status.textContent = `The explorer could not be loaded: ${error.message}.`; status.className = "bad"; explorer.classList.add("failed"); });
})();
