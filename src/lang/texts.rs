//! The catalogue: each text in English and in Japanese, with its values.

use std::fmt::Display;

use super::Lang;

/// Declares texts: a name, its values, the English and the Japanese text.
macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident($($value:ident),*): $en:literal, $ja:literal;)*) => {
        impl Lang {
            $($(#[$doc])*
            pub fn $name(self $(, $value: impl Display)*) -> String {
                match self {
                    Self::En => format!($en),
                    Self::Ja => format!($ja),
                }
            })*
        }
    };
}

texts! {
    // --- Scores and searches ---

    /// Depth, nodes and time of a search.
    depth_and_nodes(depth, nodes, seconds):
        "depth {depth}, {nodes} nodes, {seconds} s", "深さ {depth}、{nodes} ノード、{seconds} 秒";
    /// The best move.
    best_move(mv): "best move {mv}", "最善手 {mv}";
    /// The side declares a win.
    wins_by_declaration(side): "{side} wins by declaration", "{side}の入玉宣言勝ち";
    /// The side has no move, or none worth playing.
    has_no_move(side): "{side} has no move, or none worth playing", "{side}に指す手がありません（投了）";
    /// The side mates with its next move.
    mates_at_once(side): "{side} mates in 1 ply", "{side}の勝ち（1手詰み）";
    /// The side mates in so many plies.
    mates_in(side, plies): "{side} mates in {plies} plies", "{side}の勝ち（{plies}手詰み）";
    /// The score in pawns, and whose it is.
    pawns_for(pawns, side): "{pawns} pawns for {side}", "{side}から見て歩 {pawns} 枚分";
    /// Neither side is better.
    is_even(score): "the game is even ({score})", "互角（{score}）";
    /// The side is slightly better.
    is_slightly_better(side, score):
        "{side} is slightly better ({score})", "{side}やや有利（{score}）";
    /// The side is better.
    is_better(side, score): "{side} is better ({score})", "{side}有利（{score}）";
    /// The side is clearly better.
    is_clearly_better(side, score): "{side} is clearly better ({score})", "{side}優勢（{score}）";
    /// The side is winning.
    is_winning(side, score): "{side} is winning ({score})", "{side}勝勢（{score}）";

    // --- Tsume problems ---

    /// The table's heading.
    mate_heading():
        "problem  verdict  plies       nodes   seconds  line",
        "   問題  結果      手数    ノード数      秒数  手順";
    /// A mate was found.
    mate(): "mate", "詰み";
    /// There is no mate.
    no_mate(): "nomate", "不詰";
    /// The limit was reached.
    mate_unknown(): "unknown", "不明";
    /// A second solution of the last move.
    second_solution_last(number, mv, plies):
        "second solution at move {number}, the last: {mv} mates in {plies}",
        "余詰：最終手（{number}手目）{mv} でも {plies}手で詰み";
    /// A second solution.
    second_solution(number, mv, plies):
        "second solution at move {number}: {mv} mates in {plies}",
        "余詰：{number}手目 {mv} でも {plies}手で詰み";
    /// There is none.
    no_second_solution(): "no second solution", "余詰なし";
    /// Not all moves were looked at.
    second_solutions_incomplete():
        "not all other moves could be looked at in time",
        "時間内に全ての変化を調べられませんでした";
    /// The totals.
    mate_totals(count, all, mates, refuted, unknown):
        "{count} of {all} problems: {mates} mates, {refuted} without, {unknown} unknown",
        "{all}問中 {count}問：詰み {mates}、不詰 {refuted}、不明 {unknown}";
    /// Problems with second solutions, after the totals.
    with_second_solutions(count): ", {count} with second solutions", "、余詰あり {count}";
    /// Nodes, time and speed, after the totals.
    mate_speed(nodes, seconds, speed):
        ", {nodes} nodes, {seconds} s, {speed} nodes/s",
        "、{nodes} ノード、{seconds} 秒、毎秒 {speed} ノード";

    // --- Opening books ---

    /// The position is in the book with the sides exchanged.
    found_flipped(): "found with the sides exchanged", "先後を入れ替えた局面が見つかりました";
    /// The heading of the moves of a position.
    book_move(): "move", "指し手";
    /// The answer that the book expects.
    book_answer(): "answer", "応手";
    /// The value of a move.
    book_value(): "value", "評価値";
    /// The depth of a value.
    book_depth(): "depth", "深さ";
    /// How often a move was played.
    book_count(): "count", "採択回数";
    /// The format and the size of a book.
    info_format(format, bytes):
        "format     {format}, {bytes} bytes", "形式        {format}、{bytes} バイト";
    /// Positions.
    info_positions(count): "positions  {count}", "局面        {count}";
    /// Positions without moves.
    info_without_moves(count): ", {count} without moves", "、指し手なし {count}";
    /// Moves in all and of a position.
    info_moves(count, each): "moves      {count}, {each} each", "指し手      {count}、一局面 {each}";
    /// Moves with an answer.
    info_answers(count): "answers    {count}", "応手        {count}";
    /// Plies of the positions.
    info_plies(range): "plies      {range}", "手数        {range}";
    /// Values.
    info_values(range): "values     {range}", "評価値      {range}";
    /// Depths.
    info_depths(range): "depths     {range}", "深さ        {range}";
    /// The sum of the counts.
    info_counts(count): "counts     {count} in all", "採択回数    計 {count}";
    /// The positions are in order.
    info_sorted(): "order      sorted", "並び        整列済み";
    /// They are not.
    info_not_sorted(): "order      not sorted", "並び        未整列";
    /// All plies are 1.
    info_plies_are_1():
        "note       all plies are 1: positions are found at any ply",
        "注意        手数が全て 1：手数を問わず一致します";
    /// Bad entries.
    info_faults(count):
        "faults     {count}: see raicho book validate",
        "不正な行    {count}：raicho book validate で確認できます";
    /// A range of numbers.
    range(least, most): "{least} to {most}", "{least} ～ {most}";
}
