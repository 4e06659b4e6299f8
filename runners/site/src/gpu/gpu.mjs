// The page "Run on this GPU": the program in WebAssembly plans the checks and judges them, and host.mjs gives their jobs to
// WebGPU. Nothing leaves the browser unless the visitor saves it.

import { browser, open } from "./host.mjs";

/**
 * @typedef {{ agree: number, differ: number, known: number, broken: number, skipped: number }} Tally
 * @typedef {{ done: number, total: number, tallies: Record<string, Tally> }} Progress
 * @typedef {{
 *     progress(): string, next(): string | undefined, answer(answers: string, took: number): void,
 *     records(took: number): string, page(took: number): string, failures(): string,
 * }} Run
 */

/** A job without an answer after this time hangs the GPU. */
const JOB_LIMIT = 60_000;
/** A device is opened again after it was lost, until it was lost this often. */
const MOST_LOSSES = 3;
/** How often the page is drawn while the checks run. */
const FRAME = 100;
/** @type {(keyof Tally)[]} */
const OUTCOMES = ["agree", "differ", "known", "broken", "skipped"];

/** @param {string} part @returns {any} */
const $ = (part) => document.getElementById(`gpu-${part}`);
const [start, stop, save, savePage, bar, table] = ["start", "stop", "save", "save-page", "bar", "table"].map($);

/** @param {string} text @param {string} [part] */
const say = (text, part = "status") => {
    $(part).textContent = text;
};

/** @type {Run | null} */
let run = null;
let device = "";
/** Milliseconds that the checks took. */
let took = 0;
let isRunning = false;
let isStopped = false;
let isSaved = true;

const pause = (/** @type {number} */ milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Loads the program, so that the page works without a network from then on. */
async function load() {
    const response = await fetch("layoutproof_gpu_page_bg.wasm");
    if (!response.ok) {
        throw new Error(`layoutproof_gpu_page_bg.wasm: ${response.status}`);
    }
    // @ts-expect-error: layoutproof_gpu_page.js declares it.
    const bindings = wasm_bindgen;
    bindings.initSync({ module: await response.arrayBuffer() });
    return bindings;
}

/** @param {any} job @param {any} session */
async function answer(job, session) {
    const late = pause(JOB_LIMIT).then(() => {
        throw { kind: "lost", call: "", message: `no answer within ${JOB_LIMIT / 1000} s` };
    });
    try {
        return { ran: await Promise.race([session.run(job), late]) };
    } catch (error) {
        const { kind = "call", call = "", message } = /** @type {any} */ (error);
        return { failed: { kind, call, text: `${message}` } };
    }
}

function draw() {
    if (run === null) {
        return;
    }
    /** @type {Progress} */
    const { done, total, tallies } = JSON.parse(run.progress());
    bar.max = total;
    bar.value = done;
    say(`${done} of ${total} checks, ${(took / 1000).toFixed(1)} s`, "count");
    const rows = Object.entries(tallies).map(([rules, tally]) => {
        const row = document.createElement("tr");
        const head = document.createElement("th");
        head.scope = "row";
        head.textContent = rules;
        row.append(head);
        for (const outcome of OUTCOMES) {
            const cell = row.insertCell();
            const badge = document.createElement("span");
            badge.textContent = `${tally[outcome]}`;
            badge.className = tally[outcome] > 0 && outcome !== "skipped" ? `badge ${outcome}` : "dim";
            cell.append(badge);
        }
        return row;
    });
    table.tBodies[0].replaceChildren(...rows);
    $("rules").hidden = rows.length === 0;
}

/** The run's records as a file of the visitor. @param {string} suffix @param {string} type @param {string} text */
function download(suffix, type, text) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = `layoutproof-${device}.${suffix}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    isSaved = true;
}

/** Runs the checks that have no record. @param {any} bindings */
async function carryOut(bindings) {
    if (navigator.gpu === undefined) {
        return say("This browser has no WebGPU, or this page is not from a secure address (https, or this machine).");
    }
    let losses = 0;
    let opened = await open(navigator.gpu, false, await browser());
    if (opened.session === null) {
        return say("This browser has no adapter for WebGPU.");
    }
    if (run === null) {
        const { adapter, implementation } = opened.answer;
        const words = [adapter.vendor, adapter.architecture, adapter.device, adapter.description].filter(Boolean).join(" ");
        say(`${implementation}: ${words || "an adapter that the browser does not name"}`, "device");
        device = implementation.replace(/[^A-Za-z0-9.]+/g, "-");
        run = /** @type {Run} */ (new bindings.GpuRun(JSON.stringify(opened.answer)));
    }
    let drawn = performance.now();
    while (!isStopped) {
        const began = performance.now();
        const next = run.next();
        if (next === undefined) {
            break;
        }
        const { session } = opened;
        const answers = await Promise.all(JSON.parse(next).jobs.map((/** @type {any} */ job) => answer(job, session)));
        run.answer(JSON.stringify(answers), performance.now() - began);
        isSaved = false;
        took += performance.now() - began;
        const lost = answers.find(({ failed }) => failed?.kind === "lost")?.failed;
        if (lost !== undefined) {
            losses += 1;
            say(`The device was lost: ${lost.text}`, "lost");
            if (losses === MOST_LOSSES) {
                return say(`The device was lost ${losses} times, so the run stopped. The finished checks are kept.`);
            }
            opened = await open(navigator.gpu, false, await browser());
            if (opened.session === null) {
                return say("The device was lost, and the browser gives no other. The finished checks are kept.");
            }
        }
        if (performance.now() - drawn > FRAME) {
            draw();
            await pause(0);
            drawn = performance.now();
        }
    }
    say(isStopped ? "Stopped. The finished checks are kept; the button goes on." : "All checks are done.");
}

/** @param {any} bindings */
async function begin(bindings) {
    [isRunning, isStopped] = [true, false];
    start.disabled = true;
    stop.disabled = false;
    say("Running. Keep this tab in front.");
    try {
        await carryOut(bindings);
    } catch (error) {
        say(`The run ended: ${/** @type {any} */ (error).message ?? error}. The finished checks are kept.`);
    }
    isRunning = false;
    stop.disabled = true;
    if (run === null) {
        start.disabled = false;
        return;
    }
    try {
        draw();
        const { done, total } = JSON.parse(run.progress());
        start.disabled = done === total;
        start.textContent = "Go on";
        save.disabled = savePage.disabled = false;
        const results = $("results");
        results.innerHTML = run.failures();
        results.dispatchEvent(new Event("parts", { bubbles: true }));
    } catch (error) {
        // The program in WebAssembly has ended, and with it the records.
        say(`The program ended (${/** @type {any} */ (error).message ?? error}). Load the page again to run anew.`);
    }
}

addEventListener("visibilitychange", () => {
    say(document.hidden && isRunning ? "This tab is hidden. Browsers slow down or stop hidden tabs." : "", "hidden");
});
addEventListener("beforeunload", (event) => {
    if (isRunning || !isSaved) {
        event.preventDefault();
    }
});

load().then(
    (bindings) => {
        start.disabled = false;
        say(navigator.gpu === undefined ? "This browser has no WebGPU." : "Ready. Nothing leaves this browser.");
        start.addEventListener("click", () => begin(bindings));
        stop.addEventListener("click", () => {
            isStopped = true;
        });
        save.addEventListener("click", () => run && download("jsonl", "application/jsonl", run.records(took)));
        savePage.addEventListener("click", () => run && download("html", "text/html", run.page(took)));
    },
    (error) => say(`The program was not loaded: ${error.message}`),
);
