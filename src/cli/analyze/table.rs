//! An analysed game as a table in the terminal.

use std::io::{self, Write};
use std::time::Duration;

use super::names;
use crate::analysis::{
    Class, Judgement, Line, Material, PositionAnalysis, Remark, Review, Standing,
};
use crate::cli::output;
use crate::lang::{Lang, cut, left, printable, right, width, widths, wrapped};
use crate::records::game::{Ending, GameRecord};
use crate::types::{Color, Move, PieceType, Score};
use crate::{
    position::Position, records::formations::Formations, records::notation::japanese::mark,
};

/// Most moves of the best line that the table shows.
const LINE_MOVES: usize = 5;
/// Most columns of a player's name, and columns that are left to it on a narrow terminal.
const NAME_WIDTHS: [usize; 2] = [22, 8];

/// Stands for what is unknown.
const UNKNOWN: &str = "-";

/// Prints the moves, how the game ended, and the summary of both players.
///
/// # Errors
/// Standard output cannot be written.
pub(super) fn print(
    record: &GameRecord,
    review: &Review,
    title: Option<&str>,
    with_moves: bool,
    lang: Lang,
) -> io::Result<()> {
    let mut out = output::stdout();
    if let Some(title) = title {
        writeln!(out, "{}", printable(title))?;
    }
    if with_moves {
        print_moves(record, review, lang, &mut out)?;
    }
    for line in formations(record, lang) {
        writeln!(out, "{line}")?;
    }
    writeln!(out, "{}", end(record, lang))?;
    if with_moves {
        writeln!(out)?;
    }
    print_summary(record, review, lang, &mut out)
}

/// Columns of the moves' table, without the best line at its end: those of the move and of the
/// judgement begin at their left edge, the others end at their right edge.
const CELLS: usize = 7;
const MOVE: usize = 1;
const TIME: usize = 2;
const JUDGEMENT: usize = 6;
/// Columns for the best line below which the others become narrower: those of two moves.
const LEAST_LINE: usize = 18;

fn print_moves(
    record: &GameRecord,
    review: &Review,
    lang: Lang,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut positions = vec![record.start.clone()];
    for (index, played) in record.moves.iter().enumerate() {
        let mut position = positions[index].clone();
        position.do_move(played.mv);
        positions.push(position);
    }
    let is_timed = record.moves.iter().any(|played| played.time.is_some());
    let row = |cells: &[String; CELLS], widths: &[usize; CELLS]| {
        let mut row = String::new();
        for (column, (cell, &width)) in cells.iter().zip(widths).enumerate() {
            match column {
                TIME if !is_timed => continue,
                MOVE | JUDGEMENT => row += &left(cell, width),
                _ => row += &right(cell, width),
            }
            row += "  ";
        }
        row
    };
    let columns = output::columns();
    let mut rows = cells(record, review, &positions, lang, false);
    let mut sizes = widths(&rows);
    if width(&row(&rows[0], &sizes)) + LEAST_LINE > columns {
        rows = cells(record, review, &positions, lang, true);
        sizes = widths(&rows);
        // A missed mate takes its room from the line beside it.
        let grades = review.judgements.iter().map(|judgement| width(&grade(judgement, lang)));
        sizes[JUDGEMENT] = grades.max().unwrap_or_default().max(width(&rows[0][JUDGEMENT]));
    }
    for (index, cells) in rows.iter().enumerate() {
        let text = row(cells, &sizes);
        let room = columns.saturating_sub(width(&text));
        let Some(index) = index.checked_sub(1) else {
            writeln!(out, "{text}{}", cut(&lang.column_line(), room))?;
            continue;
        };
        let best = review.positions[index].lines.first();
        let line = best.map(|line| line.moves(&positions[index])).unwrap_or_default();
        let texts = (0..=line.len().min(LINE_MOVES)).rev();
        let mut texts = texts.map(|moves| lang.line(&positions[index], &line[..moves]));
        let line = texts.find(|text| width(text) <= room).unwrap_or_default();
        let text = format!("{text}{line}");
        // A long judgement has a line of its own.
        if width(text.trim_end()) > columns {
            let mut cells = cells.clone();
            let judgement = std::mem::take(&mut cells[JUDGEMENT]);
            let indent = DETAIL_INDENT;
            writeln!(out, "{}\n{:indent$}{judgement}", row(&cells, &sizes).trim_end(), "")?;
        } else {
            writeln!(out, "{}", text.trim_end())?;
        }
        let mv = record.moves[index].mv;
        for detail in detail_lines(review, index, &positions[index], mv, lang) {
            writeln!(out, "{detail}")?;
        }
    }
    Ok(())
}

