// The board as SVG. Cells are 100 wide and 109 high, as on a real board.
const CELL = { width: 100, height: 109 };
const EDGE = { left: 14, top: 44, right: 44, bottom: 14 };
const BOARD = { width: EDGE.left + 900 + EDGE.right, height: EDGE.top + 981 + EDGE.bottom };
const PIECE_SCALE = { K: 1, R: 0.97, B: 0.97, G: 0.94, S: 0.94, N: 0.9, L: 0.87, P: 0.84 };

const seen = (square) => state.flipped ? 80 - square : square;
function cornerOf(square) {
  const at = seen(square);
  return [EDGE.left + (at % 9) * CELL.width, EDGE.top + Math.floor(at / 9) * CELL.height];
}
const centerOf = (square) => cornerOf(square).map((place, axis) => place + (axis ? CELL.height : CELL.width) / 2);

// A piece around the origin.
function pieceShape(piece, turned) {
  const kind = kindOf(piece);
  const base = kind.replace("+", "");
  const isPromoted = kind.startsWith("+");
  const scale = PIECE_SCALE[base];
  const turn = `${turned ? "rotate(180) " : ""}scale(${scale})`;
  const outline = "M0-47 30-36 42 46H-42L-30-36Z";
  const shape = svg("g", { transform: turn }, svg("path", { class: "wood", d: outline }));
  const letter = state.pieces === "kanji"
    ? (kind === "K" && colorOf(piece) ? "王" : KANJI[kind])
    : (isPromoted ? "+" : "") + base;
  const glyph = svg("text", { class: `glyph ${state.pieces}${isPromoted ? " promoted" : ""}`, x: 0, y: state.pieces === "kanji" ? 25 : 24 });
  glyph.textContent = letter;
  shape.append(glyph);
  // A shadow as a shape: filters would make each step slow.
  return svg("g", {}, svg("path", { class: "shade", d: outline, transform: `translate(1.5 3.5) ${turn}` }), shape);
}

// The parts that never change: wood, lines, coordinates.
function boardFrame() {
  const frame = svg("g");
  frame.append(svg("rect", { class: "plank", width: BOARD.width, height: BOARD.height, rx: 10 }));
  let lines = "";
  for (let index = 0; index <= 9; index++) {
    lines += `M${EDGE.left + index * CELL.width} ${EDGE.top}v981M${EDGE.left} ${EDGE.top + index * CELL.height}h900`;
  }
  frame.append(svg("path", { class: "grid", d: lines }));
  frame.append(svg("rect", { class: "border", x: EDGE.left, y: EDGE.top, width: 900, height: 981 }));
  for (const [x, y] of [[3, 3], [6, 3], [3, 6], [6, 6]]) {
    frame.append(svg("circle", { class: "star", cx: EDGE.left + x * CELL.width, cy: EDGE.top + y * CELL.height, r: 6 }));
  }
  for (let index = 0; index < 9; index++) {
    const place = state.flipped ? 8 - index : index;
    const file = svg("text", { class: "coordinate", x: EDGE.left + (index + 0.5) * CELL.width, y: EDGE.top - 13 });
    file.textContent = 9 - place;
    const rank = svg("text", { class: "coordinate", x: EDGE.left + 922, y: EDGE.top + (index + 0.5) * CELL.height + 11 });
    rank.textContent = state.notation === "ja" ? KANJI_RANKS[place] : RANKS[place];
    frame.append(file, rank);
  }
  return frame;
}

// An arrow of a move, or a ring with the piece for a drop.
function arrow(move, color, name) {
  const [toX, toY] = centerOf(move.to);
  const group = svg("g", { class: `arrow ${name}` });
  if (move.drop) {
    const ring = pieceShape(color ? move.drop.toLowerCase() : move.drop, (color === 1) !== state.flipped);
    const holder = svg("g", { transform: `translate(${toX} ${toY})`, class: "ghost" });
    holder.append(ring);
    group.append(holder, svg("circle", { cx: toX, cy: toY, r: 47 }));
    return group;
  }
  const [fromX, fromY] = centerOf(move.from);
  const length = Math.hypot(toX - fromX, toY - fromY);
  const [x, y] = [(toX - fromX) / length, (toY - fromY) / length];
  const [endX, endY] = [toX - x * 44, toY - y * 44];
  group.append(svg("path", { class: "shaft", d: `M${fromX + x * 26} ${fromY + y * 26}L${endX} ${endY}` }));
  const [wide, tip] = [23, 40];
  group.append(svg("path", { class: "head", d: `M${endX + x * tip} ${endY + y * tip}L${endX - y * wide} ${endY + x * wide}L${endX + y * wide} ${endY - x * wide}Z` }));
  return group;
}

// Drawings that are made once and copied, which keeps each step fast.
const made = new Map();
function copyOf(key, make) {
  if (!made.has(key)) made.set(key, make());
  return made.get(key).cloneNode(true);
}
const pieceCopy = (piece, turned) => copyOf(`${state.pieces} ${piece} ${turned}`, () => pieceShape(piece, turned));

