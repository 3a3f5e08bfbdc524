//! Scores, limits, times and counts as people write and read them.

use std::time::Duration;

use crate::analysis::Settings;
use crate::lang::Lang;
use crate::position::Position;
use crate::records::game::GameRecord;
use crate::types::{Color, Score};

/// A number of milliseconds, or a number with its unit: `250`, `40ms`, `1.5s`.
pub(in crate::cli) fn parse_time(text: &str) -> Result<Duration, String> {
    let (number, milliseconds) = match (text.strip_suffix("ms"), text.strip_suffix('s')) {
        (Some(number), _) => (number, 1.0),
        (None, Some(number)) => (number, 1000.0),
        (None, None) => (text, 1.0),
    };
    let expected = "expected milliseconds, or a number with a unit such as 2.5s or 500ms";
    let number: f64 = number.trim().parse().map_err(|_| expected)?;
    Duration::try_from_secs_f64(number * milliseconds / 1000.0).map_err(|_| expected.to_owned())
}

/// The limits in words: `0.5 s, 2000 nodes`.
pub(super) fn effort_words(settings: &Settings, lang: Lang) -> String {
    let effort = settings.effort;
    let time = effort.time.map(|time| lang.for_seconds(time.as_secs_f64()));
    let nodes = effort.nodes.map(|nodes| lang.nodes(nodes));
    let depth = effort.depth.map(|depth| lang.for_depth(depth));
    let words: Vec<String> = [time, nodes, depth].into_iter().flatten().collect();
    words.join(", ")
}

/// The players' names, or their sides where the record has none.
pub(super) fn names(record: &GameRecord, lang: Lang) -> [String; Color::NUM] {
    let sides = lang.sides(&record.start);
    Color::ALL.map(|color| match &*record.players[color.index()] {
        "" => sides[color.index()].to_owned(),
        name => name.to_owned(),
    })
}

/// Scores in centipawns from which each word is used.
const WINNING: i32 = 1500;
const CLEARLY_BETTER: i32 = 500;
const BETTER: i32 = 150;
const SLIGHTLY_BETTER: i32 = 50;

/// The score of the side to move in words.
pub(super) fn in_words(score: Score, position: &Position, lang: Lang) -> String {
    let (side, sides) = (position.side_to_move(), lang.sides(position));
    let leader = |is_side: bool| sides[if is_side { side } else { !side }.index()];
    match score {
        Score::Mate(1) => lang.mates_at_once(leader(true)),
        Score::Mate(plies) => lang.mates_in(leader(plies > 0), plies.abs()),
        Score::Cp(cp) => {
            let pawns = format!("{:+.2}", f64::from(cp) / 100.0);
            let pawns = lang.pawns_for(pawns, sides[side.index()]);
            let leader = leader(cp > 0);
            match cp.abs() {
                WINNING.. => lang.is_winning(leader, pawns),
                CLEARLY_BETTER.. => lang.is_clearly_better(leader, pawns),
                BETTER.. => lang.is_better(leader, pawns),
                SLIGHTLY_BETTER.. => lang.is_slightly_better(leader, pawns),
                _ => lang.is_even(pawns),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_put_into_words_for_the_leading_side() {
        let black = Position::startpos();
        let white = Position::from_sfen("4k4/9/9/9/9/9/9/9/4K4 w - 1").expect("a position");
        for (score, position, lang, expected) in [
            (
                Score::Cp(0),
                &black,
                Lang::En,
                "the game is even (+0.00 pawns for black)",
            ),
            (
                Score::Cp(-620),
                &black,
                Lang::En,
                "white is clearly better (-6.20 pawns for black)",
            ),
            (Score::Mate(-4), &white, Lang::En, "black mates in 4 plies"),
            (Score::Mate(5), &black, Lang::Ja, "先手の勝ち（5手詰み）"),
        ] {
            assert_eq!(in_words(score, position, lang), expected);
        }
    }

    #[test]
    fn times_are_milliseconds_unless_they_say_otherwise() {
        assert_eq!(parse_time("250"), Ok(Duration::from_millis(250)));
        assert_eq!(parse_time("1.5s"), Ok(Duration::from_millis(1500)));
        assert_eq!(parse_time("40ms"), Ok(Duration::from_millis(40)));
        assert!(
            parse_time("-1").is_err() && parse_time("soon").is_err() && parse_time("infs").is_err()
        );
    }
}
