//! The analysis as comments of a record, in the words that `ShogiGUI`, `ShogiHome` and Kifu for
//! Windows write and read.
//!
//! A comment after a move speaks of the position that the move led to, and its scores are black's:
//! `*解析 0 時間 00:00.2 深さ 14/20 ノード数 210311 評価値 -35 読み筋 △８四歩(83) ▲２五歩(26)`. In
//! the file, KIF puts a `*` before each line, so that it begins with `**解析`. A line of another
//! rank is `*候補2`. Scores of mates are ±(32,000 - plies), as in the comments of floodgate.

use std::fmt::Write as _;

use super::{Class, Judgement, Line, Material, Remark, Review, Standing};
use crate::records::game::{GameRecord, black_score};
use crate::records::notation::japanese::{mark, piece_name, piece_names, square, with_origin};
use crate::types::{Color, Move, PieceType, Score};
use crate::{position::Position, records::kif::side_names};

/// The name of the engine in comments.
const ENGINE: &str = concat!("Raicho ", env!("CARGO_PKG_VERSION"));
/// The beginning of the first comment of an analysis, whatever the version.
const HEADING: &str = "*エンジン Raicho ";

/// The comment lines of each position: of the start, and after each move.
pub fn lines(record: &GameRecord, review: &Review) -> Vec<Vec<String>> {
    let mut position = record.start.clone();
    let mut comments = Vec::with_capacity(review.positions.len());
    let mut last = None;
    let mated = Line::mated();
    for (index, analysis) in review.positions.iter().enumerate() {
        let mut here = Vec::new();
        if index == 0 {
            here.push(format!("*エンジン {ENGINE}"));
        } else if let (Some(judgement), Some(before)) =
            (review.judgements.get(index - 1), review.positions.get(index - 1))
        {
            let best = before.lines.first().map(|line| line.moves(&position));
            let best = best.and_then(|moves| moves.first().copied());
            let best = best.map(|mv| signed(mv, last));
            let mut parts = judged(judgement, best.as_deref());
            if judgement.class.is_mistake() {
                let side = position.side_to_move();
                let scores = [before.score_for_black(side), analysis.score_for_black(!side)];
                parts.extend(change_of_standing(scores, side_names(&record.start)));
            }
            here.extend((!parts.is_empty()).then(|| parts.join("、")));
            let mv = record.moves[index - 1].mv;
            position.do_move(mv);
            last = Some(mv);
        }
        let text = |(rank, line): (usize, &Line)| line_text(rank, line, &position, last);
        if analysis.lines.is_empty() {
            here.push(text((0, &mated)));
        }
        here.extend(analysis.lines.iter().enumerate().map(text));
        comments.push(here);
    }
    comments
}

/// Takes an earlier analysis out of a record, so that a new one replaces it. What people or other
/// programs wrote may look like our lines, so that they go only where our heading stands.
pub fn remove(record: &mut GameRecord) {
    let is_ours = record.comments.iter().any(|line| line.starts_with(HEADING));
    if !is_ours {
        return;
    }
    let is_kept = |line: &String| !is_judgement(line) && !is_search(line);
    record.comments.retain(is_kept);
    for played in &mut record.moves {
        played.comments.retain(is_kept);
    }
}

/// The judgement on a move in parts, none if there is nothing to say:
/// `悪手 期待勝率 -62%`, `詰み逃し（5手詰）`, `最善手 ▲２三金打`.
fn judged(judgement: &Judgement, best: Option<&str>) -> Vec<String> {
    let name = match judgement.class {
        Class::SevereBlunder => Some("大悪手"),
        Class::Blunder => Some("悪手"),
        Class::Doubtful => Some("疑問手"),
        Class::Inaccuracy => Some("緩手"),
        Class::Best | Class::Good => None,
    };
    let loss = name.map(|name| format!("{name} 期待勝率 -{:.0}%", 100.0 * judgement.loss));
    let missed = judgement.missed_mate;
    let missed = missed.map(|plies| format!("詰み逃し（{plies}手詰）"));
    let mut parts: Vec<String> = [loss, missed].into_iter().flatten().collect();
    let is_fault = !parts.is_empty();
    parts.extend(judgement.remarks.iter().map(|&remark| remark_text(remark)));
    if is_fault {
        parts.extend(best.map(|best| format!("最善手 {best}")));
    }
    if let Some([better, played]) = judgement.material.as_ref().filter(|[one, two]| one != two) {
        let named = [("最善なら", better), ("本譜は", played)];
        parts.extend(named.map(|(name, pieces)| format!("{name} {}", material_text(pieces))));
    }
    parts
}

fn remark_text(remark: Remark) -> String {
    match remark {
        Remark::OverlooksThreat(plies) => format!("詰めろ見落とし（{plies}手詰）"),
        Remark::AllowsMate(plies) => format!("自玉に詰み（{plies}手詰）"),
        Remark::Hangs { piece, square: from, free } => {
            let how = if free { "ただ取り" } else { "取られて駒損" };
            format!("{how} {}の{}", square(from), piece_name(piece))
        }
        Remark::AllowsBrinkmate(plies) => format!("自玉に必至（{plies}手詰）"),
        Remark::MissesBrinkmate(plies) => format!("必至逃し（{plies}手詰）"),
        Remark::ThreatensMate(plies) => format!("詰めろ（{plies}手詰）"),
        Remark::Brinkmate(plies) => format!("必至（{plies}手詰）"),
        Remark::OnlyMove(percent) => format!("好手 次善手は期待勝率 -{percent}%"),
    }
}

