//! The rules against data that others made: positions with all their moves, games, verdicts. Needs
//! `RAICHO_CORPORA`.

use crate::common::{legal_move, position, rows, texts};
use raicho::mate::mate_in_one;
use raicho::movegen::{self, legal_moves, perft};
use raicho::position::{Declaration, Position};
use raicho::types::{EnteringKingRule, Move, MoveList, Repetition};

fn checks(position: &Position) -> Vec<Move> {
    let mut moves = MoveList::new();
    movegen::checks::<true>(position, &mut moves);
    moves.retain(|&mut mv| position.legal(mv));
    moves.to_vec()
}

fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    words.sort_unstable();
    words
}

#[test]
fn legal_moves_and_checks() {
    for [sfen, count, moves, checking, in_check] in rows("legal_moves.tsv", 2500) {
        let position = position(&sfen);
        let legal = legal_moves(&position);
        assert_eq!(legal.len().to_string(), count, "{sfen}");
        let giving = legal.iter().copied().filter(|&mv| position.gives_check(mv));
        assert_eq!(texts(giving), words(&checking), "{sfen}");
        assert_eq!(texts(checks(&position)), words(&checking), "{sfen}");
        assert_eq!(texts(legal), words(&moves), "{sfen}");
        assert_eq!(position.in_check(), in_check == "1", "{sfen}");
    }
}

#[test]
fn perft_depth_one() {
    for [sfen, depth, leaves] in rows("perft_depth1.tsv", 146) {
        let counted = perft::perft(&position(&sfen), depth.parse().unwrap());
        assert_eq!(counted.to_string(), leaves, "{sfen}");
    }
}

#[test]
fn pawn_drop_mates_are_illegal() {
    for [sfen, text] in rows("pawn_drop_mate.tsv", 15) {
        let position = position(&sfen);
        let drop = position.to_move(text.parse().unwrap()).unwrap();
        assert!(position.pseudo_legal(drop), "{text} {sfen}");
        assert!(!position.legal(drop), "{text} {sfen}");
        assert!(position.gives_check(drop), "{text} {sfen}");
        assert!(!legal_moves(&position).contains(&drop), "{text} {sfen}");
    }
}

#[test]
fn games_replay_and_undo() {
    for [row] in rows("games_usi.txt", 250) {
        let moves = row.strip_prefix("startpos moves").unwrap();
        let mut position = Position::startpos();
        let mut boards = Vec::new();
        for text in moves.split_whitespace() {
            boards.push((position.board().clone(), position.key(), position.to_sfen()));
            position.do_move(legal_move(&position, text));
            let scratch = (position.board().board_key(), position.board().key());
            assert_eq!((position.board_key(), position.key()), scratch, "{row}");
        }
        while let Some((board, key, sfen)) = boards.pop() {
            position.undo_move();
            assert!(*position.board() == board, "{row}");
            assert_eq!((position.key(), position.to_sfen()), (key, sfen), "{row}");
        }
    }
}

#[test]
fn declarations_by_27_points() {
    for [sfen, verdict, reason] in rows("declaration_csa27.tsv", 6) {
        let declaration = position(&sfen).declaration(EnteringKingRule::CsaRule27);
        let expected = (verdict == "win").then_some(Declaration::Win);
        assert_eq!(declaration, expected, "{sfen}: {reason}");
    }
}

#[test]
fn repetition_at_the_fourth_occurrence() {
    for [_, start, cycle, verdict, _, ply] in rows("repetition.tsv", 4) {
        let mut position = match start.as_str() {
            "startpos" => Position::startpos(),
            sfen => position(sfen),
        };
        let mut moves = cycle.split_whitespace().cycle();
        while position.rule_repetition().is_none() {
            assert!(position.moves_made() < 1000, "{cycle}");
            position.do_move(legal_move(&position, moves.next().unwrap()));
        }
        assert_eq!(position.moves_made().to_string(), ply, "{cycle}");
        // The cases end with black, who gave the checks, to move.
        let expected =
            if verdict.starts_with("OUTE") { Repetition::Lose } else { Repetition::Draw };
        assert_eq!(position.rule_repetition(), Some(expected), "{cycle}");
        // Seen from a root before the game began, the second occurrence decides.
        assert_eq!(position.search_repetition(usize::MAX), Some(expected));
    }
}

#[test]
fn malformed_sfens() {
    for [sfen, expected, _] in rows("sfen_malformed.tsv", 7) {
        // Lenient but not limitless: the fields after the board may be sloppy, but a board alone is
        // no position.
        let has_fields = sfen.split_whitespace().count() >= 3;
        let is_good = expected.contains("accept") && has_fields;
        let result = Position::from_sfen(&sfen);
        assert_eq!(result.is_ok(), is_good, "{sfen}: {result:?}");
    }
}

/// Whether the move mates, found out by making it.
fn is_mate(position: &mut Position, mv: Move) -> bool {
    position.do_move(mv);
    let is_mate = position.in_check() && legal_moves(position).is_empty();
    position.undo_move();
    is_mate
}

#[test]
fn mates_in_one_are_claimed_only_where_they_are() {
    for (name, least_percent) in [("mate/mate-1-ply.txt", 95), ("mate/no-mate-1-ply.txt", 0)] {
        let rows = rows(name, 1);
        let mut found = 0;
        for [row] in &rows {
            let mut position: Position = position(row);
            if let Some(mv) = mate_in_one(&mut position) {
                assert!(is_mate(&mut position, mv), "{mv} in {row}");
                found += 1;
            } else if least_percent == 0 {
                let mut moves = legal_moves(&position).into_iter();
                let has_mate = moves.any(|mv| is_mate(&mut position, mv));
                assert!(!has_mate, "{row} has a mate");
            }
        }
        assert!(found * 100 >= rows.len() * least_percent, "{name}: {found}");
        assert!(least_percent > 0 || found == 0, "{name}: {found}");
    }
}
