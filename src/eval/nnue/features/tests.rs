//! The numbering against its table, and what the kinds of inputs make of it.

use super::*;
use crate::position::START_SFEN;

const MIDDLE_GAME: &str = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1";
const LANCE_HANDICAP: &str = "lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
const NO_WHITE_KING: &str = "9/9/9/9/9/9/ppp5K/3r5/2S6 w BGrb3g3s4n4l15p 1";

fn position(sfen: &str) -> Position {
    Position::from_sfen(sfen).unwrap()
}

fn sorted(inputs: Inputs, position: &Position, perspective: Color) -> Vec<u32> {
    let mut active = active(inputs, position, perspective).unwrap().to_vec();
    active.sort_unstable();
    active
}

/// The board with left and right exchanged.
fn mirrored_sfen(sfen: &str) -> String {
    let (board, rest) = sfen.split_once(' ').unwrap();
    let rank = |rank: &str| {
        let mut squares: Vec<String> = Vec::new();
        for letter in rank.chars() {
            match squares.last_mut() {
                Some(last) if last == "+" => last.push(letter),
                _ => squares.push(letter.to_string()),
            }
        }
        squares.into_iter().rev().collect::<String>()
    };
    let ranks: Vec<String> = board.split('/').map(rank).collect();
    format!("{} {rest}", ranks.join("/"))
}

#[test]
fn numbers_are_those_of_the_table() {
    let own = [
        (Piece::BlackPawn, 90),
        (Piece::BlackLance, 252),
        (Piece::BlackKnight, 414),
        (Piece::BlackSilver, 576),
        (Piece::BlackGold, 738),
        (Piece::BlackBishop, 900),
        (Piece::BlackHorse, 1062),
        (Piece::BlackRook, 1224),
        (Piece::BlackDragon, 1386),
        (Piece::BlackKing, 1548),
        (Piece::BlackProPawn, 738),
        (Piece::BlackProSilver, 738),
    ];
    for (piece, first) in own {
        let enemy = Piece::new(Color::White, piece.kind());
        assert_eq!(number_on_board(piece, Square::S12, Color::Black), first + 1);
        assert_eq!(
            number_on_board(enemy, Square::S12, Color::Black),
            first + 82
        );
        assert_eq!(number_on_board(enemy, Square::S98, Color::White), first + 1);
    }
    let in_hand = [
        (PieceType::Pawn, 1, 20),
        (PieceType::Lance, 39, 44),
        (PieceType::Knight, 49, 54),
        (PieceType::Silver, 59, 64),
        (PieceType::Gold, 69, 74),
        (PieceType::Bishop, 79, 82),
        (PieceType::Rook, 85, 88),
    ];
    for (kind, own, enemy) in in_hand {
        assert_eq!(number_in_hand(kind, 1, Color::White, Color::White), own);
        assert_eq!(
            number_in_hand(kind, 2, Color::White, Color::Black),
            enemy + 1
        );
    }
}

#[test]
fn every_piece_counts_once() {
    for sfen in [START_SFEN, MIDDLE_GAME, LANCE_HANDICAP] {
        for inputs in Inputs::ALL {
            let kings = match inputs.kings() {
                Kings::None => 0,
                _ if inputs.counts_kings_twice() => 4,
                _ => 2,
            };
            for perspective in Color::ALL {
                let active = active(inputs, &position(sfen), perspective).unwrap();
                let missing = match inputs.numbering() {
                    Numbering::Shared => 0,
                    Numbering::Own => usize::from(sfen == LANCE_HANDICAP),
                };
                assert_eq!(active.len(), 38 + kings - missing, "{inputs:?}");
                assert!(
                    active
                        .iter()
                        .all(|&index| (index as usize) < inputs.count())
                );
            }
        }
    }
}

#[test]
fn both_sides_see_the_start_alike() {
    for inputs in Inputs::ALL {
        let start = position(START_SFEN);
        let (black, white) = (
            sorted(inputs, &start, Color::Black),
            sorted(inputs, &start, Color::White),
        );
        assert_eq!(black, white, "{inputs:?}");
    }
}