function drawBoard(position, last, arrows, label) {
  const drawing = svg("svg", { viewBox: `0 0 ${BOARD.width} ${BOARD.height}`, role: "img", "aria-label": label });
  drawing.append(copyOf(`frame ${state.flipped} ${state.notation}`, boardFrame));
  if (last) {
    for (const [square, name] of [[last.from, "from"], [last.to, "to"]]) {
      if (square == null) continue;
      const [x, y] = cornerOf(square);
      drawing.append(svg("rect", { class: `mark ${name}`, x: x + 1, y: y + 1, width: CELL.width - 2, height: CELL.height - 2 }));
    }
  }
  position.board.forEach((piece, square) => {
    if (!piece) return;
    const [x, y] = centerOf(square);
    const holder = svg("g", { transform: `translate(${x} ${y})` });
    holder.append(pieceCopy(piece, (colorOf(piece) === 1) !== state.flipped));
    drawing.append(holder);
  });
  for (const { move, color, name } of arrows) drawing.append(arrow(move, color, name));
  return drawing;
}

// The square under the pointer.
function squareAt(drawing, event) {
  const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(drawing.getScreenCTM().inverse());
  const [column, rank] = [Math.floor((x - EDGE.left) / CELL.width), Math.floor((y - EDGE.top) / CELL.height)];
  if (column < 0 || column > 8 || rank < 0 || rank > 8) return null;
  return state.flipped ? 80 - (rank * 9 + column) : rank * 9 + column;
}
const nameOfSquare = (square) => `${9 - square % 9}${RANKS[Math.floor(square / 9)]}`;
const squareName = (name) => state.lang === "ja" ? WIDE_DIGITS[name[0] - 1] + KANJI_RANKS[RANKS.indexOf(name[1])] : name;
// A board for the keyboard: arrows move a frame over its squares, which are read out, and Enter chooses one. The
// function that is given back draws the frame again on another drawing.
const BOARD_STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
function chooseByKeys(box, positionHere, onSquare) {
  let [column, rank] = [4, 4];
  // After a click, the arrow keys belong to the page.
  let isByKeys = false;
  const said = element("span", { class: "unseen", role: "status" });
  box.after(said);
  box.tabIndex = 0;
  box.setAttribute("role", "application");
  const square = () => seen(9 * rank + column);
  const frame = () => {
    box.setAttribute("aria-label", text("boardKeys"));
    for (const old of box.querySelectorAll(".chooser")) old.remove();
    if (!isByKeys) return;
    const [x, y] = cornerOf(square());
    box.firstChild.append(svg("rect", { class: "chooser", x: x + 4, y: y + 4, width: CELL.width - 8, height: CELL.height - 8 }));
  };
  const turn = (isOn) => { isByKeys = isOn; frame(); };
  for (const name of ["pointerdown", "blur"]) box.addEventListener(name, () => turn(false));
  box.addEventListener("keyup", (event) => { if (event.key === "Tab") turn(true); });
  box.addEventListener("keydown", (event) => {
    const step = BOARD_STEPS[event.key];
    if (!isByKeys || !(step || ["Enter", " "].includes(event.key))) return;
    event.preventDefault();
    event.stopPropagation();
    if (step) [column, rank] = [column + step[0], rank + step[1]].map((place) => Math.max(0, Math.min(8, place)));
    else onSquare(square());
    frame();
    const piece = positionHere().board[square()];
    const words = piece ? [text(colorOf(piece) ? "white" : "black"), state.pieces === "kanji" ? NAMES[kindOf(piece)] : kindOf(piece)] : [];
    said.textContent = [squareName(nameOfSquare(square())), ...words].join(" ");
  });
  return frame;
}
// Marks a chosen square (7g), or none for a piece in hand (P*), and where the piece can go by the legal moves.
function markTargets(drawing, origin, legal) {
  for (const mark of drawing.querySelectorAll(".target")) mark.remove();
  if (!origin) return;
  const targets = new Set([...legal].filter((usi) => usi.startsWith(origin)).map((usi) => usi.slice(2, 4)));
  if (origin[1] !== "*") targets.add(origin);
  for (const target of targets) {
    const [x, y] = cornerOf(squareOf(target));
    drawing.append(svg("rect", { class: "target", x, y, width: CELL.width, height: CELL.height, fill: target === origin ? "#3b82f680" : "#3b82f640" }));
  }
}

// The pieces in hand, as small drawings with their counts; as buttons where one can be chosen.
function drawHand(hand, color, onPiece) {
  const held = HAND_ORDER.filter((kind) => hand[kind]);
  const names = held.map((kind) => `${state.pieces === "kanji" ? KANJI[kind] : kind}${hand[kind]}`);
  const box = element("div", { class: "hand", role: onPiece ? "group" : "img", "aria-label": `${text("hand")}: ${names.join(" ") || text("noHand")}` });
  held.forEach((kind, index) => {
    const drawing = svg("svg", { viewBox: "-50 -54 100 109" });
    drawing.append(pieceCopy(color ? kind.toLowerCase() : kind, false));
    const isButton = onPiece && { type: "button", "aria-label": names[index], onclick: () => onPiece(kind) };
    box.append(element(isButton ? "button" : "span", { class: "held", ...isButton }, drawing, hand[kind] > 1 ? element("i", {}, String(hand[kind])) : ""));
  });
  return box;
}