/// The headings, and a row for each move. Narrow ones have short words for mates and win chances.
fn cells(
    record: &GameRecord,
    review: &Review,
    positions: &[Position],
    lang: Lang,
    is_narrow: bool,
) -> Vec<[String; CELLS]> {
    let chance = if is_narrow { lang.column_chance_short() } else { lang.column_chance() };
    let mut rows = vec![[
        lang.column_ply(),
        lang.column_move(),
        lang.column_time(),
        lang.column_score(),
        chance,
        lang.column_loss(),
        lang.column_judgement(),
    ]];
    for (index, played) in record.moves.iter().enumerate() {
        let (judgement, after) = (&review.judgements[index], &review.positions[index + 1]);
        let is_last = index + 1 == record.moves.len();
        let score = if is_last && is_without_score(record, review, after) {
            UNKNOWN.to_owned()
        } else {
            let side = positions[index + 1].side_to_move();
            score_text(after, side, lang.sides(&record.start), lang, is_narrow)
        };
        let loss = Some(100.0 * judgement.loss).filter(|&loss| loss > 0.0);
        rows.push([
            (index + 1).to_string(),
            lang.mv(&positions[index], played.mv),
            clock(played.time),
            score,
            format!("{:.1}", 100.0 * review.chances[index + 1]),
            loss.map_or_else(String::new, |loss| format!("{loss:.1}")),
            word(judgement, lang, is_narrow),
        ]);
    }
    rows
}

/// Whether the last position has no score: the rules ended the game, or the record says that a
/// declaration failed, whatever the search thinks of it.
fn is_without_score(record: &GameRecord, review: &Review, last: &PositionAnalysis) -> bool {
    review.ends_by_rule && record.ending != Ending::Checkmate
        || record.ending == Ending::IllegalDeclaration && is_declaration(last)
}

/// Whether the side to move could declare a win: a mate in one without moves.
fn is_declaration(analysis: &PositionAnalysis) -> bool {
    let line = analysis.lines.first();
    line.is_some_and(|line| line.score == Score::Mate(1) && line.pv.is_empty())
}

/// The opening, and for each side a line such as `black: Static Rook, Yagura Castle (move 31)`.
fn formations(record: &GameRecord, lang: Lang) -> Vec<String> {
    let Formations { opening, styles, castles } = Formations::of_record(record);
    let opening = opening.map(|found| lang.opening(lang.formation(found.formation)));
    let sides = lang.sides(&record.start).into_iter().zip(styles).zip(castles);
    let sides = sides.filter_map(|((side, style), castle)| {
        let castle = castle.map(|found| lang.castle(lang.formation(found.formation), found.ply));
        match (style.map(|found| lang.formation(found.formation)), castle) {
            (Some(style), Some(castle)) => Some(lang.formations_of(side, style, castle)),
            (Some(style), None) => Some(lang.formation_of(side, style)),
            (None, castle) => Some(lang.formation_of(side, castle?)),
        }
    });
    opening.into_iter().chain(sides).collect()
}

