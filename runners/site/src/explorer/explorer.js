"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const explorer = $("explorer");
  if (!explorer) return;

  const ANSWER_LIMIT = 2000;
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
  const chosen = { columns: [], bindings: ["d3d12.dxc", "vulkan.dxc", "vulkan.slang"] };
  const usual = { bindings: chosen.bindings, languages: [] };
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
    if (!usual.languages.length) offer(choices);
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
  // Of questions about what is typed the last one counts.
  const ask = (question) => new Promise((resolve) => {
    if (!question.copied) {
      for (let at = waiting.length - 1; at >= 0; at--) if (!waiting[at].question.copied) waiting.splice(at, 1)[0].resolve(null);
    }
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
    $("problems").replaceChildren();
    explorer.classList.add("outdated");
  };

  // A browser takes longer to draw than the program to answer, and a comment or a space moves nothing.
  const drawn = {};
  const put = (id, markup) => {
    if (drawn[id] === markup) return;
    drawn[id] = markup;
    $(id).innerHTML = markup;
  };
  const draw = (answer, milliseconds) => {
    answered = answer;
    const count = (severity) => answer.problems.filter((problem) => problem.severity === severity).length;
    const said = (number, word) => (number === 1 ? `1 ${word}` : `${number} ${word}s`);
    const errors = count("error");
    const warnings = count("warning");
    const found = [errors && said(errors, "error"), warnings && said(warnings, "warning")].filter(Boolean).join(", ");
    status.textContent = answer.isRead ? `Laid out in ${Math.max(1, Math.round(milliseconds))} ms${found ? `, ${found}` : ""}.` :
      `${found || "Nothing to lay out"}. ${$("layouts").childElementCount ? "The last layouts are still shown." : ""}`;
    status.className = errors ? "bad" : "";
    explorer.classList.toggle("outdated", !answer.isRead);
    list(answer.problems);
    paint(answer.problems);
    if (!answer.isRead) return;

    // These three are made by the program, which escapes every name.
    put("layouts", answer.layouts.length > LONGEST_DRAWN ?
      "<p class=note>Too many members for a page: “Copy as JSON” has all of them.</p>" : answer.layouts);
    put("padding", answer.padding);
    put("bindings", answer.bindings || "<p class=note>The text says its own bindings, or no convention is chosen.</p>");
    reachScrolled();
    lightMember();
    if ($("host-part").open) writeHost();
  };
  // What is wider than its place is scrolled with the keyboard as well.
  const reachScrolled = () => {
    for (const map of document.querySelectorAll("#layouts figure")) {
      if (map.scrollWidth > map.clientWidth) map.tabIndex = 0;
      else map.removeAttribute("tabindex");
    }
  };
  addEventListener("resize", reachScrolled);

  const list = (problems) => {
    $("problems").replaceChildren(...problems.map((problem) => {
      const item = document.createElement("li");
      item.className = problem.severity === "error" ? "bad" : "warned";
      const place = document.createElement("button");
      place.type = "button";
      place.textContent = `${problem.line}:${problem.column}`;
      place.title = "Go to this line and column";
      place.onclick = () => {
        text.focus();
        text.setSelectionRange(problem.start, Math.max(problem.end, problem.start));
      };
      item.append(place, ` ${problem.severity}: ${problem.message} `);
      const code = document.createElement("code");
      code.textContent = problem.code;
      item.append(code);
      if (problem.help) {
        const help = document.createElement("p");
        help.className = "note";
        help.textContent = problem.help;
        item.append(help);
      }
      return item;
    }));
    followCaret();
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
      explorer.style.setProperty("--lines", count);
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
    ink.parentElement.scrollTop = gutter.scrollTop = text.scrollTop;
    ink.parentElement.scrollLeft = text.scrollLeft;
  };

  // The problems of the caret's line stand out, and the member under it is lit in every map.
  const followCaret = () => {
    const caret = text.selectionStart;
    const line = text.value.slice(0, caret).split("\n").length;
    const items = [...$("problems").children];
    items.forEach((item, index) => item.toggleAttribute("data-here", answered?.problems[index]?.line === line));
    lightMember();
  };
  const lightMember = () => {
    const before = text.value.slice(0, text.selectionStart).match(/\w*$/)[0];
    const word = before + text.value.slice(text.selectionStart).match(/^\w*/)[0];
    for (const member of document.querySelectorAll("#layouts [data-m]")) {
      const name = member.dataset.m.replace(/\[[^\]]*\]/g, "").split(".").pop();
      member.classList.toggle("lit", word !== "" && name === word && document.activeElement === text);
    }
  };

  // --- Choices.

  const option = (value, label, title = "") => Object.assign(document.createElement("option"), { value, textContent: label, title });
  const box = (name, label, kind) => {
    const outer = document.createElement("label");
    const input = Object.assign(document.createElement("input"), { type: "checkbox", value: name });
    input.dataset.kind = kind;
    outer.append(input, ` ${label}`);
    if (label !== name) outer.title = name;
    return outer;
  };
  const offer = (choices) => {
    usual.languages = choices.languages;
    const names = { hlsl: "HLSL", slang: "Slang", glsl: "GLSL", wgsl: "WGSL" };
    language.replaceChildren(...choices.languages.map(({ name }) => option(name, names[name])));
    $("example").append(...EXAMPLES.map(([lang, title], index) => option(index, `${names[lang]}: ${title}`)));
    $("compilers").append(...choices.compilers.map(({ name, label }) => box(name, label, "columns")));
    $("rules").append(...choices.rules.map(({ name, label }) => box(name, label, "columns")));
    $("conventions").append(...choices.bindings.map((name) => box(name, name, "bindings")));
    load();
  };
  const usualColumns = () => usual.languages.find(({ name }) => name === language.value)?.columns ?? [];
  const tick = () => {
    const columns = chosen.columns.length ? chosen.columns : usualColumns();
    for (const input of explorer.querySelectorAll("input[type=checkbox]")) {
      input.checked = (input.dataset.kind === "columns" ? columns : chosen.bindings).includes(input.value);
    }
    explorer.classList.toggle("own-offsets", !usualColumns().length);
    $("usual").hidden = !chosen.columns.length;
    const label = (name) => explorer.querySelector(`input[data-kind=columns][value="${CSS.escape(name)}"]`)?.parentElement.textContent.trim() ?? name;
    $("columns-shown").textContent = columns.map(label).join(", ");
  };
  explorer.addEventListener("change", ({ target }) => {
    if (target.type === "checkbox") {
      const { kind } = target.dataset;
      const before = kind === "columns" && !chosen.columns.length ? usualColumns() : chosen[kind];
      const after = target.checked ? [...before, target.value] : before.filter((name) => name !== target.value);
      chosen[kind] = kind === "columns" && after.join() === usualColumns().join() ? [] : after;
    } else if (target === $("example")) {
      if (!target.value) return;
      const [lang, , source] = EXAMPLES[target.value];
      language.value = lang;
      text.value = source;
      chosen.columns = [];
      target.value = "";
    } else if (target === language) {
      chosen.columns = [];
    } else if (target === $("host-language")) {
      writeHost();
      return;
    }
    changed();
  });
  $("usual").onclick = () => { chosen.columns = []; changed(); };

  // --- The address: the whole state, compressed, behind `#`, which no browser sends to a server.

  const pipe = async (bytes, through) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(through)).arrayBuffer());
  const encode = (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  const decode = (letters) => Uint8Array.from(atob(letters.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0));
  const fragment = async () => {
    const { text: source, ...rest } = request();
    const state = { ...rest, text: source };
    const packed = encode(await pipe(new TextEncoder().encode(JSON.stringify(state)), new CompressionStream("deflate-raw")));
    return `#1.${packed}`;
  };
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
      history.replaceState(null, "", fits ? link : location.pathname);
      $("link-note").textContent = fits ? "" : "The text is too long for a link.";
    }, 300);
  };

  const words = (value) => (Array.isArray(value) ? value.filter((one) => typeof one === "string") : []);
  const load = async () => {
    const state = (await fromFragment()) ?? { language: EXAMPLES[0][0], text: EXAMPLES[0][2] };
    language.value = usual.languages.some(({ name }) => name === state.language) ? state.language : "hlsl";
    text.value = String(state.text ?? "");
    chosen.columns = words(state.columns);
    chosen.bindings = state.bindings ? words(state.bindings) : usual.bindings;
    $("defines").value = words(state.defines).join(" ");
    $("entry").value = String(state.entry ?? "");
    $("matrix").value = state.matrix === "row" ? "row" : "column";
    $("half").value = state.wideHalf ? "4" : "2";
    tick();
    show();
  };
  addEventListener("hashchange", load);

  // --- Texts to copy.

  const open = (content) => {
    $("copied-text").value = content;
    $("copied-part").hidden = false;
  };
  const copy = async (content, button) => {
    const label = (button.dataset.label ??= button.textContent);
    try {
      await navigator.clipboard.writeText(content);
      button.textContent = "copied";
    } catch {
      open(content);
      $("copied-text").select();
      button.textContent = "below";
    }
    setTimeout(() => { button.textContent = label; }, 1500);
  };
  explorer.addEventListener("click", async ({ target }) => {
    const kind = target.dataset?.copy;
    if (!kind) return;
    if (kind === "link") {
      const link = new URL(await fragment(), location.href).href;
      return copy(link, target);
    }
    if (kind === "host") return copy($("host").textContent, target);
    const result = await ask({ request: request(), copied: kind });
    if (result.answer === undefined) return void (status.textContent = result.refused ?? "There is nothing to copy.");
    const content = kind === "markdown" ? `${result.answer}\n[Open in the explorer](${new URL(await fragment(), location.href).href})\n` : result.answer;
    if (kind === "case") open(content);
    copy(content, target);
  });
  const writeHost = async () => {
    const result = await ask({ request: request(), copied: $("host-language").value });
    $("host").textContent = result.answer ?? result.refused ?? "";
  };
  $("host-part").addEventListener("toggle", () => { if ($("host-part").open) writeHost(); });

  // --- Start.

  const changed = () => {
    tick();
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
  loadModule().then((compiled) => {
    module = compiled;
    start();
  }).catch((error) => { status.textContent = `The explorer could not be loaded: ${error.message}.`; status.className = "bad"; });
})();
