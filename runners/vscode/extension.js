// Starts `layoutproof lsp` for shaders, and copies the types that it writes.
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

const LANGUAGES = ["hlsl", "slang", "glsl", "wgsl"];

/** @type {LanguageClient | undefined} */
let client;

function start() {
  const settings = vscode.workspace.getConfiguration("layoutproof");
  /** @type {import("vscode-languageclient/node").LanguageClientOptions} */
  const options = {
    documentSelector: LANGUAGES.map((language) => ({ scheme: "file", language })),
    synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/layoutproof.toml") },
    initializationOptions: {
      targets: settings.get("targets", []),
      inlayHints: settings.get("inlayHints", null),
      copy: true,
    },
  };
  client = new LanguageClient("layoutproof", { command: settings.get("path", "layoutproof"), args: ["lsp"] }, options);
  return client.start();
}

/** @param {vscode.ExtensionContext} context */
async function activate(context) {
  const copy = (/** @type {string} */ text) => vscode.env.clipboard.writeText(text);
  const restart = async () => {
    await deactivate();
    await start();
  };
  context.subscriptions.push(
    vscode.commands.registerCommand("layoutproof.copy", copy),
    vscode.commands.registerCommand("layoutproof.restart", restart),
    vscode.workspace.onDidChangeConfiguration((change) => change.affectsConfiguration("layoutproof") && restart()),
  );
  await start();
}

async function deactivate() {
  await client?.stop();
  client = undefined;
}

module.exports = { activate, deactivate };
