// Positions and moves. The page only replays legal moves, so that it needs no rules but these.
const RANKS = "abcdefghi";
const KANJI_RANKS = "一二三四五六七八九";
const WIDE_DIGITS = "１２３４５６７８９";
const HAND_ORDER = ["R", "B", "G", "S", "N", "L", "P"];
const KANJI = { P: "歩", L: "香", N: "桂", S: "銀", G: "金", B: "角", R: "飛", K: "玉",
  "+P": "と", "+L": "杏", "+N": "圭", "+S": "全", "+B": "馬", "+R": "龍" };
const NAMES = { ...KANJI, "+L": "成香", "+N": "成桂", "+S": "成銀" };
const START = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

// A position: `board` by rank and column from the upper left, upper-case letters are black's; `number` is that of the
// next move.
function readSfen(sfen) {
  const [rows, side, hands, number] = sfen.split(" ");
  const board = new Array(81).fill(null);
  rows.split("/").forEach((row, rank) => {
    let column = 0;
    for (const [, skip, piece] of row.matchAll(/(\d)|(\+?[a-zA-Z])/g)) {
      if (skip) column += Number(skip);
      else board[rank * 9 + column++] = piece;
    }
  });
  const position = { board, hands: [{}, {}], side: side === "w" ? 1 : 0, number: Number(number || 1) };
  for (const [, count, piece] of (hands || "-").matchAll(/(\d*)([a-zA-Z])/g)) {
    position.hands[colorOf(piece)][piece.toUpperCase()] = Number(count || 1);
  }
  return position;
}
const colorOf = (piece) => piece === piece.toUpperCase() ? 0 : 1;
const kindOf = (piece) => piece.toUpperCase();
const squareOf = (name) => RANKS.indexOf(name[1]) * 9 + 9 - Number(name[0]);

// A move in the text of the page: USI notation, then what tells it from another piece's.
function readMove(word) {
  const [, usi, mark] = word.match(/^(.{4}\+?)(.*)$/u);
  const drop = usi[1] === "*" ? usi[0] : null;
  return { usi, mark, drop, from: drop ? null : squareOf(usi), to: squareOf(usi.slice(2)), promotes: usi.endsWith("+") };
}
const readMoves = (words) => words ? words.split(" ").map(readMove) : [];

function after(position, move) {
  const next = { board: position.board.slice(), hands: position.hands.map((hand) => ({ ...hand })), side: 1 - position.side, number: position.number + 1 };
  const hand = next.hands[position.side];
  if (move.drop) {
    next.board[move.to] = position.side ? move.drop.toLowerCase() : move.drop;
    hand[move.drop] -= 1;
    return next;
  }
  const taken = next.board[move.to];
  if (taken) {
    const kind = kindOf(taken).replace("+", "");
    hand[kind] = (hand[kind] || 0) + 1;
  }
  const piece = next.board[move.from];
  next.board[move.from] = null;
  next.board[move.to] = move.promotes ? "+" + piece : piece;
  return next;
}
function writeSfen(position) {
  let rows = "";
  for (let rank = 0; rank < 9; rank++) {
    let empty = 0;
    for (let column = 0; column < 9; column++) {
      const piece = position.board[rank * 9 + column];
      if (!piece) { empty++; continue; }
      rows += (empty || "") + piece;
      empty = 0;
    }
    rows += (empty || "") + (rank < 8 ? "/" : "");
  }
  const hands = position.hands.map((hand, color) => HAND_ORDER.filter((kind) => hand[kind]).map((kind) =>
    (hand[kind] > 1 ? hand[kind] : "") + (color ? kind.toLowerCase() : kind)).join("")).join("");
  return `${rows} ${position.side ? "w" : "b"} ${hands || "-"} ${position.number}`;
}

// Notation: ▲７六歩, △同銀右成; Western P-7f, S4i-5h, Bx3c+, N*5e.
const inZone = (square, color) => color ? square >= 54 : square < 27;
function moveText(position, move, last) {
  const color = position.side;
  const piece = move.drop || kindOf(position.board[move.from]);
  const [file, rank] = [8 - move.to % 9, Math.floor(move.to / 9)];
  const canPromote = !move.drop && !piece.startsWith("+") && piece !== "G" && piece !== "K"
    && (inZone(move.from, color) || inZone(move.to, color));
  if (state.notation === "ja") {
    const place = last && last.to === move.to ? "同" : WIDE_DIGITS[file] + KANJI_RANKS[rank];
    return (color ? "△" : "▲") + place + NAMES[piece] + move.mark + (move.promotes ? "成" : canPromote ? "不成" : "");
  }
  const origin = move.mark && !move.drop ? move.usi.slice(0, 2) : "";
  const sign = move.drop ? "*" : position.board[move.to] ? "x" : "-";
  return piece + origin + sign + move.usi.slice(2, 4) + (move.promotes ? "+" : canPromote ? "=" : "");
}

// A game ready to show: the positions, and the text of each move when it is asked for.
function openGame(game) {
  if (game.opened) return game.opened;
  const positions = [readSfen(game.start)];
  const moves = readMoves(game.moves);
  for (const move of moves) positions.push(after(positions[positions.length - 1], move));
  game.opened = { positions, moves };
  return game.opened;
}
const textOfMove = (opened, index) => moveText(opened.positions[index], opened.moves[index], opened.moves[index - 1]);
