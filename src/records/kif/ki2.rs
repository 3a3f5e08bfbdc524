//! Lines of KI2: `▲７六歩 △３四歩 まで2手で中断`.

/// The marks of a side before a move.
pub(super) const MARKS: [char; 6] = ['▲', '△', '▼', '▽', '☗', '☖'];

/// The first word of the sentence on the ending, which some programs write behind the last move.
pub(super) const UNTIL: &str = "まで";

/// Another first word of that sentence.
pub(super) const IN_ALL: &str = "以上";

/// The moves of a line that begins with a mark, and the sentence behind them, which may be empty.
pub(super) fn moves_and_ending(line: &str) -> (Vec<&str>, &str) {
    let (mut rest, sentence) = line.split_at(line.find(UNTIL).unwrap_or(line.len()));
    let mut moves = Vec::new();
    while !rest.is_empty() {
        let mark = rest.chars().next().map_or(0, char::len_utf8);
        let end = rest[mark..].find(MARKS);
        let (found, next) = rest.split_at(end.map_or(rest.len(), |end| mark + end));
        moves.push(found.trim_end_matches([' ', '　']));
        rest = next;
    }
    (moves, sentence)
}