/// How the game ended: `white wins after 96 moves (resignation)`.
fn end(record: &GameRecord, lang: Lang) -> String {
    let moves = lang.moves(record.moves.len());
    let ending = lang.ending(record.ending.name());
    let sides = lang.sides(&record.start);
    match (record.winner(), &record.ending) {
        (
            Some(winner),
            Ending::IllegalMove { .. }
            | Ending::IllegalAction { .. }
            | Ending::IllegalDeclaration
            | Ending::PerpetualCheck { .. },
        ) => {
            let [side, loser] = [winner, !winner].map(|color| sides[color.index()]);
            lang.game_won_by_rule(side, moves, ending, loser)
        }
        (Some(winner), _) => lang.game_won(sides[winner.index()], moves, ending),
        (None, ending_of_record) if ending_of_record.is_draw() => lang.game_drawn(moves, ending),
        (None, Ending::Unfinished) => lang.game_unfinished(moves, ending),
        (None, _) => lang.game_without_result(moves, ending),
    }
}

fn print_summary(
    record: &GameRecord,
    review: &Review,
    lang: Lang,
    out: &mut impl Write,
) -> io::Result<()> {
    let headings = [
        lang.column_moves(),
        lang.column_agreement(),
        lang.column_mean_loss_cp(),
        lang.column_mean_loss_percent(),
        lang.column_doubtful(),
        lang.column_blunders(),
        lang.column_missed_mates(),
        lang.column_time_used(),
    ];
    let cells = Color::ALL.map(|color| {
        let player = &review.players[color.index()];
        [
            player.moves.to_string(),
            known(player.agreement, |agreement| lang.percent(format!("{:.0}", 100.0 * agreement))),
            known(player.mean_centipawn_loss, |centipawns| format!("{centipawns:.0}")),
            known(player.mean_loss, |chance| format!("{:.1}", 100.0 * chance)),
            player.doubtful.to_string(),
            player.blunders.to_string(),
            player.missed_mates.to_string(),
            clock(player.time),
        ]
    });
    let [black, white] = cells;
    let rows = [headings, black, white];
    let widths = widths(&rows);
    let [most, least] = NAME_WIDTHS;
    let [black, white] = names(record, lang);
    let [black, white] = [(Color::Black, black), (Color::White, white)]
        .map(|(color, name)| format!("{}{}", mark(color), printable(&name)));
    let room = |gap: usize| {
        let others: usize = widths.iter().map(|width| width + gap).sum();
        output::columns().saturating_sub(others).clamp(least, most)
    };
    let longest = width(&black).max(width(&white));
    let gap = if longest > room(2) { 1 } else { 2 };
    let name_width = room(gap);
    for (name, cells) in [lang.column_player(), black, white].iter().zip(&rows) {
        let mut line = left(cut(name, name_width), name_width);
        for (cell, width) in cells.iter().zip(widths) {
            line += &right(cell, width + gap);
        }
        writeln!(out, "{line}")?;
    }
    writeln!(out)
}

/// The judgement in words: `?!`, `?? mate 5`.
fn word(judgement: &Judgement, lang: Lang, is_narrow: bool) -> String {
    let text = |plies| {
        if is_narrow { lang.missed_mate_short(plies) } else { lang.missed_mate(plies) }
    };
    let missed = judgement.missed_mate.map(text);
    format!("{} {}", grade(judgement, lang), missed.unwrap_or_default()).trim().to_owned()
}

/// The word for the loss.
fn grade(judgement: &Judgement, lang: Lang) -> String {
    match judgement.class {
        Class::Best => lang.is_best(),
        Class::Good => String::new(),
        Class::Inaccuracy => lang.is_inaccuracy(),
        Class::Doubtful => lang.is_doubtful(),
        Class::Blunder => lang.is_blunder(),
        Class::SevereBlunder => lang.is_severe_blunder(),
    }
}

/// Black's score of a position with this side to move; mates in short words where it is narrow.
fn score_text(
    analysis: &PositionAnalysis,
    side_to_move: Color,
    sides: [&str; Color::NUM],
    lang: Lang,
    is_narrow: bool,
) -> String {
    match analysis.score_for_black(side_to_move) {
        _ if is_declaration(analysis) => lang.declared(),
        Score::Cp(centipawns) => format!("{centipawns:+}"),
        Score::Mate(0) => lang.mated(),
        Score::Mate(plies) => {
            let winner = if plies > 0 { Color::Black } else { Color::White };
            if is_narrow {
                lang.mate_score_short(mark(winner), plies.abs(), plies)
            } else {
                lang.mate_score(sides[winner.index()], plies.abs(), plies)
            }
        }
    }
}

