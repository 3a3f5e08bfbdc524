// The demo page: play against Raicho at any level, with or without a handicap, or analyse. The board is that of the
// pages of `raicho analyze --html` (words.js, rules.js, board.js), the engine knows the rules.
/* global state, byId, element, readSfen, readMove, readMoves, after, moveText, drawBoard, drawHand, colorOf, squareAt,
   nameOfSquare, markTargets, chooseByKeys, scoreText, depthText, text, MATE, START */

const LEVELS = 20;
const LINES = 3;
/** The texts of the page; the choices of a list in its order. */
const PLAY_WORDS = {
  en: {
    mode: ["Mode", "you play Black", "you play White", "analysis"],
    handicap: ["Handicap", "none", "lance", "bishop", "rook", "rook and lance", "2 pieces", "4 pieces", "6 pieces"],
    level: ["Level", ...levels("beginner", "full strength")], time: ["Time", "0.2 s", "1 s", "5 s"],
    new: "New game", undo: "Undo", flip: "Flip", language: "日本語", promote: "Promote?",
    guide: "How to use the engine in a page of your own", loading: "Loading…", analysis: "Analysis: move for both sides.",
    yours: "Your move.", thinking: "Raicho thinks…", resigns: "Raicho resigns: you win.", declares: "Raicho declares a win.",
    lost: (side) => `${side} has no move left and loses.`, failed: "The engine is not built: run web/build.sh, then build the guide.",
  },
  ja: {
    mode: ["対局", "先手（下手）で指す", "後手（上手）で指す", "検討する"],
    handicap: ["手合割", "平手", "香落ち", "角落ち", "飛車落ち", "飛香落ち", "二枚落ち", "四枚落ち", "六枚落ち"],
    level: ["レベル", ...levels("入門", "全力")], time: ["1手", "0.2秒", "1秒", "5秒"],
    new: "新しい対局", undo: "待った", flip: "盤面反転", language: "English", promote: "成りますか？",
    guide: "自分のページでエンジンを使うには（英語）", loading: "読み込み中…", analysis: "検討中：両方の駒を動かせます。",
    yours: "あなたの番です。", thinking: "Raichoが考えています…", resigns: "Raichoが投了しました。あなたの勝ちです。", declares: "Raichoが入玉宣言で勝ちました。",
    lost: (side) => `${side}に指せる手がなく、${side}の負けです。`, failed: "エンジンがありません。web/build.shを実行してから手引きをビルドしてください。",
  },
};
const word = (key) => PLAY_WORDS[state.lang][key];
function levels(first, last) {
  return Array.from({ length: LEVELS + 1 }, (_, level) => (level % LEVELS ? String(level) : `${level} (${level ? last : first})`));
}
function setLanguage(lang) {
  Object.assign(state, { lang, notation: lang });
  document.documentElement.lang = lang;
  for (const list of document.querySelectorAll("[data-text]")) {
    const [name, ...choices] = word(list.dataset.text);
    list.previousElementSibling.textContent = name;
    choices.forEach((choice, index) => { list.options[index].textContent = choice; });
  }
  for (const id of ["new", "undo", "flip", "language", "guide"]) if (byId(id)) byId(id).textContent = word(id);
  byId("language").lang = lang === "ja" ? "en" : "ja";
}
const sideName = (color) => text(byId("handicap").value ? ["handicapBlack", "handicapWhite"][color] : ["black", "white"][color]);
// What words.js takes from the pages of games.
Object.assign(globalThis, { DATA: { games: [] }, sideName: (_, color) => sideName(color) });
let raicho;
let start;
let positions;
let moves;
let legal = new Set();
let selected = null;
let rows = [];
/** The text of the end of the game. */
let result = null;
/** Searches that were begun and their answers: an answer to an earlier position is not played. */
let asked = 0;
let answered = 0;

for (let level = 0; level <= LEVELS; level++) byId("level").append(new Option("", String(level), false, level === 3));
setLanguage(navigator.language.startsWith("ja") ? "ja" : "en");
byId("status").textContent = word("loading");
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
  [rows, selected, legal, result] = [[], null, new Set(), null];
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
    if (line === "") result = () => word("lost")(sideName(here().side));
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
  if (usi === "resign") result = () => word("resigns");
  else if (usi === "win") result = () => word("declares");
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
  byId("board").replaceChildren(drawBoard(here(), moves.at(-1), [], text("board")));
  for (const [id, color] of [["player-top", state.flipped ? 0 : 1], ["player-bottom", state.flipped ? 1 : 0]]) {
    const sign = element("span", { class: `sign ${color ? "white" : "black"}` }, color ? "☖" : "☗");
    byId(id).className = `player${here().side === color ? " to-move" : ""}`;
    byId(id).replaceChildren(sign, element("span", { class: "name" }, sideName(color)), drawHand(here().hands[color], color, here().side === color && isReaderToMove() ? chooseHand : null));
  }
  const turn = mode() === "analyse" ? "analysis" : isEngineToMove() ? "thinking" : legal.size ? "yours" : "loading";
  byId("status").textContent = result ? result() : word(turn);
  byId("moves").replaceChildren(...moves.map((move, index) => element("li", {}, `${index + 1}. ${moveText(positions[index], move, moves[index - 1])}`)));
  showLines();
  showChooser();
}

function showLines() {
  byId("lines").replaceChildren(...rows.filter(Boolean).map(({ depth, score, pv }) => {
    let position = here();
    let last = moves.at(-1);
    const words = readMoves(pv).map((move) => {
      const name = moveText(position, move, last);
      [position, last] = [after(position, move), move];
      return name;
    });
    const line = words.flatMap((word) => [element("span", {}, word), " "]);
    return element("p", {}, element("strong", {}, scoreText(score)), ` (${depthText(depth)}) `, ...line);
  }));
}

// --- What the reader does ---

function choose(origin) {
  selected = origin;
  markTargets(byId("board").firstChild, origin, legal);
}

const isReaderToMove = () => !isEngineToMove() && !result;
function chooseSquare(square) {
  if (square === null || !isReaderToMove()) return;
  const name = nameOfSquare(square);
  const plain = `${selected}${name}`;
  const [canStay, canPromote] = [legal.has(plain), legal.has(`${plain}+`)];
  if (selected && (canStay || canPromote)) {
    play(canPromote && (!canStay || confirm(word("promote"))) ? `${plain}+` : plain);
    return;
  }
  const piece = here().board[square];
  choose(piece && colorOf(piece) === here().side && selected !== name ? name : null);
}
const chooseHand = (kind) => choose(selected === `${kind}*` ? null : `${kind}*`);
byId("board").addEventListener("click", (event) => chooseSquare(squareAt(byId("board").firstChild, event)));
const showChooser = chooseByKeys(byId("board"), here, chooseSquare);
byId("new").addEventListener("click", newGame);
byId("handicap").addEventListener("change", newGame);
byId("undo").addEventListener("click", undo);
byId("flip").addEventListener("click", () => {
  state.flipped = !state.flipped;
  show();
});
byId("language").addEventListener("click", () => {
  setLanguage(state.lang === "ja" ? "en" : "ja");
  if (raicho) show();
});
byId("mode").addEventListener("change", changed);
byId("level").addEventListener("change", changed);

try {
  const { default: createRaicho } = await import("./pkg/raicho.js");
  raicho = await createRaicho({ onLine: hear });
  raicho.postMessage("usi\nisready");
  newGame();
} catch {
  byId("status").textContent = word("failed");
}
