"use strict";
// Answers questions of the explorer's page, one at a time. The page ends this worker when an answer takes too long.
importScripts("layoutproof_web.js");

addEventListener("message", ({ data }) => {
  if (data.module) {
    wasm_bindgen.initSync({ module: data.module });
    postMessage({ choices: JSON.parse(wasm_bindgen.choices()) });
    return;
  }
  try {
    const request = JSON.stringify(data.request);
    const answer = data.copied ? wasm_bindgen.copiedText(request, data.copied) :
      JSON.parse(data.padding ? wasm_bindgen.padding(request) : wasm_bindgen.explore(request));
    postMessage({ answer });
  } catch (error) {
    // What the program says itself is a text; anything else has ended it.
    postMessage(typeof error === "string" ? { refused: error } : { crashed: String(error) });
  }
});