fn clock(time: Option<Duration>) -> String {
    known(time, |time| {
        let seconds = time.as_secs();
        let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        if hours > 0 {
            format!("{hours}:{minutes:02}:{seconds:02}")
        } else {
            format!("{minutes}:{seconds:02}")
        }
    })
}

/// The text of a value, or that it is unknown.
fn known<T>(value: Option<T>, text: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| UNKNOWN.to_owned(), text)
}

// --- What is said about a mistake below its row ---
//
// Facts, and the pieces that change hands along the better line and along the line after the move
// that was played.

/// Columns before and of a line of details.
const DETAIL_INDENT: usize = 6;
const DETAIL_WIDTH: usize = 74;
/// Moves of a line that are shown.
const DETAIL_MOVES: usize = 8;

/// The lines about the move `mv` with this index, which is played in `position`; none unless it was
/// a mistake or something special.
fn detail_lines(
    review: &Review,
    index: usize,
    position: &Position,
    mv: Move,
    lang: Lang,
) -> Vec<String> {
    let judgement = &review.judgements[index];
    let (before, after) = (&review.positions[index], &review.positions[index + 1]);
    let is_special =
        judgement.remarks.iter().any(|remark| !matches!(remark, Remark::ThreatensMate(_)));
    if !judgement.is_mistake() && !is_special {
        return Vec::new();
    }
    let side = position.side_to_move();
    let sides = lang.sides(position);
    let standings = [before.score_for_black(side), after.score_for_black(!side)].map(Standing::of);
    let [from, to] = standings.map(|standing| standing_text(standing, sides, lang));
    let mut facts = Vec::new();
    if judgement.class.is_mistake() && from != to {
        facts.push(lang.change_of_standing(from, to));
    }
    facts.extend(judgement.remarks.iter().map(|&remark| remark_text(remark, lang)));
    let mut texts = vec![facts.join(lang.separator())];
    if judgement.is_mistake() {
        let [better, played] = materials(judgement, lang);
        let shown = |line: Option<&Line>, first: &[Move]| {
            let mut at = position.clone();
            for &mv in first {
                at.do_move(mv);
            }
            let mut moves = first.to_vec();
            moves.extend(line.map(|line| line.moves(&at)).unwrap_or_default());
            moves.truncate(DETAIL_MOVES);
            lang.line(position, &moves)
        };
        texts.push(lang.better_line(better, shown(before.lines.first(), &[])));
        texts.push(lang.played_line(played, shown(after.lines.first(), &[mv])));
    }
    let texts = texts.iter().filter(|text| !text.is_empty());
    let parts = texts.flat_map(|text| wrapped(text, DETAIL_WIDTH));
    parts.map(|part| format!("{:DETAIL_INDENT$}{part}", "")).collect()
}

/// The pieces along both lines in words, nothing where they are the same.
fn materials(judgement: &Judgement, lang: Lang) -> [String; 2] {
    match &judgement.material {
        Some([better, played]) if better != played => {
            [better, played].map(|material| lang.in_brackets(material_text(material, lang)))
        }
        _ => Default::default(),
    }
}

fn material_text(material: &Material, lang: Lang) -> String {
    let pieces = |letters: &str| {
        let kinds: Vec<_> = letters.chars().filter_map(PieceType::from_letter).collect();
        lang.pieces(&kinds)
    };
    let won = (!material.won.is_empty()).then(|| lang.wins_pieces(pieces(&material.won)));
    let lost = (!material.lost.is_empty()).then(|| lang.loses_pieces(pieces(&material.lost)));
    let parts: Vec<String> = [won, lost].into_iter().flatten().collect();
    if parts.is_empty() { lang.no_gain() } else { parts.join(lang.separator()) }
}

