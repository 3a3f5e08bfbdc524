// Records through `raicho convert`, judged by tsshogi (the library of ShogiHome) and by
// json-kifu-format (that of Kifu for JS):
//   node tests/clients/records.mjs target/release/raicho FOLDER…
// The folders hold records of any format, such as corpora/csa and corpora/kif; a `moves.tsv` in
// them (name, start, moves) is compared too. Needs `npm i tsshogi json-kifu-format` in the folder
// MODULES (default: the working folder). Every record is written as CSA, KIF, KI2 (both encodings)
// and JKF, read by the libraries, and must have the start, moves and comments that tsshogi reads
// from the original. Prints `skipped: …`, `OK: …` or `FAULT: …`.
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
const modules = createRequire(join(resolve(process.env.MODULES || process.cwd()), "x.js"));
let shogi, jkf;
try {
  [shogi, jkf] = [modules("tsshogi"), modules("json-kifu-format")];
} catch {
  console.log("skipped: npm i tsshogi json-kifu-format, and MODULES=that folder");
  process.exit(0);
}

const faults = [];
const check = (is, what) => {
  if (!is) faults.push(what);
};

/** The text of a file: UTF-8 if it is valid, else CP932. */
function textOf(path) {
  const bytes = readFileSync(path);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("shift_jis").decode(bytes);
  }
}

function imported(path) {
  const text = textOf(path);
  switch (extname(path).slice(1)) {
    case "csa": return shogi.importCSA(text.replace(/^\/\s*$/m, ""));
    case "kif": case "kifu": return shogi.importKIF(text);
    case "ki2": case "ki2u": return shogi.importKI2(text);
    case "jkf": return shogi.importJKFString(text);
    default: return new Error("unknown extension");
  }
}

/** Start, moves and comments of a record. */
function contents(record) {
  const comments = [record.first.comment.trimEnd()];
  const moves = [];
  let special = "";
  for (const node of record.moves.slice(1)) {
    if (!(node.move instanceof shogi.Move)) {
      special = node.move.type || node.move.name;
      break;
    }
    moves.push(node.move.usi);
    comments.push(node.comment.replace(/\n$/, ""));
  }
  return { start: record.initialPosition.sfen, moves: moves.join(" "), comments, special };
}

/** The moves as json-kifu-format reads them. */
function movesOfJkf(path) {
  const text = textOf(path);
  const parse = { csa: "parseCSA", kif: "parseKIF", ki2: "parseKI2", jkf: "parseJKF" };
  const player = jkf.JKFPlayer[parse[extname(path).slice(1).replace("kifu", "kif").replace("ki2u", "ki2")]](text);
  const names = { FU: "P", KY: "L", KE: "N", GI: "S", KI: "G", KA: "B", HI: "R" };
  const square = ({ x, y }) => `${x}${"abcdefghi"[y - 1]}`;
  return player.kifu.moves.filter(({ move }) => move).map(({ move }) =>
    move.from ? square(move.from) + square(move.to) + (move.promote ? "+" : "") : `${names[move.piece]}*${square(move.to)}`).join(" ");
}

let records = 0;
const work = mkdtempSync(join(tmpdir(), "raicho-records-"));
try {
  for (const folder of folders) {
    const known = new Map();
    const table = join(folder, "moves.tsv");
    if (existsSync(table)) {
      for (const line of readFileSync(table, "utf8").split("\n").filter((line) => line && !line.startsWith("#"))) {
        const [name, start, moves] = line.split("\t");
        known.set(name, { start, moves: (moves || "").trim() });
      }
    }
    for (const file of readdirSync(folder).filter((file) => /\.(csa|kifu?|ki2u?|jkf)$/.test(file))) {
      const path = join(folder, file);
      const original = imported(path);
      if (original instanceof Error) {
        check(false, `${file}: tsshogi cannot read the original: ${original.message}`);
        continue;
      }
      const expected = contents(original);
      records += 1;
      for (const to of ["csa", "kif", "kifu", "ki2", "ki2u", "jkf"]) {
        const out = join(work, `out.${to}`);
        try {
          execFileSync(raicho, ["convert", path, "--out", out, "--force"], { stdio: ["ignore", "ignore", "pipe"] });
        } catch (error) {
          check(false, `${file} to ${to}: ${error.stderr}`);
          continue;
        }
        const record = imported(out);
        if (record instanceof Error) {
          check(false, `${file} to ${to}: tsshogi: ${record.message}`);
          continue;
        }
        const found = contents(record);
        for (const part of ["start", "moves"]) {
          check(found[part] === expected[part], `${file} to ${to}: ${part} ${found[part]}, expected ${expected[part]}`);
        }
        found.comments.forEach((text, ply) => check(text === expected.comments[ply],
          `${file} to ${to}: comment at ply ${ply} '${text}', expected '${expected.comments[ply]}'`));
        const row = known.get(basename(file, extname(file)));
        check(!row || row.moves === found.moves, `${file} to ${to}: moves differ from moves.tsv`);
        try {
          const moves = movesOfJkf(out);
          check(moves === expected.moves, `${file} to ${to}: json-kifu-format reads ${moves}`);
        } catch (error) {
          check(false, `${file} to ${to}: json-kifu-format: ${String(error).slice(0, 200)}`);
        }
        if (to === "ki2u" && extname(path).startsWith(".ki2")) {
          // The same words for the same moves, where tsshogi wrote the original.
          const words = (text) => (text.match(/[▲△][^ \n\r*]+/g) || []).join(" ");
          const [ours, theirs] = [words(textOf(out)), words(textOf(path))];
          check(ours === theirs, `${file}: KI2 words differ`);
        }
      }
    }
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
for (const fault of faults.slice(0, 40)) console.log(fault.slice(0, 400));
console.log(faults.length ? `FAULT: ${faults.length} in ${records} records` : `OK: ${records} records, each in six formats`);
process.exit(faults.length ? 1 : 0);
