#!/usr/bin/env node
// Tint with the command line of its own program, for SPIR-V and GLSL:
//
//     tint --format spirv --entry-point NAME -o OUT.spv IN.wgsl
//     tint --format glsl --entry-point NAME -o OUT.comp IN.wgsl
//     tint --version
//     tint
//
// Without arguments it answers one line with one line until its input ends, which saves Dawn's start: a line is such a command
// line with tabs between its words, behind "-Cd FOLDER -Fc STDOUT -Fe STDERR", the folder to work in and the files there for
// what it would print; the answer is the exit status, and behind status 2 the reason.
//
// Takes it from dawn.node, which lies beside this file: Dawn, told to dump its shaders, prints the SPIR-V that Tint made for
// the driver, and spirv-as assembles that. GLSL is what Tint made for the system's OpenGL. Exit 1 with the error's words for WGSL that Tint refuses, 2 for what is missing.
//
// Dawn is asked for what Tint does by itself: no clamped indices, no Vulkan memory model and no SPIR-V 1.4, which not every
// device takes, and the source's own names. It numbers the bindings of each group anew; here they get the numbers of the source
// back.
"use strict";

const { spawn, spawnSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const readline = require("node:readline");
const { Worker } = require("node:worker_threads");

const LIBRARY = path.join(__dirname, "dawn.node");
const DRIVER = path.join(__dirname, "..", "..", "drivers", "swiftshader.json");
const BACKENDS = { spirv: "vulkan", glsl: "opengles" };
const OPTIONS = [
    "enable-dawn-features=dump_shaders,disable_robustness,allow_unsafe_apis,disable_symbol_renaming",
    "disable-dawn-features=use_vulkan_memory_model,use_spirv_1_4",
];
// What stands before the text that is wanted, and the name that Dawn gives its entry points.
const DUMPED = { spirv: "/* Dumped SPIRV disassembly */", glsl: "/* Dumped generated GLSL */" };
const ENTRY = '"dawn_entry_point"';
// Between the errors of Tint and what Dawn and the driver print.
const SAID = "layoutproof-tint: ";
// Ends what a child that serves prints for one source, with the exit status that the source alone would have had.
const DONE = "layoutproof-tint-done ";
const REFUSED = 1;
const UNUSABLE = 2;

class Failure extends Error {
    constructor(status, words) {
        super(words);
        this.status = status;
    }
}

// The arguments by name; the source under "source".
function read(args) {
    const values = { "--format": "spirv", "--entry-point": "main", "-o": "out.spv", source: null };
    for (let index = 0; index < args.length; index += 1) {
        const name = args[index];
        if (!name.startsWith("-")) {
            values.source = name;
        } else if (name in values && index + 1 < args.length) {
            index += 1;
            values[name] = args[index];
        } else {
            throw new Failure(UNUSABLE, `error: no such argument: ${name}`);
        }
    }
    if (values.source === null || !(values["--format"] in BACKENDS)) {
        throw new Failure(UNUSABLE, "usage: tint --format <spirv|glsl> --entry-point NAME -o OUT IN.wgsl");
    }
    return values;
}

// "webgpu 0.6.2 ...", as ci/setup.sh wrote it: no function of Dawn tells its version. What is missing is told here, so that
// a Tint that answers is one that compiles.
function version() {
    run(["--device"]);
    runAssembler(["--version"], "");
    const [name, number] = fs.readFileSync(path.join(__dirname, "pinned"), "utf8").split(" ");
    return `Tint of Dawn for Node ${number} (${name} from npm)`;
}

function runAssembler(args, input) {
    const done = spawnSync("spirv-as", args, { input, encoding: "utf8" });
    if (done.error) {
        throw new Failure(UNUSABLE, "error: spirv-as (of spirv-tools) is missing");
    }
    if (done.status !== 0) {
        throw new Failure(UNUSABLE, `error: spirv-as refuses what Dawn printed: ${done.stderr.trim()}`);
    }
}

// The binding of every resource in WGSL, by its name.
function bindings(wgsl) {
    const bare = wgsl.replace(/\/\/.*$/gm, "").replace(/\/\*[^]*?\*\//g, "");
    const variables = bare.matchAll(/((?:@\w+\s*\([^)]*\)\s*)+)var\s*(?:<[^>]*>)?\s*(\w+)/g);
    const number = /@binding\s*\(\s*(\d+)[iu]?\s*,?\s*\)/;
    const numbered = [...variables].map(([, attributes, name]) => [name, number.exec(attributes)?.[1]]);
    return new Map(numbered.filter(([, binding]) => binding !== undefined));
}

// The SPIR-V with the source's numbers. Dawn sorts the resources of a group by their kind first. The variable of a buffer
// has no name there, but Tint makes its struct's from it. A resource of another name keeps Dawn's number.
function numbered(spirv, wgsl) {
    const declared = bindings(wgsl);
    const texts = new Map([...spirv.matchAll(/OpName (%\w+) "(.*)"/g)].map((it) => [it[1], it[2]]));
    const pointees = new Map([...spirv.matchAll(/(%\w+) = OpTypePointer \w+ (%\w+)/g)].map((it) => [it[1], it[2]]));
    const pointers = new Map([...spirv.matchAll(/(%\w+) = OpVariable (%\w+)/g)].map((it) => [it[1], it[2]]));
    return spirv.replace(/OpDecorate (%\w+) Binding \d+/g, (line, variable) => {
        const struct = texts.get(pointees.get(pointers.get(variable)));
        const own = declared.get(texts.get(variable) ?? struct?.replace(/_block(_tint_explicit_layout)?$/, ""));
        return own === undefined ? line : `OpDecorate ${variable} Binding ${own}`;
    });
}

// GLSL in which each buffer has the source's number: OpenGL numbers those of each kind by themselves.
function numberedGlsl(glsl, wgsl) {
    const declared = bindings(wgsl);
    const block = /layout\(binding = \d+, (std\d+)\)(\s+[\w ]*?\b(\w+?)_block_\d+_(?:ubo|ssbo)\b)/g;
    return glsl.replace(block, (text, layout, rest, name) => {
        const own = declared.get(name);
        return own === undefined ? text : `layout(binding = ${own}, ${layout})${rest}`;
    });
}

function startDawn(format) {
    const { create, globals } = require(LIBRARY);
    Object.assign(globalThis, globals);
    return create([`backend=${BACKENDS[format]}`, ...OPTIONS]);
}

async function findAdapter(dawn, format) {
    const found = await dawn.requestAdapter(format === "glsl" ? { featureLevel: "compatibility" } : {});
    if (found === null) {
        const missing = { spirv: "no Vulkan device that Dawn takes; SwiftShader is one", glsl: "no OpenGL ES 3.1 that Dawn takes" };
        throw new Failure(UNUSABLE, `error: ${missing[format]}`);
    }
    return found;
}

// Makes Dawn print its shaders: a child's work, since only a parent sees what Dawn prints.
async function dump(dawn, format, source, entryPoint) {
    const adapter = await findAdapter(dawn, format);
    const wanted = ["shader-f16"].filter((feature) => adapter.features.has(feature));
    const device = await adapter.requestDevice({ requiredFeatures: wanted });
    device.pushErrorScope("validation");
    const module = device.createShaderModule({ code: fs.readFileSync(source, "utf8") });
    const { messages } = await module.getCompilationInfo();
    const wrong = messages.find((message) => message.type === "error");
    if (wrong !== undefined) {
        throw new Failure(REFUSED, `${path.basename(source)}:${wrong.lineNum}:${wrong.linePos} error: ${wrong.message}`);
    }
    device.createComputePipeline({ layout: "auto", compute: { module, entryPoint } });
    const error = await device.popErrorScope();
    if (error !== null) {
        throw new Failure(REFUSED, `error: ${error.message.split("\n")[0]}`);
    }
    device.destroy();
}

// The variables of a child.
function environment() {
    const env = { ...process.env, EGL_PLATFORM: "surfaceless" };
    // Which driver Tint writes for must not depend on the machine's.
    if (fs.existsSync(DRIVER)) {
        delete env.VK_DRIVER_FILES;
        env.VK_ICD_FILENAMES = DRIVER;
    }
    return env;
}

// Runs this file as the child, and returns what it printed.
function run(args) {
    const options = { encoding: "utf8", env: environment(), maxBuffer: 1 << 28 };
    const child = spawnSync(process.execPath, [__filename, ...args], options);
    if (child.status !== 0) {
        const words = child.stderr.split("\n").find((line) => line.startsWith(SAID));
        const status = child.status === REFUSED ? REFUSED : UNUSABLE;
        throw new Failure(status, words ? words.slice(SAID.length) : `error: Dawn ends with ${child.signal ?? child.status}`);
    }
    return child.stdout;
}

function compile(args) {
    const { source, "--format": format, "--entry-point": entry, "-o": output } = read(args);
    assemble(run(["--dump", format, source, entry]), format, entry, source, output);
}

// Writes the module or the text that Dawn printed.
function assemble(printed, format, entry, source, output) {
    const start = printed.lastIndexOf(DUMPED[format]);
    if (start < 0) {
        throw new Failure(UNUSABLE, `error: Dawn printed no ${format}`);
    }
    const text = printed.slice(start + DUMPED[format].length);
    if (format === "glsl") {
        fs.writeFileSync(output, numberedGlsl(text.trimStart(), fs.readFileSync(source, "utf8")));
        return;
    }
    const spirv = text.replace(ENTRY, () => JSON.stringify(entry));
    const assembler = ["--target-env", "vulkan1.1", "-o", output, "-"];
    runAssembler(assembler, numbered(spirv, fs.readFileSync(source, "utf8")));
}

// Answers each line of standard input. A child that dies takes this process along without an answer, and whoever asked
// starts both anew.
async function serve() {
    const child = spawn(process.execPath, [__filename, "--serve-dumps"], {
        env: environment(),
        stdio: ["pipe", "pipe", "ignore"],
    });
    child.stdin.on("error", () => process.exit(UNUSABLE));
    child.stdout.setEncoding("utf8");
    const printed = child.stdout[Symbol.asyncIterator]();

    for await (const line of readline.createInterface({ input: process.stdin })) {
        const [, folder, , listing, , diagnostics, ...args] = line.split("\t");
        const below = (name) => path.join(folder, name);
        let status = 0;
        let said = "";
        try {
            const { source, "--format": format, "--entry-point": entry, "-o": output } = read(args);
            child.stdin.write(`${JSON.stringify([format, below(source), entry])}\n`);
            assemble(await answer(printed), format, entry, below(source), below(output));
        } catch (error) {
            status = error instanceof Failure ? error.status : UNUSABLE;
            said = error.message;
        }
        fs.writeFileSync(below(listing), "");
        fs.writeFileSync(below(diagnostics), said === "" ? "" : `${said}\n`);
        console.log(status === UNUSABLE ? `${status} ${said.split("\n")[0]}` : `${status}`);
    }
}

// What the child prints for one source.
async function answer(printed) {
    let text = "";
    for (;;) {
        const end = text.indexOf(`\n${DONE}`);
        if (end >= 0 && text.endsWith("\n")) {
            const { status, said } = JSON.parse(text.slice(end + 1 + DONE.length));
            if (status !== 0) {
                throw new Failure(status, said);
            }
            return text.slice(0, end);
        }
        const { value, done } = await printed.next();
        if (done) {
            process.exit(UNUSABLE);
        }
        text += value;
    }
}

// The child of a process that serves: a line names a format, a source and an entry point.
async function serveDumps() {
    // The parent may be killed while Dawn works, and then nobody reads what it does.
    new Worker(
        `const parent = process.ppid;
         setInterval(() => process.ppid === parent || process.kill(process.pid, "SIGKILL"), 500);`,
        { eval: true },
    );
    const started = {};
    for await (const line of readline.createInterface({ input: process.stdin })) {
        let done = { status: 0, said: "" };
        try {
            const [format, ...asked] = JSON.parse(line);
            started[format] ??= startDawn(format);
            await dump(started[format], format, ...asked);
        } catch (error) {
            done = { status: error instanceof Failure ? error.status : UNUSABLE, said: error.message };
        }
        fs.writeSync(1, `\n${DONE}${JSON.stringify(done)}\n`);
    }
}

async function main(args) {
    if (args[0] === "--dump") {
        await dump(startDawn(args[1]), ...args.slice(1));
    } else if (args[0] === "--device") {
        await findAdapter(startDawn("spirv"), "spirv");
    } else if (args[0] === "--version") {
        console.log(version());
    } else if (args[0] === "--serve-dumps") {
        await serveDumps();
    } else if (args.length === 0) {
        await serve();
    } else {
        compile(args);
    }
}

main(process.argv.slice(2)).then(
    // Dawn's device would keep the process waiting.
    () => process.exit(0),
    (error) => {
        const isChild = ["--dump", "--device"].includes(process.argv[2]);
        console.error((isChild ? SAID : "") + error.message);
        process.exit(error instanceof Failure ? error.status : UNUSABLE);
    },
);
