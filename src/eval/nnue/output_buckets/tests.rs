//! Classes of hands and kings at their borders, and names.

use super::*;
use crate::types::{File, Hand, PieceType, Rank, Square};

fn hand(text: &str) -> Hand {
    let mut hand = Hand::EMPTY;
    for letter in text.chars() {
        hand.add(PieceType::from_letter(letter).unwrap());
    }
    hand
}

#[test]
fn classes_of_hands() {
    use HandClasses::{Hand4, Hand16, Hand64, Hand64z, Hand256, Hand1024};
    let kinds = [Hand4, Hand16, Hand64, Hand64z, Hand256, Hand1024];
    let expected = [
        ("", [0, 0, 0, 0, 0, 0]),
        ("P", [0, 1, 1, 1, 1, 1]),
        ("PPPP", [0, 1, 1, 1, 1, 1]),
        ("PPPPP", [0, 1, 1, 2, 1, 1]),
        ("L", [0, 0, 1, 1, 1, 2]),
        ("NN", [0, 0, 1, 1, 1, 2]),
        ("S", [0, 0, 2, 1, 2, 4]),
        ("GG", [0, 0, 2, 2, 2, 4]),
        ("B", [1, 2, 4, 2, 4, 8]),
        ("R", [0, 0, 2, 2, 8, 16]),
        ("PLSBR", [1, 3, 7, 4, 15, 31]),
        ("BBRRGP", [1, 3, 7, 6, 15, 29]),
        ("BBRRGGP", [1, 3, 7, 7, 15, 29]),
        ("BBRRGGGGPPPPPPPPP", [1, 3, 7, 7, 15, 29]),
    ];
    for (text, classes) in expected {
        assert_eq!(kinds.map(|kind| kind.class(hand(text))), classes, "{text}");
        for kind in kinds {
            assert!(kind.class(hand(text)) < kind.row().2);
        }
    }
}

#[test]
fn classes_of_kings() {
    use KingClasses::{K3k3, K9k9, K9k9z, K13k13z, K21k21, K29k29};
    let kinds = [K3k3, K9k9, K9k9z, K13k13z, K21k21, K29k29];
    // File (0 is 1筋) and rank of a king, its classes.
    let expected = [
        ((4, 0), [0, 0, 0, 0, 0, 0]),
        ((8, 2), [0, 2, 0, 2, 0, 0]),
        ((0, 3), [1, 3, 1, 3, 1, 1]),
        ((8, 5), [1, 5, 1, 5, 1, 1]),
        ((3, 6), [2, 6, 2, 6, 2, 5]),
        ((0, 7), [2, 7, 3, 7, 3, 11]),
        ((3, 7), [2, 7, 4, 8, 6, 14]),
        ((8, 7), [2, 7, 5, 9, 11, 19]),
        ((2, 8), [2, 8, 6, 10, 14, 22]),
        ((8, 8), [2, 8, 8, 12, 20, 28]),
    ];
    for ((file, rank), classes) in expected {
        let square = Square::new(File::ALL[file], Rank::ALL[rank]);
        assert_eq!(kinds.map(|kind| kind.class(square)), classes, "{square}");
    }
    for kind in kinds {
        let largest = Square::ALL
            .into_iter()
            .map(|square| kind.class(square))
            .max();
        assert_eq!(largest, Some(kind.row().3 - 1));
    }
}

#[test]
fn hands_kings_and_progress_combine_in_this_order() {
    let sfen = "lnsgkgsnl/1r7/ppppppppp/9/9/9/PPPPPPPPP/7R1/LNSGKGSNL w B 1";
    let sfen = sfen.replace(" w B ", " w Bb ");
    let position = Position::from_sfen(&sfen).unwrap();
    let buckets = OutputBuckets::from_words("hand4_k9k9_progress8").unwrap();
    assert_eq!(buckets.count(), 4 * 81 * 8);
    assert_eq!(
        buckets.index(&position, || Some(255)),
        Some((3 * 81 + 8 * 9 + 8) * 8 + 7)
    );
    assert_eq!(
        buckets.index(&position, || Some(63)),
        Some((3 * 81 + 8 * 9 + 8) * 8 + 1)
    );
    let one_side = Position::from_sfen(&sfen.replace("Bb", "B")).unwrap();
    assert_eq!(buckets.index(&one_side, || Some(0)), Some((81 + 80) * 8));
    assert_eq!(OutputBuckets::default().index(&position, || None), Some(0));
    let no_king = Position::from_sfen("4k4/9/4P4/9/9/9/9/9/9 b G 1").unwrap();
    assert_eq!(buckets.index(&no_king, || Some(0)), None);
}

#[test]
fn names_round_trip() {
    let hands = HandClasses::TABLE
        .map(|row| Some(row.0))
        .into_iter()
        .chain([None]);
    for hand in hands {
        for king in KingClasses::TABLE
            .map(|row| Some(row.0))
            .into_iter()
            .chain([None])
        {
            for progress in PROGRESS_BUCKETS.map(Some).into_iter().chain([None]) {
                let buckets = OutputBuckets {
                    hand,
                    king,
                    progress,
                };
                let name = buckets.to_string();
                assert_eq!(OutputBuckets::from_words(&name), Ok(buckets), "{name}");
                assert_eq!(
                    OutputBuckets::from_words(&name.to_uppercase()),
                    Ok(buckets),
                    "{name}"
                );
            }
        }
    }
    let other = OutputBuckets::from_words("KING9ZONE_BY_KING9ZONE_HAND64");
    assert_eq!(other.unwrap().to_string(), "_hand64_k9k9z");
    for wrong in [
        "hand5",
        "k3k3_k9k9",
        "progress5",
        "progress",
        "hand4_hand4",
        "k3",
    ] {
        assert!(OutputBuckets::from_words(wrong).is_err(), "{wrong}");
    }
}
