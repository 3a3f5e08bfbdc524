// The texts of the page. `text(key)` is the one of the chosen language.
const WORDS = {
  ja: {
    black: "先手", white: "後手", handicapBlack: "下手", handicapWhite: "上手",
    start: "開始局面", best: "最善手", good: "", doubtful: "疑問手", blunder: "悪手", missed: "詰み逃し", inaccuracy: "緩手", severe: "大悪手", only: "好手",
    ply: "手目", mateIn: "手詰", chance: "期待勝率", loss: "損失", depth: "深さ", nodes: "ノード",
    moves: "手数", agreement: "最善手一致率", meanLoss: "平均損失（評価値）", meanChance: "平均損失（期待勝率）", time: "消費時間",
    engine: "エンジン", bestIs: "最善は", playedBest: "最善手です", back: "本譜に戻る", line: "読み筋", free: "検討手順",
    first: "最初へ", previous: "1手戻る", next: "1手進む", last: "最後へ", play: "自動再生", stop: "停止",
    flip: "盤面反転", copy: "局面をコピー", copied: "コピーしました", print: "印刷", settings: "表示設定",
    language: "English", notation: "棋譜表記", pieces: "駒", kanji: "漢字", letters: "アルファベット", theme: "配色",
    auto: "自動", light: "ライト", dark: "ダーク", japanese: "日本語", western: "欧米式", arrows: "矢印",
    graph: "形勢グラフ", graphHelp: "左右キーで移動", board: "盤面", boardKeys: "盤面：矢印キーでマスを選び、Enterで駒を動かします", moveList: "指し手", win: "勝ち", draw: "引き分け",
    unknown: "結果不明", games: "対局", game: "局", name: "名前", result: "結果", ending: "終局",
    players: "対局者", cross: "対戦表", elo: "レーティング差の推移", pairs: "局", leftOut: "局はページの大きさを抑えるため省略しました",
    problem: "問", problems: "問題", hand: "持駒", noHand: "なし", by: "解析", summary: "まとめ",
    formula: "期待勝率 = 1 / (1 + e^(−評価値/600))。期待勝率を{inaccuracy}%以上失う手が緩手、{doubtful}%以上が疑問手、{blunder}%以上が悪手、{severe_blunder}%以上が大悪手。",
    nextGame: "次の対局", previousGame: "前の対局", score: "評価値", mate: "詰み",
    unproven: "（最短とは限りません）", futile: "無駄合い", noMate: "不詰", open: "不明", attacker: "攻方", defender: "玉方", second: "余詰",
    played: "本譜", better: "最善", variation: "変化", comment: "棋譜コメント", jump: "手目へ移動", save: "棋譜・局面図", copyOf: "をコピー", saveOf: "を保存",
    diagram: "局面図（BOD）", wins: "得", loses: "損", noGain: "駒の損得なし",
    overlooksThreat: "詰めろ見落とし（{0}手詰）", allowsMate: "自玉に{0}手詰", threatensMate: "詰めろ（{0}手詰）", onlyMove: "次善手は期待勝率 −{0}%",
    brinkmate: "必至（{0}手詰）", allowsBrinkmate: "自玉に必至（{0}手詰）", missesBrinkmate: "必至逃し（{0}手詰）",
    hangs: "{0}の{1}をただで取られる", exchanged: "{0}の{1}を取られて駒損", standings: ["互角", "{0}やや有利", "{0}有利", "{0}優勢", "{0}勝勢"],
    endings: { resignation: "投了", checkmate: "詰み", declaration: "入玉宣言勝ち", repetition: "千日手",
      "perpetual check": "連続王手の千日手", "max moves": "持将棋・最大手数", "time up": "時間切れ", "illegal move": "反則",
      "illegal action": "反則", forfeit: "不戦勝", "no mate": "不詰",
      "illegal declaration": "宣言不成立", disconnection: "接続切れ", "adjudicated win": "判定勝ち",
      "adjudicated draw": "引き分け（判定）", interrupted: "中断" },
  },
  en: {
    black: "Black", white: "White", handicapBlack: "Black", handicapWhite: "White",
    start: "Start", best: "Best move", good: "", doubtful: "Doubtful", blunder: "Blunder", missed: "Missed mate", inaccuracy: "Inaccuracy", severe: "Severe blunder", only: "Only good move",
    ply: "", mateIn: "mate in ", chance: "win chance", loss: "loss", depth: "depth", nodes: "nodes",
    moves: "Moves", agreement: "Best moves", meanLoss: "Mean loss (pawns)", meanChance: "Mean win chance lost", time: "Time used",
    engine: "Engine", bestIs: "best is", playedBest: "the best move", back: "Back to the game", line: "Line", free: "Your moves",
    first: "First position", previous: "Back one move", next: "On one move", last: "Last position", play: "Play", stop: "Stop",
    flip: "Flip the board", copy: "Copy the position", copied: "Copied", print: "Print", settings: "Display",
    language: "日本語", notation: "Notation", pieces: "Pieces", kanji: "Kanji", letters: "Letters", theme: "Theme",
    auto: "Auto", light: "Light", dark: "Dark", japanese: "Japanese", western: "Western", arrows: "Arrows",
    graph: "Graph of the game", graphHelp: "arrow keys move", board: "Board", boardKeys: "Board: arrow keys choose a square, Enter moves", moveList: "Moves", win: "wins", draw: "draw",
    unknown: "result unknown", games: "Games", game: "Game", name: "Name", result: "Result", ending: "Ending",
    players: "Players", cross: "Cross table", elo: "Elo over time", pairs: "games", leftOut: "games are left out to keep the page small",
    problem: "Problem", problems: "Problems", hand: "in hand", noHand: "none", by: "Analysed by", summary: "Summary",
    formula: "Win chance = 1 / (1 + e^(−score/600)). An inaccuracy loses {inaccuracy} % of it or more, a doubtful move {doubtful} %, a blunder {blunder} %, a severe one {severe_blunder} %.",
    nextGame: "Next game", previousGame: "Previous game", score: "score", mate: "mate",
    unproven: ", shortest not proven", futile: "futile", noMate: "no mate", open: "not solved", attacker: "Attacker", defender: "Defender", second: "Second solutions",
    played: "played", better: "better", variation: "Variation", comment: "Comment", jump: "Go to move", save: "Record, picture", copyOf: ": copy", saveOf: ": save",
    diagram: "Diagram (BOD)", wins: "wins ", loses: "loses ", noGain: "nothing won or lost",
    overlooksThreat: "overlooks the threat of mate in {0}", allowsMate: "gets mated in {0}", threatensMate: "threatens mate in {0}", onlyMove: "the second best loses {0}%",
    brinkmate: "brinkmate: nothing parries the mate in {0}", allowsBrinkmate: "allows a brinkmate (mate in {0})", missesBrinkmate: "misses a brinkmate (mate in {0})",
    hangs: "the {1} on {0} is taken for nothing", exchanged: "the {1} on {0} is lost in the exchange",
    standings: ["even", "{0} slightly better", "{0} better", "{0} clearly better", "{0} winning"],
    endings: { "max moves": "impasse or move limit" },
  },
};
const state = { lang: "ja", notation: "ja", pieces: "kanji", theme: "auto", arrows: true, flipped: false,
  game: 0, ply: 0, line: null, playing: null };
