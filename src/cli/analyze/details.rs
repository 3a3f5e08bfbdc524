//! What is said about a mistake below its row of the table: facts, and the pieces that change hands
//! along the better line and along the line after the move that was played.

use crate::analysis::{Judgement, Line, Material, Remark, Review, Standing};
use crate::lang::{Lang, wrapped};
use crate::position::Position;
use crate::types::{Color, Move, PieceType};

/// Columns before and of a line of details.
pub(super) const INDENT: usize = 6;
const WIDTH: usize = 74;
/// Moves of a line that are shown.
const LINE_MOVES: usize = 8;

/// The lines about the move `mv` with this index, which is played in `position`; none unless it was
/// a mistake or something special.
pub(super) fn lines(
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
            moves.truncate(LINE_MOVES);
            lang.line(position, &moves)
        };
        texts.push(lang.better_line(better, shown(before.lines.first(), &[])));
        texts.push(lang.played_line(played, shown(after.lines.first(), &[mv])));
    }
    let texts = texts.iter().filter(|text| !text.is_empty());
    let parts = texts.flat_map(|text| wrapped(text, WIDTH));
    parts.map(|part| format!("{:INDENT$}{part}", "")).collect()
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
    use crate::types::Square;

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