/// `銀得`, `角損`, `銀桂得・角損`, `駒の損得なし`.
fn material_text(material: &Material) -> String {
    let named = [(&material.won, "得"), (&material.lost, "損")];
    let named = named.iter().filter(|(letters, _)| !letters.is_empty());
    let texts: Vec<String> = named
        .map(|(letters, name)| {
            let kinds: Vec<_> = letters.chars().filter_map(PieceType::from_letter).collect();
            format!("{}{name}", piece_names(&kinds))
        })
        .collect();
    if texts.is_empty() { "駒の損得なし".to_owned() } else { texts.join("・") }
}

/// `形勢 先手有利→互角`, if it is another word.
fn change_of_standing(scores: [Score; 2], sides: [&str; Color::NUM]) -> Option<String> {
    let [before, after] = scores.map(Standing::of);
    let word = |standing| match standing {
        Standing::Even => "互角".to_owned(),
        Standing::Better(side) => format!("{}有利", sides[side.index()]),
        Standing::ClearlyBetter(side) => format!("{}優勢", sides[side.index()]),
        Standing::Winning(side) => format!("{}勝勢", sides[side.index()]),
    };
    (before != after).then(|| format!("形勢 {}→{}", word(before), word(after)))
}

/// Whether a line is one of [`judged`], or one that version 1.0 wrote.
fn is_judgement(line: &str) -> bool {
    const FORMS: [(&str, &str); 17] = [
        ("大悪手 期待勝率 -", "%"),
        ("悪手 期待勝率 -", "%"),
        ("疑問手 期待勝率 -", "%"),
        ("緩手 期待勝率 -", "%"),
        ("詰み逃し（", "手詰）"),
        ("詰めろ見落とし（", "手詰）"),
        ("自玉に詰み（", "手詰）"),
        ("自玉に必至（", "手詰）"),
        ("必至逃し（", "手詰）"),
        ("詰めろ（", "手詰）"),
        ("必至（", "手詰）"),
        ("好手 次善手は期待勝率 -", "%"),
        // Those of version 1.
        ("悪手 勝率 -", "%"),
        ("疑問手 勝率 -", "%"),
        ("詰み逃し ", "手詰"),
        ("詰み逃し ", "手詰み"),
        ("詰み逃し ", "手"),
    ];
    /// What stands only after one of the others.
    const LATER: [&str; 7] =
        ["最善手 ", "最善 ", "最善なら ", "本譜は ", "形勢 ", "ただ取り ", "取られて駒損 "];
    let is_part = |part: &str| {
        FORMS.iter().any(|(before, after)| {
            let rest = part.strip_prefix(before);
            let number = rest.and_then(|rest| rest.strip_suffix(after));
            number.is_some_and(|number| number.parse::<u32>().is_ok())
        })
    };
    let mut parts = line.split('、');
    parts.next().is_some_and(is_part)
        && parts.all(|part| is_part(part) || LATER.iter().any(|words| part.starts_with(words)))
}

/// Whether a line is one of [`line_text`], or the heading.
fn is_search(line: &str) -> bool {
    let forms = [("*解析 ", " 時間 "), ("*候補", " 時間 ")];
    line.starts_with(HEADING) || forms.iter().any(|form| has_number(line, form))
}

/// Whether a line begins with a text, a number and another text.
fn has_number(line: &str, &(before, after): &(&str, &str)) -> bool {
    let rest = line.strip_prefix(before).unwrap_or_default();
    let end = rest.trim_start_matches(|letter: char| letter.is_ascii_digit());
    end.len() < rest.len() && end.starts_with(after)
}

fn line_text(rank: usize, line: &Line, position: &Position, last: Option<Move>) -> String {
    let name = if rank == 0 { "解析 0".to_owned() } else { format!("候補{}", rank + 1) };
    let time = line.time.as_secs_f64();
    let (minutes, seconds) = ((time / 60.0).floor(), time % 60.0);
    // The side to move is mated in 0 plies, and the other one mates in as many.
    let side = position.side_to_move();
    let score = match line.score {
        Score::Mate(0) => black_score(Score::Mate(0), !side),
        score => black_score(score, side),
    };
    let mut words = format!("*{name} 時間 {minutes:02.0}:{seconds:04.1}");
    if line.depth > 0 {
        let _ = write!(words, " 深さ {}/{}", line.depth, line.seldepth);
    }
    let _ = write!(words, " ノード数 {} 評価値 {score}", line.nodes);
    let moves = line.moves(position);
    if !moves.is_empty() {
        words.push_str(" 読み筋");
    }
    let mut last = last;
    for mv in moves {
        let _ = write!(words, " {}", signed(mv, last));
        last = Some(mv);
    }
    words
}

/// A move with its side and origin: `▲７六歩(77)`, `△同　銀(31)`, `▲４五角打`.
fn signed(mv: Move, last: Option<Move>) -> String {
    let mark = mark(mv.piece().color());
    format!("{mark}{}", with_origin(mv, last.map(Move::to)))
}