#[test]
fn mirrored_inputs_see_a_mirrored_board_alike() {
    let (here, there) = (position(MIDDLE_GAME), position(&mirrored_sfen(MIDDLE_GAME)));
    for inputs in Inputs::ALL {
        for perspective in Color::ALL {
            let (here, there) = (
                sorted(inputs, &here, perspective),
                sorted(inputs, &there, perspective),
            );
            assert_eq!(here == there, inputs.is_mirrored(), "{inputs:?}");
        }
    }
}

#[test]
fn a_king_in_the_middle_is_not_mirrored() {
    let plane = |king| king_plane(Inputs::HalfKpVm, king, Color::Black);
    assert_eq!(
        (plane(Square::S59).plane, plane(Square::S59).is_mirrored),
        (44, false)
    );
    assert_eq!(
        (plane(Square::S69).plane, plane(Square::S69).is_mirrored),
        (35, true)
    );
    assert_eq!(
        (plane(Square::S19).plane, plane(Square::S19).is_mirrored),
        (8, false)
    );
    let white = king_plane(Inputs::HalfKaHm2, Square::S11, Color::White);
    assert_eq!((white.plane, white.is_mirrored), (8, true));
}

#[test]
fn own_inputs_number_every_kind() {
    let plain = king_plane(Inputs::Own, Square::S59, Color::Black);
    let mirrored = king_plane(Inputs::Own, Square::S69, Color::Black);
    let of = |king, piece, square| inputs_on_board(Inputs::Own, king, Color::Black, piece, square);
    assert_eq!(of(plain, Piece::BlackPawn, Square::S11)[..], [0]);
    assert_eq!(of(mirrored, Piece::BlackPawn, Square::S11)[..], [72]);
    assert_eq!(of(plain, Piece::BlackLance, Square::S12)[..], [82]);
    assert_eq!(of(plain, Piece::BlackDragon, Square::S99)[..], [1133]);
    assert_eq!(of(plain, Piece::WhitePawn, Square::S11)[..], [1172]);
    assert_eq!(of(plain, Piece::WhiteDragon, Square::S99)[..], [2305]);
    let in_hand = |kind, count, owner| {
        inputs_in_hand(Inputs::Own, mirrored, Color::White, kind, count, owner)[..].to_vec()
    };
    assert_eq!(in_hand(PieceType::Pawn, 1, Color::White), [1134]);
    assert_eq!(in_hand(PieceType::Lance, 1, Color::White), [1152]);
    assert_eq!(in_hand(PieceType::Gold, 4, Color::White), [1171]);
    assert_eq!(in_hand(PieceType::Gold, 4, Color::Black), [2343]);
    assert!(inputs_not_in_game(Inputs::Own, plain).is_empty());
}

/// Every input of every kind of piece, owner and count is another one, and together they are all.
#[test]
fn own_inputs_are_all_different() {
    let king = king_plane(Inputs::Own, Square::S59, Color::Black);
    let mut seen = vec![false; Inputs::Own.count()];
    let mut see = |inputs: ArrayVec<u32, 2>| {
        for index in inputs {
            assert!(!std::mem::replace(&mut seen[index as usize], true));
        }
    };
    for piece in Piece::ALL {
        for square in Square::ALL {
            see(inputs_on_board(
                Inputs::Own,
                king,
                Color::Black,
                piece,
                square,
            ));
        }
    }
    for owner in Color::ALL {
        for kind in PieceType::HAND {
            for count in 1..=kind.count_in_set() {
                see(inputs_in_hand(
                    Inputs::Own,
                    king,
                    Color::Black,
                    kind,
                    count,
                    owner,
                ));
            }
        }
    }
    assert!(seen.into_iter().all(|seen| seen));
}

