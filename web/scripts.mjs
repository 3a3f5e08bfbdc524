// Writes the engine as classic scripts into the folder of the package: raicho.iife.js, which defines `Raicho`, and
// raicho.page.js, which a page carries.
//   node web/scripts.mjs web/pkg
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const folder = process.argv[2];
const textOf = (name) => readFileSync(join(folder, name), "utf8");
const EXPORTS = [
  ["export default async function createRaicho", "async function createRaicho"],
  ["export { createRaicho };", ""],
  ["import.meta.url", "SCRIPT"],
];
let module = textOf("raicho.js");
for (const [text, instead] of EXPORTS) {
  if (!module.includes(text)) throw new Error(`raicho.js has no "${text}"`);
  module = module.replace(text, instead);
}
const script = `var Raicho = (() => {
"use strict";
const SCRIPT = globalThis.document?.currentScript?.src || String(globalThis.location);
${module}
return createRaicho;
})();
`;
writeFileSync(join(folder, "raicho.iife.js"), script);
const files = {
  wasm: gzipSync(readFileSync(join(folder, "raicho.wasm")), { level: 9 }).toString("base64"),
  worker: textOf("worker.js"),
};
// Nothing in the script may end its element.
const json = JSON.stringify(files).replaceAll("<", "\\u003c");
if (/<\/script|<!--/i.test(script)) throw new Error("raicho.js would end its element");
writeFileSync(join(folder, "raicho.page.js"), `"use strict";\nconst RAICHO_FILES = ${json};\n${script}`);
