// Runs jobs with WebGPU for layoutproof: in a page of a browser, or in Node.js with the library of Dawn.
//
// Asks the program for messages and answers each. In Node.js this ends with the program; a page waits for its next worker.
// What a message means is in message.rs; nothing here knows layouts, and no text of a message becomes code of this page or
// markup.
//
// In Node.js: node -e SCRIPT DAWN, where DAWN is the path of `dawn.node`, with the address of the program in LAYOUTPROOF_URL.

/**
 * @typedef {{
 *     code: string, entryPoint: string, constants: Record<string, number>, immediateSize: number,
 *     draw: { fragment: string, targets: boolean[] } | null, layouts: (GPUBindGroupLayoutEntry[] | null)[],
 * }} Program
 * @typedef {{ buffer: number, offset: number, size: number }} Range
 * @typedef {{ texture: GPUTextureDescriptor, dimension: GPUTextureViewDimension, levels: number[][] }} Image
 * @typedef {{ buffer?: Range, image?: Image, sampler?: GPUSamplerDescriptor }} Resource
 * @typedef {{
 *     program: Program, buffers: number[][], groups: ({ binding: number, resource: Resource }[] | null)[],
 *     immediates: number[], invertsFirst: boolean, workgroups: [number, number, number],
 * }} Job
 * @typedef {{ compute: GPUComputePipeline } | { render: GPURenderPipeline }} Pipeline
 * @typedef {{
 *     groups: (GPUBindGroupLayout | null)[], module: GPUShaderModule, pipeline: Pipeline,
 *     failed: Promise<Failure | null>,
 * }} Compiled
 */

/** An error with its kind, for the program. */
class Failure extends Error {
    /** @param {string} kind @param {string} call @param {string} text */
    constructor(kind, call, text) {
        super(text);
        this.kind = kind;
        this.call = call;
    }
}

/** The format of a draw's targets, which are a texel large. */
const TARGET = "rgba32uint";
const TEXEL = 16;

/** Programs that stay compiled. Of 1,887 that the cases compile one after the other, 397 are among the last 64 others. */
const MOST_PROGRAMS = 64;

class Session {
    /** @param {GPUDevice} device @param {string} implementation */
    constructor(device, implementation) {
        this.device = device;
        this.isFirefox = implementation.startsWith("Firefox");
        /** @type {string | null} Set once the device is lost. */
        this.lost = null;
        device.lost.then(({ reason, message }) => {
            this.lost = `${message || reason}`;
        });
        /** @type {Map<string, Compiled>} The last programs, from the oldest: jobs often differ only in their buffers. */
        this.compiled = new Map();
    }

    /** @param {Job} job */
    async run(job) {
        const key = JSON.stringify(job.program);
        const compiled = this.compiled.get(key) ?? this.compile(job.program);
        this.compiled.delete(key);
        this.compiled.set(key, compiled);
        if (this.compiled.size > MOST_PROGRAMS) {
            this.compiled.delete([...this.compiled.keys()][0]);
        }
        // Without waiting for the pipeline: what follows from a wrong one is not what the program is told.
        const words = this.submit(job, compiled);
        words.catch(() => {});
        try {
            const refused = await compiled.failed;
            if (refused !== null) {
                const { messages } = await compiled.module.getCompilationInfo();
                const wrong = messages.find((message) => message.type === "error");
                const text = wrong ? `${wrong.lineNum}:${wrong.linePos}: ${wrong.message}` : refused.message;
                throw new Failure(refused.call === "out-of-memory" ? "call" : "shader", refused.call, text);
            }
            return { words: await words };
        } catch (error) {
            this.compiled.delete(key);
            // The failed call may be the first that notices the loss.
            await pause(0);
            if (this.lost !== null) {
                throw new Failure("lost", "", this.lost);
            }
            throw error;
        }
    }

    /** @param {Program} program @returns {Compiled} */
    compile(program) {
        const { device } = this;
        const { value, failed } = this.watch(() => {
            const groups = program.layouts.map((entries) => entries && device.createBindGroupLayout({ entries }));
            const { immediateSize } = program;
            const layout = device.createPipelineLayout({ bindGroupLayouts: groups, immediateSize });
            const module = device.createShaderModule({ code: program.code });
            return { groups, module, pipeline: this.pipeline(program, layout, module) };
        });
        return { failed, ...value };
    }