const text = (key) => WORDS[state.lang][key];
const filled = (key, ...values) => values.reduce((words, value, index) => words.replace(`{${index}}`, value), text(key));
const verdictText = (game) => game.verdict === "nomate" ? text("noMate") : game.verdict === "unknown" ? text("open")
  : game.verdict ? (state.lang === "ja" ? game.plies + text("mateIn") : text("mateIn") + game.plies) + (game.unproven ? text("unproven") : "") : "";
// The name of a problem or a game, with their number: 第3問, 第3局（全8局）, Game 3/8.
function numberText(key, number, all) {
  if (state.lang === "ja") return `第${number}${text(key)}${all ? `（全${all}${text(key)}）` : ""}`;
  return `${text(key)} ${number}${all ? `/${all}` : ""}`;
}
const endingText = (name) => WORDS[state.lang].endings[name] || name || "";
// The opening and the castles, in both languages from the table of the program.
const formationTexts = ({ formations }) => formations ? [formations.opening, ...formations.castles].map((found, index) => found && ["", "☗ ", "☖ "][index] + found[state.lang]) : [];

const nodesText = (count) => `${count.toLocaleString()}${state.lang === "ja" ? "" : " "}${text("nodes")}`;
const depthText = (depth) => `${text("depth")}${state.lang === "ja" ? "" : " "}${depth}`;
const inBrackets = (words) => state.lang === "ja" ? `（${words}）` : ` (${words})`;
const hasTimes = (game) => (game.times || []).some(Boolean);

// Elements. Texts enter as text nodes, never as HTML.
const byId = (id) => document.getElementById(id);
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== false && value != null) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child != null && child !== ""));
  return made;
}
// Gives a box other content; the button that had the focus hands it to the one in its place.
function refill(box, ...children) {
  const controls = () => [...box.querySelectorAll("button, input")];
  const at = controls().indexOf(document.activeElement);
  box.replaceChildren(...children);
  if (at >= 0) controls()[at]?.focus({ preventScroll: true });
}
const SVG = "http://www.w3.org/2000/svg";
function svg(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) if (value != null) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const UNKNOWN = "–";
const MATE = 100000;
const isMate = (score) => Math.abs(score) > MATE / 2 + 1;
const chanceOf = (score) => isMate(score) ? (score > 0 ? 1 : 0) : 1 / (1 + Math.exp(-score / 600));
function scoreText(score) {
  if (score == null) return "";
  if (!isMate(score)) return state.lang === "ja"
    ? (score > 0 ? "+" : score < 0 ? "−" : "±") + Math.abs(score)
    : (score > 0 ? "+" : score < 0 ? "−" : "") + (Math.abs(score) / 100).toFixed(2);
  const plies = MATE - Math.abs(score);
  const sign = score > 0 ? "+" : "−";
  if (plies === 0) return text("mate");
  if (state.lang !== "ja") return `${sign}${text("mate")} ${plies}`;
  if (DATA.kind === "mate") return `${plies}${text("mateIn")}`;
  return `${sideName(DATA.games[state.game], score > 0 ? 0 : 1)}の勝ち（${plies}手）`;
}
function timeText(seconds) {
  if (seconds == null) return UNKNOWN;
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, Math.floor(seconds) % 60];
  if (!parts[0]) parts.shift();
  return parts.map((part, index) => index ? String(part).padStart(2, "0") : part).join(":");
}