fn remark_text(remark: Remark, lang: Lang) -> String {
    match remark {
        Remark::OverlooksThreat(plies) => lang.overlooks_threat(plies),
        Remark::AllowsMate(plies) => lang.allows_mate(plies),
        Remark::Hangs { piece, square, free: true } => {
            lang.hangs(lang.square(square), lang.piece(piece))
        }
        Remark::Hangs { piece, square, free: false } => {
            lang.loses_exchange(lang.square(square), lang.piece(piece))
        }
        Remark::AllowsBrinkmate(plies) => lang.allows_brinkmate(plies),
        Remark::MissesBrinkmate(plies) => lang.misses_brinkmate(plies),
        Remark::ThreatensMate(plies) => lang.threatens_mate(plies),
        Remark::Brinkmate(plies) => lang.brinkmate(plies),
        Remark::OnlyMove(percent) => lang.only_move(percent),
    }
}

fn standing_text(standing: Standing, sides: [&str; Color::NUM], lang: Lang) -> String {
    match standing {
        Standing::Even => lang.stands_even(),
        Standing::Better(side) => lang.stands_better(sides[side.index()]),
        Standing::ClearlyBetter(side) => lang.stands_clearly_better(sides[side.index()]),
        Standing::Winning(side) => lang.stands_winning(sides[side.index()]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Line;
    use crate::records::game::RecordedMove;
    use crate::types::Square;

    #[test]
    fn endings_are_said_as_players_say_them() {
        let loser = Color::White;
        for (ending, expected) in cases! {
            Ending::Resignation => "まで0手で後手の勝ち（投了）";
            Ending::TimeUp => "まで0手で後手の勝ち（時間切れ）";
            Ending::Declaration => "まで0手で先手の勝ち（入玉宣言勝ち）";
            Ending::Interrupted => "まで0手で中断";
            Ending::Repetition => "まで0手で千日手";
            Ending::AdjudicatedDraw => "まで0手で引き分け（判定）";
            Ending::IllegalAction { loser } => "まで0手、後手の反則により先手の勝ち";
            Ending::PerpetualCheck { loser: !loser } =>
                "まで0手、先手の連続王手の千日手により後手の勝ち";
            Ending::Unfinished => "まで0手（終局の記録なし）";
        } {
            let mut record = GameRecord::new(Position::startpos());
            record.ending = ending;
            assert_eq!(end(&record, Lang::Ja), expected);
        }
    }

    #[test]
    fn scores_name_the_winner() {
        let line = |score, pv: &str| Line { score, pv: pv.to_owned(), ..one() };
        for (score, pv, side, lang, expected) in cases! {
            Score::Cp(35), "7g7f", Color::White, Lang::Ja => "-35";
            Score::Mate(16), "3c3d", Color::White, Lang::Ja => "後手の勝ち（16手）";
            Score::Mate(-4), "3c3d", Color::White, Lang::Ja => "先手の勝ち（4手）";
            Score::Mate(-4), "3c3d", Color::White, Lang::En => "mate +4";
            // Where a declaration was possible, and where the record says that it failed.
            Score::Mate(1), "", Color::White, Lang::Ja => "宣言勝ち";
        } {
            let analysis =
                PositionAnalysis { lines: vec![line(score, pv)], ..PositionAnalysis::default() };
            let sides = lang.sides(&Position::startpos());
            assert_eq!(score_text(&analysis, side, sides, lang, false), expected);
        }
        let mut record = GameRecord::new(Position::startpos());
        record.ending = Ending::IllegalDeclaration;
        let lines = vec![line(Score::Mate(1), "")];
        let declared = PositionAnalysis { lines, ..PositionAnalysis::default() };
        let mut review = Review::new(&record, vec![declared.clone()]);
        review.ends_by_rule = false;
        assert!(is_without_score(&record, &review, &declared));
        record.ending = Ending::Resignation;
        assert!(!is_without_score(&record, &review, &declared));
    }

    /// A game of black's mate, which white allowed, with what was found about it.
    fn mate() -> (GameRecord, Review) {
        let sfen = "4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b 1";
        let mut record = GameRecord::new(Position::from_sfen(sfen).expect("a position"));
        for mv in record.start.legal_line("5i5h 5a6b 5h5g") {
            let time = Some(Duration::from_secs(4000));
            record.moves.push(RecordedMove { time, ..RecordedMove::from(mv) });
        }
        let line = |score, pv: &str| Line { score, pv: pv.to_owned(), ..one() };
        let analysis = |score, pv: &str, mate| PositionAnalysis {
            lines: vec![line(score, pv)],
            mate,
            ..PositionAnalysis::default()
        };
        let positions = vec![
            analysis(Score::Mate(1), "G*5b", Some(1)),
            analysis(Score::Cp(900), "5a6b 5h5g 6b6c", None),
            analysis(Score::Mate(-116), "5h4g 6b6c 4g4h", None),
            analysis(Score::Mate(115), "6b6c 5g5f 6c6d", None),
        ];
        let review = Review::new(&record, positions);
        (record, review)
    }

    fn one() -> Line {
        Line {
            score: Score::Cp(0),
            depth: 1,
            seldepth: 1,
            nodes: 1,
            time: Duration::ZERO,
            pv: String::new(),
        }
    }

    #[test]
    fn mates_leave_room_for_the_best_line() {
        let (record, review) = mate();
        for (lang, line, score) in cases! {
            Lang::Ja, "△６二玉 ▲５七玉" => "△勝ち116手";
            Lang::En, "5a6b 5h5g" => "mate -116";
        } {
            let mut out = Vec::new();
            print_moves(&record, &review, lang, &mut out).expect("memory");
            let text = String::from_utf8(out).expect("a text");
            assert!(text.lines().all(|line| width(line) <= 80), "{text}");
            let row = text.lines().find(|row| row.trim_start().starts_with("2 "));
            let row = row.expect("the row of white's move");
            assert!(row.contains(score) && row.contains(line), "{text}");
        }
    }

    #[test]
    fn long_names_have_room_in_the_summary() {
        let (mut record, review) = mate();
        for (lang, name) in [(Lang::Ja, "Abcdefghijklmnopq"), (Lang::En, "Abcdefghijklmno")] {
            name.clone_into(&mut record.players[1]);
            let mut out = Vec::new();
            print_summary(&record, &review, lang, &mut out).expect("memory");
            let text = String::from_utf8(out).expect("a text");
            assert!(text.contains(&format!("△{name} ")), "{text}");
            assert!(text.lines().all(|line| width(line) <= 80), "{text}");
        }
    }

    #[test]
    fn remarks_and_pieces_are_in_words() {
        let remark = |remark: Remark, lang| remark_text(remark, lang);
        let hangs = |free| Remark::Hangs { piece: PieceType::Horse, square: Square::S55, free };
        for (lang, found, expected) in cases! {
            Lang::Ja, hangs(true) => "５五の馬をただで取られる";
            Lang::Ja, hangs(false) => "５五の馬を取られて駒損";
            Lang::En, hangs(true) => "the horse on 5e is taken for nothing";
            Lang::Ja, Remark::OverlooksThreat(3) => "詰めろ見落とし（3手詰）";
            Lang::En, Remark::AllowsMate(5) => "gets mated in 5";
            Lang::Ja, Remark::Brinkmate(3) => "必至（3手詰）";
            Lang::En, Remark::Brinkmate(3) => "brinkmate: nothing parries the mate in 3";
            Lang::Ja, Remark::MissesBrinkmate(5) => "必至逃し（5手詰）";
            Lang::En, Remark::AllowsBrinkmate(5) => "allows a brinkmate (mate in 5)";
        } {
            assert_eq!(remark(found, lang), expected);
        }
        let material = |won: &str, lost: &str| Material { won: won.into(), lost: lost.into() };
        assert_eq!(material_text(&material("SN", "B"), Lang::Ja), "銀桂得、角損");
        assert_eq!(material_text(&material("SN", ""), Lang::En), "wins silver, knight");
        assert_eq!(material_text(&material("GPP", ""), Lang::En), "wins gold, 2 pawns");
        assert_eq!(material_text(&material("GPP", "NN"), Lang::Ja), "金歩2枚得、桂2枚損");
        assert_eq!(material_text(&material("", ""), Lang::Ja), "駒の損得なし");
    }
}
