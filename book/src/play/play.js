// The demo page: play against Raicho at any level, with or without a handicap, or analyse. The board is that of the
// pages of `raicho analyze --html` (words.js, rules.js, board.js), the engine knows the rules.
/* global state, byId, element, readSfen, readMove, readMoves, after, moveText, drawBoard, drawHand, colorOf, squareAt,
   nameOfSquare, markTargets, scoreText, MATE, START */

const LEVELS = 20;
const LINES = 3;
Object.assign(state, { lang: "en", notation: "en", pieces: "kanji" });
let raicho;
let start;
let positions;
let moves;
let legal = new Set();
let selected = null;
let rows = [];
let result = "";
/** Searches that were begun and their answers: an answer to an earlier position is not played. */
let asked = 0;
let answered = 0;

for (let level = 0; level <= LEVELS; level++) byId("level").append(new Option(String(level), String(level), false, level === 3));
const mode = () => byId("mode").value;
const here = () => positions.at(-1);
const isEngineToMove = () => mode() !== "analyse" && here().side !== Number(mode());

/** The pieces that White has at the start; with a handicap White moves first. */
function startSfen() {
  const rows = byId("handicap").value;
  return rows ? `${rows}/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1` : START;
}

function newGame() {
  start = startSfen();
  positions = [readSfen(start)];
  moves = [];
  raicho.postMessage("stop\nusinewgame");
  state.flipped = mode() === "1";
  changed();
}

/** The position is another one: shows it and asks the engine about it. */
function changed() {
  [rows, selected, legal, result] = [[], null, new Set(), ""];
  const played = moves.length ? ` moves ${moves.map((move) => move.usi).join(" ")}` : "";
  const isAnalysis = mode() === "analyse";
  const level = isAnalysis ? LEVELS : byId("level").value;
  raicho.postMessage(`stop\nsetoption name SkillLevel value ${level}\nsetoption name MultiPV value ${isAnalysis ? LINES : 1}`);
  raicho.postMessage(`position sfen ${start}${played}\ncompiler\nmoves`);
  if (isAnalysis) raicho.postMessage("go infinite");
  else if (isEngineToMove()) raicho.postMessage(`go movetime ${byId("time").value}`);
  asked += 1;
  show();
}

function hear(line) {
  // It follows all that was said about earlier positions.
  if (line.startsWith("Raicho ")) {
    answered += 1;
    return;
  }
  if (line.startsWith("info string error")) byId("status").textContent = line.slice("info string ".length);
  if (answered < asked) return;
  // The answer to `moves`.
  if (line === "" || /^[1-9][a-i][1-9][a-i]|^[PLNSGBR]\*/.test(line)) {
    legal = new Set(line.split(" "));
    if (line === "") result = `${here().side ? "White" : "Black"} has no move left and loses.`;
    show();
  }
  if (line.startsWith("bestmove")) answer(line.split(" ")[1]);
  const found = line.match(/^info depth (\d+) .*?multipv (\d+) score (cp|mate) (\S+).*? pv (.+)$/);
  if (!found) return;
  const [, depth, rank, kind, value, pv] = found;
  const plies = Math.abs(parseInt(value, 10) || 0);
  const own = kind === "cp" ? Number(value) : value.startsWith("-") ? plies - MATE : MATE - plies;
  rows[rank - 1] = { depth, score: here().side ? -own : own, pv };
  showLines();
}

function answer(usi) {
  if (!isEngineToMove()) return;
  if (usi === "resign") result = "Raicho resigns: you win.";
  else if (usi === "win") result = "Raicho declares a win.";
  else return play(usi);
  show();
}

function play(usi) {
  const move = readMove(usi);
  moves.push(move);
  positions.push(after(here(), move));
  changed();
}

function undo() {
  // To the reader's own last move.
  const count = mode() === "analyse" || isEngineToMove() ? 1 : 2;
  if (moves.length < count) return;
  moves.splice(-count);
  positions.splice(-count);
  changed();
}

// --- What is seen ---

function show() {
  byId("board").replaceChildren(drawBoard(here(), moves.at(-1), [], "Board"));
  for (const [id, color] of [["player-top", state.flipped ? 0 : 1], ["player-bottom", state.flipped ? 1 : 0]]) {
    const sign = element("span", { class: `sign ${color ? "white" : "black"}` }, color ? "☖" : "☗");
    byId(id).className = `player${here().side === color ? " to-move" : ""}`;
    byId(id).replaceChildren(sign, element("span", { class: "name" }, color ? "White" : "Black"), drawHand(here().hands[color], color));
  }
  const turn = mode() === "analyse" ? "Analysis: move for both sides." : isEngineToMove() ? "Raicho thinks…" : legal.size ? "Your move." : "Loading…";
  byId("status").textContent = result || turn;
  byId("moves").textContent = moves.map((move, index) => `${index + 1}. ${moveText(positions[index], move, moves[index - 1])}`).join("  ");
  showLines();
}

function showLines() {
  byId("lines").replaceChildren(...rows.filter(Boolean).map(({ depth, score, pv }) => {
    let position = here();
    let last = moves.at(-1);
    const words = readMoves(pv).map((move) => {
      const word = moveText(position, move, last);
      [position, last] = [after(position, move), move];
      return word;
    });
    return element("p", {}, element("strong", {}, scoreText(score)), ` (${depth}) ${words.join(" ")}`);
  }));
}

// --- What the reader does ---

function choose(origin) {
  selected = origin;
  markTargets(byId("board").firstChild, origin, legal);
}

byId("board").addEventListener("click", (event) => {
  const square = squareAt(byId("board").firstChild, event);
  if (square === null || isEngineToMove() || result) return;
  const name = nameOfSquare(square);
  const plain = `${selected}${name}`;
  const [canStay, canPromote] = [legal.has(plain), legal.has(`${plain}+`)];
  if (selected && (canStay || canPromote)) {
    play(canPromote && (!canStay || confirm("Promote?")) ? `${plain}+` : plain);
    return;
  }
  const piece = here().board[square];
  choose(piece && colorOf(piece) === here().side && selected !== name ? name : null);
});
for (const id of ["player-top", "player-bottom"]) {
  byId(id).addEventListener("click", (event) => {
    const piece = event.target.closest("[data-piece]")?.dataset.piece;
    if (!piece || colorOf(piece) !== here().side || isEngineToMove()) return;
    const origin = `${piece.toUpperCase()}*`;
    choose(selected === origin ? null : origin);
  });
}
byId("new").addEventListener("click", newGame);
byId("handicap").addEventListener("change", newGame);
byId("undo").addEventListener("click", undo);
byId("flip").addEventListener("click", () => {
  state.flipped = !state.flipped;
  show();
});
byId("mode").addEventListener("change", changed);
byId("level").addEventListener("change", changed);

try {
  const { default: createRaicho } = await import("./pkg/raicho.js");
  raicho = await createRaicho({ onLine: hear });
  raicho.postMessage("usi\nisready");
  newGame();
} catch {
  byId("status").textContent = "The engine is not built: run web/build.sh, then build the guide.";
}
