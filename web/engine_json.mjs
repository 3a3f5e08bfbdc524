// Writes engine.json into the folder of the package: name, options and presets, as ShogiHome's web version lists them.
// Its specification: https://github.com/sunfish-shogi/shogihome/blob/main/specs/wasm-engine-abi.md
//   node web/engine_json.mjs web/pkg
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** The id of a preset is kept in the settings of players: another strength or name of a preset needs another id. */
const PRESETS = [
  { id: "raicho-v1", displayName: "Raicho", values: {}, tags: ["game", "research", "mate"] },
  { id: "raicho-analysis-v1", displayName: "Raicho 検討用", values: { MultiPV: 3, ConsiderationMode: "true" }, tags: ["research"] },
  ...[0, 3, 6, 9, 12, 15, 18].map((level) => ({
    id: `raicho-level${level}-v1`,
    displayName: `Raicho Lv. ${level}`,
    values: { SkillLevel: level },
    tags: ["game"],
  })),
];

/** `option name Threads type spin default 1 min 1 max 512` as an object. */
function readOption(line) {
  const option = {};
  const words = line.split(" ").slice(1);
  for (let index = 0; index < words.length; index += 2) {
    const [key, value] = words.slice(index);
    if (key === "var") option.vars = [...(option.vars ?? []), value];
    else option[key] = option.type === "spin" ? Number(value) : value;
  }
  return option;
}

const folder = resolve(process.argv[2]);
const { default: createRaicho } = await import(pathToFileURL(join(folder, "raicho.js")));
const lines = [];
const raicho = await createRaicho({ printErr: console.error });
await new Promise((done) => {
  raicho.addMessageListener((line) => (line === "usiok" ? done() : lines.push(line)));
  raicho.postMessage("usi");
});
raicho.terminate();
const lineOf = (start) => lines.find((line) => line.startsWith(start)).slice(start.length);
const options = lines.filter((line) => line.startsWith("option ")).map(readOption);
const threads = options.find((option) => option.name === "Threads");
// The number of cores of this machine is not that of the reader's, whose page may have one thread only.
threads.default = 1;
for (const { id, values } of PRESETS) {
  const unknown = Object.keys(values).filter((name) => !options.some((option) => option.name === name));
  if (unknown.length) throw new Error(`preset ${id}: the engine has no option ${unknown.join(", ")}`);
}
const manifest = {
  abi: "shogihome-wasm-engine/1",
  module: "raicho.js",
  moduleFormat: "esm",
  name: lineOf("id name "),
  author: lineOf("id author "),
  requiresCrossOriginIsolation: false,
  licenses: [{ subject: "Raicho", spdx: "GPL-3.0-or-later", file: "LICENSE" }],
  options,
  presets: PRESETS,
};
writeFileSync(join(folder, "engine.json"), `${JSON.stringify(manifest, null, 2)}\n`);
