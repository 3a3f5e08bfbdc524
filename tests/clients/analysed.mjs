// The records that `raicho analyze` writes, read back by tsshogi (the library of ShogiHome):
//   node tests/clients/analysed.mjs target/release/raicho FOLDER…
// The folders hold records of any format, such as corpora/csa and corpora/kif; a `moves.tsv` in them
// (name, start, moves) is compared too, and the comments that were there already must still be there,
// but for floodgate's in CSA, whose place the new ones take. Needs `npm i tsshogi` (NODE_PATH or
// TSSHOGI=its folder).
// Prints `skipped: …`, `OK: …` or `FAULT: …`.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, extname, join, resolve } from "node:path";

const [raicho, ...folders] = process.argv.slice(2);
if (!raicho || !folders.length) {
  console.log("FAULT: expected the path of raicho and folders of records");
  process.exit(1);
}
let shogi;
try {
  const folder = process.env.TSSHOGI || process.env.NODE_PATH || process.cwd();
  shogi = createRequire(join(resolve(folder), "x.js"))("tsshogi");
} catch {
  console.log("skipped: tsshogi is not installed (npm i tsshogi; TSSHOGI=folder)");
  process.exit(0);
}
const faults = [];
const check = (is, what) => { if (!is && faults.push(what) > 20) throw new Error("too many faults"); };
const MATE = 32000;
const numberOf = (score, isBlack) => {
  const number = "cp" in score ? Math.max(-30000, Math.min(30000, score.cp)) : score.mate > 0 ? MATE - score.mate : -MATE - score.mate;
  return isBlack ? number : -number;
};

// The moves and the comments of a record: of the start, and after each move.
function contents(record) {
  const comments = [record.first.comment];
  const moves = [];
  for (const node of record.moves.slice(1)) {
    if (!(node.move instanceof shogi.Move)) break;
    moves.push(node.move.usi);
    comments.push(node.comment);
  }
  return { start: record.initialPosition.sfen, moves, comments };
}
/** The text of a file: UTF-8 if it is valid, else CP932. */
function textOf(path) {
  const bytes = readFileSync(path);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("shift_jis").decode(bytes);
  }
}
function original(path) {
  const [text, kind] = [textOf(path), extname(path).slice(1, 4)];
  const read = kind === "ki2" ? shogi.importKI2 : READERS[kind];
  const record = read(text.replace(/^\/\s*$/m, ""));
  return record instanceof Error ? null : contents(record);
}
const READERS = {
  kif: (text) => shogi.importKIF(text),
  csa: (text) => shogi.importCSA(text),
};

let [records, comments, kept] = [0, 0, 0];
const work = mkdtempSync(join(tmpdir(), "raicho-analysed-"));
try {
  for (const folder of folders) {
    const known = new Map();
    const table = join(folder, "moves.tsv");
    if (existsSync(table)) {
      for (const line of readFileSync(table, "utf8").split("\n").filter((line) => line && !line.startsWith("#"))) {
        const [name, start, moves] = line.split("\t");
        known.set(name, { start, moves: moves || "" });
      }
    }
    for (const file of readdirSync(folder).filter((name) => /\.(csa|kifu?|ki2u?|jkf)$/.test(name))) {
      const out = (format) => join(work, format === "kif" ? "x.kifu" : `x.${format}`);
      try {
        execFileSync(resolve(raicho), ["analyze", join(folder, file), "--nodes", "100", "--hash", "1", "--summary",
          ...["kif", "csa", "json"].flatMap((format) => [`--${format}`, out(format)])], { stdio: ["ignore", "ignore", "pipe"] });
      } catch (error) {
        check(false, `${file}: ${String(error.stderr).trim()}`);
        continue;
      }
      const json = JSON.parse(readFileSync(out("json"), "utf8"));
      const expected = json.moves.map(({ move }) => move);
      const listed = known.get(basename(file, extname(file)));
      if (listed) {
        check(listed.moves === expected.join(" "), `${file}: the moves differ from moves.tsv`);
        check(listed.start.split(" ").slice(0, 3).join(" ") === json.start.split(" ").slice(0, 3).join(" "), `${file}: the start differs`);
      }
      const before = original(join(folder, file));
      check(before, `${file}: tsshogi cannot read the original`);
      const isBlackFirst = json.start.split(" ")[1] === "b";
      for (const [format, read] of Object.entries(READERS)) {
        const record = read(readFileSync(out(format), "utf8"));
        if (record instanceof Error) {
          check(false, `${file} as ${format}: ${record.message}`);
          continue;
        }
        const found = contents(record);
        records++;
        check(found.moves.join(" ") === expected.join(" "), `${file} as ${format}: ${found.moves.length} of ${expected.length} moves`);
        before?.comments.forEach((text, index) => {
          const isKept = (line) => line && !(format === "csa" && /^\*\s*-?\d+( |$)/.test(line));
          const old = text.split("\n").filter(isKept).map((line) => line.trimEnd());
          const lines = (found.comments[index] || "").split("\n").map((line) => line.trimEnd());
          check(old.every((line, at) => format === "csa" ? lines.includes(line) : lines[at] === line),
            `${file} as ${format}, position ${index}: the comment '${old.join(" / ")}' became '${lines.slice(0, 3).join(" / ")}'`);
          kept += old.length;
        });
        json.positions.forEach(({ lines }, index) => {
          // CSA has no comment before the first move.
          if (!lines.length || format === "csa" && !index) return;
          const number = numberOf(lines[0].score, isBlackFirst === (index % 2 === 0));
          const pattern = format === "csa" ? /^\* (-?\d+)/m : /^\*解析 .* 評価値 (-?\d+)/m;
          const [, score] = (found.comments[index] || "").match(pattern) || [];
          check(Number(score) === number, `${file} as ${format}, position ${index}: score ${score}, expected ${number}`);
          comments++;
        });
      }
    }
  }
  console.log(faults.length ? `FAULT: ${faults.join("; ")}` : `OK: ${records} records with ${comments} scores and ${kept} older comments`);
} catch (error) {
  faults.push(error.message);
  console.log(`FAULT: ${error.stack}; ${faults.join("; ")}`);
} finally {
  rmSync(work, { recursive: true, force: true });
}
process.exit(faults.length ? 1 : 0);