/// Whoever keeps sums up to date with the three functions sees what [`active`] sees.
#[test]
fn pieces_set_the_inputs_that_are_active() {
    for sfen in [START_SFEN, MIDDLE_GAME, LANCE_HANDICAP] {
        let position = position(sfen);
        for inputs in Inputs::ALL
            .into_iter()
            .filter(|inputs| !inputs.counts_attacks())
        {
            for perspective in Color::ALL {
                let king = king_plane(inputs, position.king(perspective).unwrap(), perspective);
                let mut found = Vec::new();
                let mut pieces = 0;
                for square in position.board().occupied() {
                    let piece = position.piece_on(square).unwrap();
                    found.extend(inputs_on_board(inputs, king, perspective, piece, square));
                    pieces += usize::from(piece.kind() != PieceType::King);
                }
                for owner in Color::ALL {
                    for kind in PieceType::HAND {
                        for count in 1..=position.hand(owner).count(kind) {
                            found.extend(inputs_in_hand(
                                inputs,
                                king,
                                perspective,
                                kind,
                                count,
                                owner,
                            ));
                            pieces += 1;
                        }
                    }
                }
                for _ in pieces..PIECES_IN_SET {
                    found.extend(inputs_not_in_game(inputs, king));
                }
                found.sort_unstable();
                assert_eq!(found, sorted(inputs, &position, perspective), "{inputs:?}");
            }
        }
    }
}

#[test]
fn kings_share_numbers_where_they_should() {
    let king = king_plane(Inputs::Ka2, Square::S59, Color::Black);
    let own = indices(Inputs::Ka2, king, PIECES_END + 44);
    let enemy = indices(Inputs::Ka2, king, ENEMY_KING + 44);
    assert_eq!(
        (&own[..], &enemy[..]),
        (&[1592, 1673][..], &[1592, 1754][..])
    );
    let king = king_plane(Inputs::HalfKa1, Square::S12, Color::Black);
    assert_eq!(
        indices(Inputs::HalfKa1, king, ENEMY_KING)[..],
        [1710 + 1629]
    );
    assert!(indices(Inputs::HalfKp, king, ENEMY_KING).is_empty());
}

#[test]
fn pieces_that_are_not_in_the_game_have_a_number() {
    let numbers = piece_numbers(&position(LANCE_HANDICAP), Color::Black);
    assert_eq!(
        numbers
            .iter()
            .filter(|&&number| number == NOT_IN_GAME)
            .count(),
        1
    );
    let numbers = piece_numbers(&position(START_SFEN), Color::Black);
    assert!(!numbers.contains(&NOT_IN_GAME));
}

#[test]
fn no_king_no_inputs() {
    let position = position(NO_WHITE_KING);
    for inputs in Inputs::ALL {
        assert!(active(inputs, &position, Color::Black).is_some());
        assert!(active(inputs, &position, Color::White).is_none());
    }
}

#[test]
fn attacks_are_counted_up_to_two() {
    let position = position(MIDDLE_GAME);
    let board = position.board();
    let mut attacked = [[0_u32; Square::NUM]; 2];
    for from in board.occupied() {
        let piece = position.piece_on(from).unwrap();
        for to in board.attacks_of(piece, from, board.occupied()) {
            attacked[piece.color().index()][to.index()] += 1;
        }
    }
    let size = Inputs::HalfKp.count() as u32;
    for perspective in Color::ALL {
        let plain = active(Inputs::HalfKp, &position, perspective).unwrap();
        let with_attacks = active(Inputs::HalfKpE9, &position, perspective).unwrap();
        for (plain, index) in plain.into_iter().zip(with_attacks) {
            assert_eq!(index % size, plain);
            let number = plain % PIECES_END;
            let mut expected = 0;
            if number >= HAND_END {
                let square = Square::from_index(((number - HAND_END) % 81) as usize).unwrap();
                let square = seen_by(square, perspective).index();
                let count = |side: Color| attacked[side.index()][square].min(2);
                expected = 3 * count(perspective) + count(!perspective);
            }
            assert_eq!(index / size, expected);
        }
    }
}
