// Writes raicho.page.js into the folder of the package: the engine as one script, which a page carries.
//   node web/page_script.mjs web/pkg
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const folder = process.argv[2];
const textOf = (name) => readFileSync(join(folder, name), "utf8");
const EXPORTS = [
  ["export default async function createRaicho", "async function createRaicho"],
  ["export { createRaicho };", ""],
  ["import.meta.url", "location.href"],
];
let module = textOf("raicho.js");
for (const [text, instead] of EXPORTS) {
  if (!module.includes(text)) throw new Error(`raicho.js has no "${text}"`);
  module = module.replace(text, instead);
}
const files = {
  wasm: gzipSync(readFileSync(join(folder, "raicho.wasm")), { level: 9 }).toString("base64"),
  worker: textOf("worker.js"),
};
// Nothing in the script may end its element.
const json = JSON.stringify(files).replaceAll("<", "\\u003c");
if (/<\/script|<!--/i.test(module)) throw new Error("raicho.js would end its element");
const script = `"use strict";\nconst RAICHO_FILES = ${json};\nconst Raicho = (() => {\n${module}\nreturn createRaicho;\n})();\n`;
writeFileSync(join(folder, "raicho.page.js"), script);