    /**
     * Not asynchronously, which costs twice the time in Dawn for Node 0.6.2.
     *
     * @param {Program} program @param {GPUPipelineLayout} layout @param {GPUShaderModule} module @returns {Pipeline}
     */
    pipeline({ draw, entryPoint, constants }, layout, module) {
        const stage = { module, entryPoint, constants };
        if (draw === null) {
            return { compute: this.device.createComputePipeline({ layout, compute: stage }) };
        }
        // A draw without targets has one to which it writes nothing, since WebGPU requires one.
        const written = draw.targets.length > 0 ? draw.targets : [false];
        const targets = written.map((isWritten) => ({
            format: /** @type {GPUTextureFormat} */ (TARGET),
            writeMask: isWritten ? GPUColorWrite.ALL : 0,
        }));
        return {
            render: this.device.createRenderPipeline({
                layout,
                vertex: stage,
                primitive: { topology: "point-list" },
                fragment: { module, entryPoint: draw.fragment, constants, targets },
            }),
        };
    }

    /** @param {Job} job @param {Compiled} compiled */
    async submit(job, { groups, pipeline }) {
        const { device } = this;
        const { draw } = job.program;
        /** @type {(GPUBuffer | GPUTexture)[]} */
        const made = [];
        const { value, failed } = this.watch(() => {
            const usage = GPUBufferUsage.UNIFORM | GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;
            const buffers = job.buffers.map((words) => {
                const buffer = device.createBuffer({ size: 4 * words.length, usage });
                device.queue.writeBuffer(buffer, 0, new Uint32Array(words));
                return buffer;
            });
            const targets = Array.from({ length: draw === null ? 0 : Math.max(draw.targets.length, 1) }, () =>
                device.createTexture({
                    size: [1],
                    format: TARGET,
                    usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
                }),
            );
            made.push(...buffers, ...targets);
            const encoder = device.createCommandEncoder();
            const pass =
                draw === null
                    ? encoder.beginComputePass()
                    : encoder.beginRenderPass({
                          colorAttachments: targets.map((texture) => ({
                              view: texture.createView(),
                              loadOp: "clear",
                              storeOp: "store",
                          })),
                      });
            groups.forEach((layout, index) => {
                if (layout !== null) {
                    const entries = (job.groups[index] ?? []).map(({ binding, resource }) => ({
                        binding,
                        resource: this.bound(resource, buffers, made),
                    }));
                    pass.setBindGroup(index, device.createBindGroup({ layout, entries }));
                }
            });
            start(pass, pipeline, job);
            pass.end();

            const texels = targets.slice(0, draw?.targets.length ?? 0);
            const size = texels.length * TEXEL + buffers.reduce((sum, { size }) => sum + size, 0);
            const staging = device.createBuffer({ size, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
            made.push(staging);
            let offset = 0;
            for (const texture of texels) {
                encoder.copyTextureToBuffer({ texture }, { buffer: staging, offset }, [1]);
                offset += TEXEL;
            }
            for (const buffer of buffers) {
                encoder.copyBufferToBuffer(buffer, 0, staging, offset, buffer.size);
                offset += buffer.size;
            }
            device.queue.submit([encoder.finish()]);
            return staging;
        });
        try {
            const [words, error] = await Promise.all([this.read(value).catch((error) => error), failed]);
            // A call that failed explains a buffer that could not be read.
            if (error !== null || words instanceof Error) {
                throw error ?? words;
            }
            return words;
        } finally {
            made.forEach((resource) => resource.destroy());
        }
    }

    /** @param {Resource} resource @param {GPUBuffer[]} buffers @param {(GPUBuffer | GPUTexture)[]} made */
    bound({ buffer, image, sampler }, buffers, made) {
        const { device } = this;
        if (buffer !== undefined) {
            return { ...buffer, buffer: buffers[buffer.buffer] };
        }
        if (image === undefined) {
            return device.createSampler(sampler);
        }
        const texture = device.createTexture(image.texture);
        made.push(texture);
        image.levels.forEach((words, mipLevel) => {
            const [width, height, depth] = [texture.width, texture.height, texture.depthOrArrayLayers].map((size, axis) =>
                axis === 2 && texture.dimension !== "3d" ? size : Math.max(size >> mipLevel, 1),
            );
            const rows = { bytesPerRow: width * TEXEL, rowsPerImage: height };
            const texels = new Uint32Array(words.length * width * height * depth);
            texels.forEach((_, index) => {
                texels[index] = words[index % words.length];
            });
            device.queue.writeTexture({ texture, mipLevel }, texels, rows, [width, height, depth]);
        });
        return texture.createView({ dimension: image.dimension });
    }

    /** The words of a buffer, once all work before is done. @param {GPUBuffer} buffer */
    async read(buffer) {
        const mapped = buffer.mapAsync(GPUMapMode.READ).then(
            () => null,
            (error) => error,
        );
        // Firefox 153 sees finished work only every 100 ms, and whenever something is submitted.
        while (this.isFirefox && (await Promise.race([mapped, pause(2)])) === undefined) {
            this.device.queue.submit([]);
        }
        const error = await mapped;
        if (error !== null) {
            throw new Failure("call", "mapAsync", error.message);
        }
        return [...new Uint32Array(buffer.getMappedRange())];
    }

    /**
     * Calls `make`, and promises its first error.
     *
     * @template T
     * @param {() => T} make
     * @returns {{ value: T, failed: Promise<Failure | null> }}
     */
    watch(make) {
        const { device } = this;
        const filters = /** @type {GPUErrorFilter[]} */ (["validation", "internal", "out-of-memory"]);
        [...filters].reverse().forEach((filter) => device.pushErrorScope(filter));
        // A lost device rejects this, and its loss is what the program is told.
        const pop = () =>
            Promise.all(
                filters.map(async (filter) => {
                    const error = await device.popErrorScope();
                    return error && new Failure("call", filter, error.message);
                }),
            ).then((errors) => errors.find((error) => error !== null) ?? null);
        try {
            const value = make();
            const failed = pop();
            failed.catch(() => {});
            return { value, failed };
        } catch (error) {
            pop().catch(() => {});
            throw error;
        }
    }
}

/** Dispatches or draws. @param {GPUComputePassEncoder | GPURenderPassEncoder} pass @param {Pipeline} pipeline @param {Job} job */
function start(pass, pipeline, job) {
    const immediates = new Uint32Array(job.immediates);
    if ("render" in pipeline) {
        const drawing = /** @type {GPURenderPassEncoder} */ (pass);
        drawing.setPipeline(pipeline.render);
        if (immediates.length > 0) {
            drawing.setImmediates(0, immediates);
        }
        drawing.draw(1);
        return;
    }
    const computing = /** @type {GPUComputePassEncoder} */ (pass);
    computing.setPipeline(pipeline.compute);
    if (job.invertsFirst) {
        computing.setImmediates(0, immediates.map((word) => ~word));
        computing.dispatchWorkgroups(...job.workgroups);
    }
    if (immediates.length > 0) {
        computing.setImmediates(0, immediates);
    }
    computing.dispatchWorkgroups(...job.workgroups);
}

/** @param {number} milliseconds @returns {Promise<undefined>} */
function pause(milliseconds) {
    return new Promise((resolve) => setTimeout(resolve, milliseconds, undefined));
}

/** The adapter's limits as a plain object. @param {GPUSupportedLimits} limits @returns {Record<string, number>} */
function plain(limits) {
    const names = Object.getOwnPropertyNames(Object.getPrototypeOf(limits));
    const values = names.map((name) => [name, /** @type {any} */ (limits)[name]]);
    return Object.fromEntries(values.filter(([, value]) => typeof value === "number"));
}

/**
 * Opens a device with everything that the adapter offers and jobs need.
 *
 * @param {GPU} gpu @param {boolean} fallback @param {string} implementation
 */
export async function open(gpu, fallback, implementation) {
    const adapter = await gpu.requestAdapter({ forceFallbackAdapter: fallback });
    if (adapter === null) {
        return { session: null, answer: { adapter: null, implementation } };
    }
    const limits = plain(adapter.limits);
    const wanted = /** @type {GPUFeatureName[]} */ (["shader-f16"]);
    const requiredFeatures = wanted.filter((feature) => adapter.features.has(feature));
    const device = await adapter.requestDevice({ requiredFeatures, requiredLimits: limits });
    const { vendor, architecture, device: name, description, isFallbackAdapter } = adapter.info;
    const answer = {
        implementation,
        adapter: { vendor, architecture, device: name, description, isFallbackAdapter, limits },
        features: [...adapter.features].sort(),
        languageFeatures: [...gpu.wgslLanguageFeatures].sort(),
    };
    return { session: new Session(device, implementation), answer };
}

/**
 * Answers the program's messages.
 *
 * @param {GPU | undefined} gpu @param {string} implementation @param {string} url
 * @param {{ answered(answer: any): void, gone(error: any): Promise<void> }} watcher told of each answer, and of a program that
 *     does not respond, which ends this if it throws
 */
async function serve(gpu, implementation, url, watcher) {
    /** @type {Session | null} */
    let session = null;
    /** @param {{ open?: { fallback: boolean }, run?: Job }} message */
    const reply = async (message) => {
        if (gpu === undefined) {
            throw new Failure("lost", "", `${implementation} has no WebGPU`);
        }
        if (message.open !== undefined) {
            session?.device.destroy();
            const opened = await open(gpu, message.open.fallback, implementation);
            session = opened.session;
            return { opened: opened.answer };
        }
        if (session === null || message.run === undefined) {
            throw new Failure("lost", "", "the page was loaded again");
        }
        return { ran: await session.run(message.run) };
    };

    const next = async (/** @type {string} */ answer) => {
        const response = await fetch(url, { method: "POST", body: answer });
        if (!response.ok) {
            throw new Error(`the program answers ${response.status}`);
        }
        return response.status === 204 ? null : await response.json();
    };
    let answer = "";
    for (;;) {
        try {
            const asked = await next(answer);
            answer = "";
            if (asked === null) {
                continue;
            }
            const done = await reply(asked.message).catch((/** @type {any} */ error) => {
                const { kind = "call", call = error.name, message } = error;
                return { failed: { kind, call, text: `${message}` } };
            });
            watcher.answered(done);
            answer = JSON.stringify({ number: asked.number, answer: done });
        } catch (error) {
            answer = "";
            await watcher.gone(error);
        }
    }
}

/** In Node.js, with the library of Dawn: its version is in the file that the set-up writes next to it. */
async function startInNode() {
    const { Module } = await import("node:module");
    const { readFileSync } = await import("node:fs");
    const { Worker } = await import("node:worker_threads");
    const library = process.argv[1];
    const url = process.env.LAYOUTPROOF_URL ?? "";
    // The program may be killed while a driver works. Then the standard input ends.
    const watch = `
        const parent = new (require("node:net").Socket)({ fd: 0 });
        parent.on("close", () => process.kill(process.pid, "SIGKILL")).on("error", () => {}).resume();`;
    new Worker(watch, { eval: true, execArgv: [] });
    const { create, globals } = Module.createRequire(library)(library);
    Object.assign(globalThis, globals);
    let version = "";
    try {
        version = ` ${readFileSync(library.replace(/[^/\\]*$/, "pinned"), "utf8").split(" ")[1]}`;
    } catch {}
    const gone = (/** @type {any} */ error) => Promise.reject(error);
    await serve(create([]), `Dawn for Node${version}`, url, { answered() {}, gone });
}

/** In a page, which says what happens. */
async function startInPage() {
    /** @param {string} id @param {string} text */
    const say = (id, text) => {
        /** @type {HTMLElement} */ (document.getElementById(id)).textContent = text;
    };
    const implementation = await browser();
    const url = location.href.replace(/[^/]*$/, "jobs");
    let [answers, refusals] = [0, 0];
    say("state", "Waiting for the program.");

    // A device that is lost is opened again by the next worker.
    const answered = (/** @type {any} */ { opened, failed }) => {
        if (opened) {
            const { adapter } = opened;
            const names = adapter && [adapter.vendor, adapter.architecture, adapter.device, adapter.description].filter(Boolean);
            const name = names?.join(" ") || "an adapter that the browser does not name";
            say("device", `${implementation}, ${adapter ? name : "no adapter"}`);
            say("state", adapter ? "Running. Keep this tab in front." : "This browser has no adapter for WebGPU.");
            return;
        }
        answers += 1;
        refusals += failed?.kind === "shader" ? 1 : 0;
        say("count", `${answers} jobs answered, ${refusals} shaders refused`);
        const lost = failed?.kind === "lost";
        say("state", lost ? `The device is lost: ${failed.text}. The program goes on with a new one.` : "Running. Keep this tab in front.");
    };
    const gone = async () => {
        say("state", "The program does not respond. If it has ended, close this tab; otherwise the page goes on as soon as it responds.");
        await pause(1000);
    };
    addEventListener("visibilitychange", () => {
        say("hidden", document.hidden ? "This tab is hidden. Browsers slow down or stop hidden tabs." : "");
    });
    addEventListener("pagehide", () => {
        const failed = { kind: "lost", call: "", text: "the page was closed" };
        navigator.sendBeacon(url, JSON.stringify({ number: null, answer: { failed } }));
    });
    await serve(navigator.gpu, implementation, url, { answered, gone });
}

/** The browser with its version, and nothing else about the visitor. */
export async function browser() {
    /** @type {any} */
    const data = /** @type {any} */ (navigator).userAgentData;
    if (data !== undefined) {
        const { fullVersionList } = await data.getHighEntropyValues(["fullVersionList"]);
        const brands = fullVersionList.filter((/** @type {any} */ { brand }) => !/not.?a.?brand/i.test(brand));
        const own = brands.find((/** @type {any} */ { brand }) => brand !== "Chromium") ?? brands[0];
        return `${own.brand} ${own.version}`;
    }
    const [, name, version] = /(Firefox|Version)\/([\d.]+)/.exec(navigator.userAgent) ?? [];
    return name === undefined ? "a browser without a version" : `${name === "Version" ? "Safari" : name} ${version}`;
}

if (typeof document === "undefined") {
    startInNode().catch((error) => {
        console.error(error);
        process.exit(1);
    });
} else if (document.getElementById("host") !== null) {
    // The page of the program; the site's page has its own script, and imports what is exported.
    startInPage();
}
