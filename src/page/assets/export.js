// What the reader takes along: the record, a diagram of the position, a picture of it.
const shownPosition = () => state.line ? state.line.positions[state.line.length] : openGame(currentGame()).positions[state.ply];

async function copyText(button, words) {
  try {
    await navigator.clipboard.writeText(words);
    button.classList.add("done");
    setTimeout(() => button.classList.remove("done"), 1200);
  } catch { prompt(text("copy"), words); }
}
function saveAs(name, address) {
  element("a", { href: address, download: name }).click();
}
function saveText(extension, words, kind = "text/plain") {
  const address = URL.createObjectURL(new Blob([words], { type: `${kind};charset=utf-8` }));
  saveAs(fileName(extension), address);
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}
// The players' names and, for a picture, the number of the move.
function fileName(extension) {
  const names = `${nameOf(currentGame(), 0)}-${nameOf(currentGame(), 1)}`.replace(/[\s\\/:*?"<>|.]+/g, "_").slice(0, 80);
  return `${names}${/svg|png/.test(extension) ? `-${state.ply}` : ""}.${extension}`;
}

// The position as a diagram of KIF (BOD).
const KANJI_NUMBERS = ["", "", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二", "十三", "十四", "十五", "十六", "十七", "十八"];
const handText = (hand) => HAND_ORDER.filter((kind) => hand[kind]).map((kind) => KANJI[kind] + KANJI_NUMBERS[hand[kind]]).join("　") || "なし";
function diagramText(position) {
  const frame = "+---------------------------+";
  const rows = [...KANJI_RANKS].map((name, rank) => `|${position.board.slice(9 * rank, 9 * rank + 9).map((piece) =>
    piece ? (colorOf(piece) ? "v" : " ") + KANJI[kindOf(piece)] : " ・").join("")}|${name}`);
  return [`後手の持駒：${handText(position.hands[1])}`, "  ９ ８ ７ ６ ５ ４ ３ ２ １", frame, ...rows, frame,
    `先手の持駒：${handText(position.hands[0])}`, `${position.side ? "後" : "先"}手番`, ""].join("\n");
}

// The board as it is shown, with both hands, as an SVG that needs no other file.
const PRESENTATION = ["fill", "stroke", "stroke-width", "stroke-linecap", "stroke-linejoin", "opacity", "font-size", "font-weight", "font-family", "text-anchor"];
function pictureText() {
  const shown = byId("board").querySelector("svg");
  const copy = shown.cloneNode(true);
  const copies = copy.querySelectorAll("*");
  shown.querySelectorAll("*").forEach((part, index) => {
    const style = getComputedStyle(part);
    for (const name of PRESENTATION) if (style.getPropertyValue(name)) copies[index].setAttribute(name, style.getPropertyValue(name));
    copies[index].removeAttribute("class");
  });
  const space = 60;
  const height = BOARD.height + 2 * space;
  const position = shownPosition();
  const hand = (color, y) => {
    const words = svg("text", { x: BOARD.width / 2, y, "font-size": 36, "text-anchor": "middle", "font-family": "serif", fill: "#000" });
    words.textContent = `${color ? "△" : "▲"}${nameOf(currentGame(), color)}　${text("hand")} ${handText(position.hands[color])}`;
    return words;
  };
  const holder = svg("g", { transform: `translate(0 ${space})` }, ...copy.childNodes);
  const top = state.flipped ? 0 : 1;
  const picture = svg("svg", { viewBox: `0 0 ${BOARD.width} ${height}`, width: BOARD.width, height },
    svg("rect", { width: BOARD.width, height, fill: "#fff" }), hand(top, 42), holder, hand(1 - top, height - 18));
  return new XMLSerializer().serializeToString(picture);
}
function savePng() {
  const image = new Image();
  image.onload = () => {
    const canvas = element("canvas", { width: image.width, height: image.height });
    canvas.getContext("2d").drawImage(image, 0, 0);
    saveAs(fileName("png"), canvas.toDataURL("image/png"));
  };
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(pictureText())}`;
}

function buildExports(box, game) {
  const button = (label, onclick) => element("button", { type: "button", class: "plain-button", onclick }, label);
  const [kif, ki2] = game.texts || [];
  const records = [["KIF", "kifu", kif], ["KI2", "ki2u", ki2]].filter(([, , words]) => words);
  byId("export-title").textContent = text("save");
  box.replaceChildren(
    ...records.flatMap(([name, extension, words]) => [
      button(name + text("copyOf"), (event) => copyText(event.currentTarget, words)),
      button(name + text("saveOf"), () => saveText(extension, words))]),
    button(text("diagram") + text("copyOf"), (event) => copyText(event.currentTarget, diagramText(shownPosition()))),
    button(`SVG${text("saveOf")}`, () => saveText("svg", pictureText(), "image/svg+xml")),
    button(`PNG${text("saveOf")}`, savePng));
}
