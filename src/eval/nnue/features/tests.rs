//! Piece numbers against their table, and the features that the sets make of them.

use super::*;
use crate::eval::bona_piece::{PIECES_END, PIECES_IN_SET, piece_numbers};
use crate::position::START_SFEN;

const MIDDLE_GAME: &str = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1";
const LANCE_HANDICAP: &str = "lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
const NO_WHITE_KING: &str = "9/9/9/9/9/9/ppp5K/3r5/2S6 w BGrb3g3s4n4l15p 1";

fn position(sfen: &str) -> Position {
    Position::from_sfen(sfen).unwrap()
}

fn sorted(set: FeatureSet, position: &Position, perspective: Color) -> Vec<u32> {
    let active = active_features(set, position, perspective);
    let mut active = active.unwrap().to_vec();
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
        let number = |piece, square, side| number_on_board(piece, square, side) - first;
        assert_eq!(number(piece, Square::S12, Color::Black), 1);
        assert_eq!(number(enemy, Square::S12, Color::Black), 82);
        assert_eq!(number(enemy, Square::S98, Color::White), 1);
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
        let number = |count, side| number_in_hand(kind, count, Color::White, side);
        assert_eq!(number(1, Color::White), own);
        assert_eq!(number(2, Color::Black), enemy + 1);
    }
}

#[test]
fn every_piece_counts_once() {
    for sfen in [START_SFEN, MIDDLE_GAME, LANCE_HANDICAP] {
        for set in FeatureSet::ALL {
            let kings = match set.king_features() {
                KingFeatures::None => 0,
                _ if set.counts_kings_twice() => 4,
                _ => 2,
            };
            for perspective in Color::ALL {
                let active = active_features(set, &position(sfen), perspective).unwrap();
                let missing = match set.numbering() {
                    Numbering::BonaPiece => 0,
                    Numbering::Raicho => usize::from(sfen == LANCE_HANDICAP),
                };
                assert_eq!(active.len(), 38 + kings - missing, "{set:?}");
                assert!(active.iter().all(|&index| (index as usize) < set.count()));
            }
        }
    }
}

#[test]
fn both_sides_have_the_same_features_in_the_start_position() {
    for set in FeatureSet::ALL {
        let start = position(START_SFEN);
        let [black, white] = Color::ALL.map(|side| sorted(set, &start, side));
        assert_eq!(black, white, "{set:?}");
    }
}

#[test]
fn mirrored_sets_do_not_tell_mirrored_boards_apart() {
    let (here, there) = (position(MIDDLE_GAME), position(&mirrored_sfen(MIDDLE_GAME)));
    for set in FeatureSet::ALL {
        for perspective in Color::ALL {
            let [here, there] = [&here, &there].map(|position| sorted(set, position, perspective));
            assert_eq!(here == there, set.is_mirrored(), "{set:?}");
        }
    }
}

/// Index and mirroring of a king's bucket.
fn bucket(set: FeatureSet, king: Square, side: Color) -> (u32, bool) {
    let bucket = king_bucket(set, king, side);
    (bucket.index, bucket.is_mirrored)
}

#[test]
fn a_king_in_the_middle_is_not_mirrored() {
    for (set, king, side, expected) in [
        (FeatureSet::HalfKpVm, Square::S59, Color::Black, (44, false)),
        (FeatureSet::HalfKpVm, Square::S69, Color::Black, (35, true)),
        (FeatureSet::HalfKpVm, Square::S19, Color::Black, (8, false)),
        (FeatureSet::HalfKaHm2, Square::S11, Color::White, (8, true)),
    ] {
        assert_eq!(bucket(set, king, side), expected, "{king}");
    }
}

#[test]
fn our_set_numbers_every_piece_type() {
    let plain = king_bucket(FeatureSet::Raicho, Square::S59, Color::Black);
    let mirrored = king_bucket(FeatureSet::Raicho, Square::S69, Color::Black);
    for (king, piece, square, feature) in [
        (plain, Piece::BlackPawn, Square::S11, 0),
        (mirrored, Piece::BlackPawn, Square::S11, 72),
        (plain, Piece::BlackLance, Square::S12, 82),
        (plain, Piece::BlackDragon, Square::S99, 1133),
        (plain, Piece::WhitePawn, Square::S11, 1172),
        (plain, Piece::WhiteDragon, Square::S99, 2305),
    ] {
        let found = features_on_board(FeatureSet::Raicho, king, Color::Black, piece, square);
        assert_eq!(found[..], [feature]);
    }
    for (kind, count, owner, feature) in [
        (PieceType::Pawn, 1, Color::White, 1134),
        (PieceType::Lance, 1, Color::White, 1152),
        (PieceType::Gold, 4, Color::White, 1171),
        (PieceType::Gold, 4, Color::Black, 2343),
    ] {
        let set = FeatureSet::Raicho;
        let found = features_in_hand(set, mirrored, Color::White, kind, count, owner);
        assert_eq!(found[..], [feature]);
    }
    assert!(features_not_in_game(FeatureSet::Raicho, plain).is_empty());
}

