//! `layoutproof lsp` in Neovim.

use std::process::Command;

use libtest_mimic::{Failed, Trial};
use serde_json::Value;

use crate::folder::Folder;

/// Offsets of DXC 1.7.2308: `-T ps_6_0` has `bloom` at 36, `-spirv` at 48.
const FRAME: &str = "cbuffer Frame {
  float w[3];
  float bloom;
  Missing eye;
};
";

/// Lets Neovim open the file, prints what it shows at `bloom` and what is wrong, mends the text and asks again.
const SESSION: &str = "
vim.cmd('edit frame.hlsl')
local id = vim.lsp.start_client({ name = 'layoutproof', cmd = { vim.env.LAYOUTPROOF, 'lsp' }, root_dir = vim.fn.getcwd() })
vim.lsp.buf_attach_client(0, id)
local is_wrong = function() return #vim.diagnostic.get(0) > 0 end
vim.wait(20000, is_wrong)
local problem = vim.diagnostic.get(0)[1]
vim.api.nvim_buf_set_lines(0, 3, 4, false, { '  float3 eye;' })
vim.wait(20000, function() return not is_wrong() end)
vim.api.nvim_win_set_cursor(0, { 3, 9 })
local params = { textDocument = vim.lsp.util.make_text_document_params(), position = { line = 2, character = 9 } }
local answer = vim.lsp.buf_request_sync(0, 'textDocument/hover', params, 20000)
local hover = answer[id].result.contents.value
io.stdout:write(vim.json.encode({ line = problem.lnum, message = problem.message, hover = hover }))
vim.lsp.stop_client(id)
vim.cmd('qall!')
";

pub(crate) fn trials() -> Vec<Trial> {
    let has_neovim = Command::new("nvim").arg("--version").output().is_ok();
    let lacking = (!has_neovim).then(|| "Neovim is not there".to_owned());
    vec![super::trial("editor::neovim_shows_offsets_and_mistakes", lacking, neovim_shows_offsets_and_mistakes)]
}

fn neovim_shows_offsets_and_mistakes() -> Result<(), Failed> {
    let folder = Folder::with(&[("frame.hlsl", FRAME), ("session.lua", SESSION)]);
    let mut neovim = Command::new("nvim");
    neovim.args(["--headless", "--clean", "-n", "-c", "luafile session.lua"]).current_dir(folder.path("."));
    neovim.env("LAYOUTPROOF", env!("CARGO_BIN_EXE_layoutproof")).env("HOME", folder.path("."));
    let output = neovim.output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let session: Value =
        serde_json::from_str(&text).map_err(|_| format!("{text}{}", String::from_utf8_lossy(&output.stderr)))?;
    assert_eq!((&session["line"], &session["message"]), (&3.into(), &"no type is named `Missing`".into()));
    let hover = session["hover"].as_str().unwrap();
    for line in ["D3D12 · DXC: offset 36 (c2.y), 4 bytes", ": offset 48, 4 bytes"] {
        assert!(hover.contains(line), "{hover}");
    }
    Ok(())
}
