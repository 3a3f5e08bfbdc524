//! The analysis as comments of a record, in the words that `ShogiGUI`, `ShogiHome` and Kifu for
//! Windows write and read.
//!
//! A comment after a move speaks of the position that the move led to, and its scores are black's:
//! `*解析 0 時間 00:00.2 深さ 14/20 ノード数 210311 評価値 -35 読み筋 △８四歩(83) ▲２五歩(26)`. In
//! the file, KIF puts a `*` before each line, so that it begins with `**解析`. A line of another
//! rank is `*候補2`. Scores of mates are ±(32,000 - plies), as in the comments of floodgate.

use std::fmt::Write as _;

use super::{Class, Judgement, Line, Review};
use crate::position::Position;
use crate::records::game::{GameRecord, black_score};
use crate::records::notation::japanese::{mark, with_origin};
use crate::types::{Move, Score};

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
            here.extend(judged(judgement, best.as_deref()));
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

/// The judgement on a move, if there is anything to say:
/// `悪手 勝率 -62%、詰み逃し 5手詰、最善 ▲２三金打`.
fn judged(judgement: &Judgement, best: Option<&str>) -> Option<String> {
    let name = match judgement.class {
        Class::Blunder => Some("悪手"),
        Class::Doubtful => Some("疑問手"),
        Class::Best | Class::Good => None,
    };
    let loss = name.map(|name| format!("{name} 勝率 -{:.0}%", 100.0 * judgement.loss));
    let missed = judgement.missed_mate;
    let missed = missed.map(|plies| format!("詰み逃し {plies}手詰"));
    let mut parts: Vec<String> = [loss, missed].into_iter().flatten().collect();
    if parts.is_empty() {
        return None;
    }
    parts.extend(best.map(|best| format!("最善 {best}")));
    Some(parts.join("、"))
}

/// Whether a line is one of [`judged`].
fn is_judgement(line: &str) -> bool {
    let forms = [("悪手 勝率 -", "%"), ("疑問手 勝率 -", "%"), ("詰み逃し ", "手詰")];
    let is_part = |part: &str| {
        forms.iter().any(|(before, after)| {
            let rest = part.strip_prefix(before);
            let number = rest.and_then(|rest| rest.strip_suffix(after));
            number.is_some_and(|number| number.parse::<u32>().is_ok())
        })
    };
    let mut parts = line.split('、');
    parts.next().is_some_and(is_part)
        && parts.all(|part| is_part(part) || part.starts_with("最善 "))
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
