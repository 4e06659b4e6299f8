// Activates the packed extension in Node, with a mock of VS Code's API and the real server:
// `LAYOUTPROOF=target/debug/layoutproof npm test`.
const assert = require("node:assert");
const Module = require("node:module");
const { test } = require("node:test");
const { createVSCodeMock } = require("jest-mock-vscode");

const nothing = { dispose() {} };

/** A function of the mock that a test may look at and give another body. */
function spy(body = () => undefined) {
  const spied = (...words) => spied.body(...words);
  spied.body = body;
  for (const setter of ["mockImplementation", "mockReturnValue", "mockReset", "mockClear", "mockRestore"]) {
    spied[setter] = (next) => {
      spied.body = typeof next === "function" ? next : () => next;
      return spied;
    };
  }
  return spied;
}

/** VS Code's API as far as a language client uses it; what it registers is in `registered`. */
function editor(settings) {
  const mock = createVSCodeMock({ fn: spy, spyOn: spy });
  const registered = { commands: new Map(), providers: new Map(), copied: undefined };
  const register = (kind) => (selector, provider) => {
    registered.providers.set(kind, provider);
    return nothing;
  };
  const event = () => nothing;
  const channel = { append() {}, appendLine() {}, replace() {}, clear() {}, show() {}, hide() {}, dispose() {} };
  class Plain {
    constructor(...values) {
      Object.assign(this, { values });
    }
  }
  const languages = {
    match: () => 10,
    createDiagnosticCollection: () => ({ set() {}, delete() {}, clear() {}, dispose() {} }),
    registerHoverProvider: register("hover"),
    registerInlayHintsProvider: register("hints"),
    registerImplementationProvider: register("implementation"),
    registerCodeActionsProvider: register("actions"),
  };
  const workspace = {
    textDocuments: [],
    notebookDocuments: [],
    workspaceFolders: [],
    getConfiguration: () => ({ get: (key, value) => settings[key] ?? value, has: () => false, inspect: () => undefined }),
    createFileSystemWatcher: () => ({ onDidCreate: event, onDidChange: event, onDidDelete: event, ...nothing }),
  };
  const commands = {
    registerCommand: (name, body) => {
      registered.commands.set(name, body);
      return nothing;
    },
    executeCommand: async () => undefined,
  };
  const env = { appName: "test", language: "en", clipboard: { writeText: (text) => (registered.copied = text) } };
  const own = { languages, workspace, commands, env, window: { createOutputChannel: () => channel } };
  // What the mock lacks: an event that never comes, or a class of values.
  const lacking = (path, key) => (/^on[A-Z]/.test(key) ? event : /^[A-Z]/.test(key) ? Plain : path ? () => nothing : {});
  const whole = (path, first, second) =>
    new Proxy(first, {
      get: (_, key) => {
        if (key in first) return first[key];
        const value = second?.[key];
        return value === undefined || typeof key !== "string" || /^on[A-Z]/.test(key) ? lacking(path, String(key)) : value;
      },
    });
  for (const name of Object.keys(own)) own[name] = whole(name, own[name], mock[name]);
  return { api: whole("", own, mock), registered };
}

test("the extension starts the server and answers", async () => {
  const program = process.env.LAYOUTPROOF;
  assert.ok(program, "LAYOUTPROOF names the program");
  const { api, registered } = editor({ path: program });
  const load = Module._load;
  Module._load = (request, ...rest) => (request === "vscode" ? api : load(request, ...rest));
  const extension = require("./dist/extension.js");
  await extension.activate({ subscriptions: [] });

  const kinds = ["actions", "hints", "hover", "implementation"];
  assert.deepEqual([...registered.providers.keys()].sort(), kinds);
  registered.commands.get("layoutproof.copy")("struct Frame");
  assert.equal(registered.copied, "struct Frame");
  assert.ok(registered.commands.has("layoutproof.restart"));
  await extension.deactivate();
});