#[test]
fn kings_are_in_zones() {
    for (king, of_four, of_twelve, is_mirrored) in [
        (Square::S19, 0, 0, false),
        (Square::S28, 0, 6, false),
        (Square::S88, 0, 6, true),
        (Square::S39, 1, 2, false),
        (Square::S78, 1, 7, true),
        (Square::S59, 2, 4, false),
        (Square::S58, 2, 9, false),
        (Square::S57, 3, 10, false),
        (Square::S97, 3, 10, true),
        (Square::S56, 3, 11, false),
        (Square::S11, 3, 11, false),
        (Square::S91, 3, 11, true),
    ] {
        for (king, side) in [(king, Color::Black), (king.rotated(), Color::White)] {
            for (set, zone) in [(FeatureSet::Raicho4, of_four), (FeatureSet::Raicho12, of_twelve)] {
                assert_eq!(bucket(set, king, side), (zone, is_mirrored), "{king}");
            }
            assert_eq!(COARSE_ZONES[of_twelve as usize], of_four, "{king}");
        }
    }
}

/// All features of all pieces, owners and counts are distinct, and together they are the whole set.
#[test]
fn our_sets_have_one_feature_per_piece_and_place() {
    for set in [FeatureSet::Raicho, FeatureSet::Raicho4, FeatureSet::Raicho12] {
        check_features(set);
    }
}

fn check_features(set: FeatureSet) {
    let mut kings = Vec::new();
    for king in Square::ALL.map(|king| king_bucket(set, king, Color::Black)) {
        if !king.is_mirrored && kings.iter().all(|other: &KingBucket| other.index != king.index) {
            kings.push(king);
        }
    }
    assert_eq!(kings.len(), set.king_buckets() as usize);
    let mut seen = vec![false; set.count()];
    let mut see = |found: ArrayVec<u32, 2>| {
        for index in found {
            assert!(!std::mem::replace(&mut seen[index as usize], true));
        }
    };
    for king in kings {
        for piece in Piece::ALL {
            for square in Square::ALL {
                see(features_on_board(set, king, Color::Black, piece, square));
            }
        }
        for owner in Color::ALL {
            for kind in PieceType::HAND {
                for count in 1..=kind.count_in_set() {
                    let side = Color::Black;
                    see(features_in_hand(set, king, side, kind, count, owner));
                }
            }
        }
    }
    assert!(seen.into_iter().all(|seen| seen));
}

/// The functions for single pieces, which updates use, agree with [`active_features`].
#[test]
fn features_of_single_pieces_add_up_to_the_active_ones() {
    for sfen in [START_SFEN, MIDDLE_GAME, LANCE_HANDICAP] {
        let position = position(sfen);
        let sets = FeatureSet::ALL.into_iter();
        for set in sets.filter(|set| !set.counts_attacks()) {
            for perspective in Color::ALL {
                let king = king_bucket(set, position.king(perspective).unwrap(), perspective);
                let mut found = Vec::new();
                let mut pieces = 0;
                for square in position.board().occupied() {
                    let piece = position.piece_on(square).unwrap();
                    found.extend(features_on_board(set, king, perspective, piece, square));
                    pieces += usize::from(piece.kind() != PieceType::King);
                }
                for owner in Color::ALL {
                    for kind in PieceType::HAND {
                        for count in 1..=position.hand(owner).count(kind) {
                            let side = perspective;
                            found.extend(features_in_hand(set, king, side, kind, count, owner));
                            pieces += 1;
                        }
                    }
                }
                for _ in pieces..PIECES_IN_SET {
                    found.extend(features_not_in_game(set, king));
                }
                found.sort_unstable();
                assert_eq!(found, sorted(set, &position, perspective), "{set:?}");
            }
        }
    }
}

#[test]
fn kings_share_numbers_where_they_should() {
    let king = king_bucket(FeatureSet::Ka2, Square::S59, Color::Black);
    let own = indices(FeatureSet::Ka2, king, PIECES_END + 44);
    let enemy = indices(FeatureSet::Ka2, king, ENEMY_KING + 44);
    assert_eq!(own[..], [1592, 1673]);
    assert_eq!(enemy[..], [1592, 1754]);
    let king = king_bucket(FeatureSet::HalfKa1, Square::S12, Color::Black);
    let enemy = indices(FeatureSet::HalfKa1, king, ENEMY_KING);
    assert_eq!(enemy[..], [1710 + 1629]);
    assert!(indices(FeatureSet::HalfKp, king, ENEMY_KING).is_empty());
}

#[test]
fn pieces_that_are_not_in_the_game_have_a_number() {
    for (sfen, count) in [(LANCE_HANDICAP, 1), (START_SFEN, 0)] {
        let numbers = piece_numbers(&position(sfen), Color::Black);
        let missing = numbers.iter().filter(|&&number| number == NOT_IN_GAME);
        assert_eq!(missing.count(), count, "{sfen}");
    }
}

#[test]
fn without_a_king_there_are_no_features() {
    let position = position(NO_WHITE_KING);
    for set in FeatureSet::ALL {
        assert!(active_features(set, &position, Color::Black).is_some());
        assert!(active_features(set, &position, Color::White).is_none());
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
    let size = FeatureSet::HalfKp.count() as u32;
    for perspective in Color::ALL {
        let plain = active_features(FeatureSet::HalfKp, &position, perspective).unwrap();
        let with_attacks = active_features(FeatureSet::HalfKpE9, &position, perspective).unwrap();
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
