// `usi` to `bestmove` in Node: node tests/clients/web/first_move.mjs web/pkg
// Prints `OK: …` or `FAULT: …`.
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const folder = resolve(process.argv[2] ?? "web/pkg");
const start = performance.now();
const { default: createRaicho } = await import(pathToFileURL(`${folder}/raicho.js`));
const raicho = await createRaicho();
const lines = [];
const answer = new Promise((done) => {
  raicho.onLine = (line) => {
    lines.push(line);
    if (line.startsWith("bestmove")) done(line);
  };
});
const timeout = setTimeout(() => {
  console.log(`FAULT: no bestmove within a minute\n${lines.join("\n")}`);
  process.exit(1);
}, 60_000);
raicho.postMessage("usi\nsetoption name USI_OwnBook value false\nisready\nposition startpos\ngo movetime 100");
const move = await answer;
clearTimeout(timeout);
raicho.terminate();
const expected = ["usiok", "readyok"].every((word) => lines.includes(word)) && /^bestmove \d[a-i]\d[a-i]/.test(move);
const time = Math.round(performance.now() - start);
console.log(expected ? `OK: ${move} after ${time} ms` : `FAULT: expected usiok, readyok and a move\n${lines.join("\n")}`);
process.exit(expected ? 0 : 1);
