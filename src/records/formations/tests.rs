//! Names of known openings and castles.

use super::*;
use crate::records::SfenLine;
use std::collections::BTreeSet;
use std::{fs, path::Path};

/// The names in a game whose moves are given, or in a line of USI that begins with its start.
fn names(line: &str) -> Formations {
    let line =
        if line.contains("moves") { line.to_owned() } else { format!("startpos moves {line}") };
    let SfenLine { start, moves } = line.parse().unwrap();
    Formations::of_game(&start, &moves)
}

fn name(found: Option<Found>) -> &'static str {
    found.map_or("", |found| found.formation.ja)
}

/// The first moves of an exchange of bishops (角換わり), where black retakes with the silver.
const BISHOP_EXCHANGE: &str =
    "7g7f 8c8d 2g2f 4a3b 6i7h 8d8e 8h7g 3c3d 7i6h 2b7g+ 6h7g 3a2b 3i3h 2b3c";
/// A double wing attack (相掛かり) up to black's 2八飛.
const DOUBLE_WING: &str = "2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d P*2c 2d2h 9c9d";
/// The old order of a yagura (矢倉), 24手組, up to both bishops' first steps.
const YAGURA: &str = "7g7f 8c8d 7i6h 3c3d 6g6f 7a6b 5g5f 5c5d 3i4h 3a4b 4i5h 4a3b 6i7h 5a4a 5i6i \
    6a5b 6h7g 4b3c 8h7i 2b3a 3g3f 4c4d 5h6g 7c7d";
const SIDE_PAWN: &str =
    "7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d 8e8f 8g8f 8b8f 2d3d";

#[test]
fn known_openings_have_their_names() {
    let cases = cases! {
        "", "7g7f 3c3d" => "";
        "", "2g2f 8c8d 2f2e 8d8e 7g7f 4a3b 8h7g 3c3d 7i6h" => "";
        "", "7g7f 3c3d 6g6f 8c8d 2h5h" => "中飛車";
        "", "7g7f 3c3d 2g2f 4c4d 3i4h 8b4b" => "四間飛車";
        "", "7g7f 3c3d 6g6f 8c8d 2h7h" => "三間飛車";
        "", "7g7f 3c3d 6g6f 8c8d 8h7g 8d8e 2h8h" => "向かい飛車";
        "", "7g7f 3c3d 2g2f 5c5d 2f2e 8b5b" => "ゴキゲン中飛車";
        "", "7g7f 3c3d 6g6f 8c8d 2h5h 7a6b 7i6h 5a4b 6h6g 4b3b 3i4h 6a5b 5g5f 5c5d 4g4f 8d8e 8h7g \
             1c1d 4h4g" => "ツノ銀中飛車";
        "", "7g7f 8c8d 7i7h 8d8e 1g1f 8e8f 8g8f 8b8f 6i7i 1c1d 9g9f 7a6b 8h6f 6c6d 7h7g 8f8b P*8d 6a7b \
             2h8h 7c7d 5g5f 8a7c 7i7h" => "向かい飛車";
        "", "7g7f 8c8d 2h7h 6a7b 7f7e" => "三間飛車";
        "", "7g7f 3c3d 7f7e 8c8d 2h7h" => "早石田";
        "", "7g7f 3c3d 7f7e 8c8d 2h7h 8d8e 5i4h 7a6b 3i3h 5a4b 7h7f 2b8h+ 7i8h" => "升田式石田流";
        "", "7g7f 3c3d 6g6f 8c8d 7f7e 7a6b 2h7h 5a4b 7h7f" => "石田流";
        "", "7g7f 3c3d 2g2f 8b4b 5i6h 2b8h+ 7i8h" => "角交換四間飛車";
        "", "7g7f 3c3d 3i3h 2b8h+ 7i8h 4a3b 8h7g 3a4b 3g3f 4c4d 1g1f 4b4c 3h3g 1c1d 6i7h 8b4b"
             => "角交換四間飛車";
        "", "7g7f 3c3d 2g2f 9c9d 2f2e 2b8h+ 7i8h 3a2b 3i4h 2b3c 5i6h 8b2b" => "ダイレクト向かい飛車";
        "", "7g7f 8c8d 6i7h 8d8e 8h7g 3c3d 6g6f 4a3b 6f6e 2b7g+ 7h7g 3a2b 2h8h" => "阪田流向かい飛車";
        "", "7g7f 3c3d 6g6f 8c8d 2h6h 7a6b 1g1f 5a4b 1f1e 4b3b 3i3h 6a5b 6i5h 5c5d 4g4f 2b3c 3g3f"
             => "藤井システム";
        "", "7g7f 3c3d 8i7g 8c8d 7g6e 7a6b 7f7e" => "鬼殺し";
        "", "2g2f 8c8d 7g7f 3c3d 6g6f 7a6b 2h6h" => "陽動振り飛車";
        "", "7g7f 3c3d 6g6f 8b3b 2h6h" => "相振り飛車";
        "", "7g7f 3c3d 8h2b+ 3a2b B*4e" => "筋違い角";
        "", "7i6h 8c8d 5g5f 3c3d 8h7i" => "嬉野流";
        "", "2g2f 8c8d 3g3f 8d8e 2h3h" => "袖飛車";
        "", "2g2f 8c8d 2f2e 8d8e 3i3h 4a3b 3h2g 3c3d 2g2f" => "棒銀";
        "", "7g7f 8c8d 6g6f 7a6b 7i6h 6c6d 6h7g 6b6c 3i4h 6c5d 5g5f 8b6b" => "右四間飛車";
        "", "7g7f 3c3d 6g6f 8c8d 7i6h 8d8e 8h7g 7a6b 6h6g 4a3b 6i7h" => "雁木";
        "", "7g7f 3c3d 6g6f 8c8d 2g2f 8d8e 8h7g 7a6b 3i4h 5a4b 4g4f 4a3b 4h4g 1a1b 3g3f 1c1d 2i3g \
             9c9d 2h2i 9d9e 5i4h" => "右玉";
        SIDE_PAWN, "" => "横歩取り";
        SIDE_PAWN, "2b8h+ 7i8h 8f7f" => "相横歩取り";
        "", "7g7f 3c3d 2g2f 2b8h+ 7i8h" => "一手損角換わり";
        BISHOP_EXCHANGE, "" => "角換わり";
        BISHOP_EXCHANGE, "4g4f 7a6b 3h4g 6c6d 4g5f" => "角換わり腰掛け銀";
        BISHOP_EXCHANGE, "3g3f 7a6b 3h3g 6c6d 3g4f" => "角換わり早繰り銀";
        BISHOP_EXCHANGE, "3h2g 7a6b 2f2e 6c6d 2g2f" => "角換わり棒銀";
        DOUBLE_WING, "" => "相掛かり";
        DOUBLE_WING, "3i3h 9d9e 3h2g 7a6b 2g2f" => "相掛かり棒銀";
        DOUBLE_WING, "3i4h 9d9e 4g4f 7a6b 4h4g 3c3d 4g5f" => "相掛かり腰掛け銀";
        "", "2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d P*2c 2d2f 8e8f 8g8f 8b8f P*8g 8f8b 7g7f \
             3c3d 7f7e 7a6b 2f7f 5a4b 8i7g" => "ひねり飛車";
        YAGURA, "" => "矢倉";
        YAGURA, "4h3g 3a6d 3g2f" => "矢倉棒銀";
        YAGURA, "4h3g 3a6d 7i4f" => "脇システム";
        YAGURA, "1g1f 1c1d 1i1g 4d4e 2h1h" => "雀刺し";
        "", "7g7f 3c3d 2g2f 5c5d 2f2e 5d5e 2e2d 2c2d 2h2d 4a3b 2d2h P*2c 3i4h 7a6b 7i6h 6b5c"
             => "５筋位取り";
        "", "4g4f 1c1d 3g3f 1d1e 2g2f 8c8d 2f2e 8d8e 1g1f 1e1f 1i1f 1a1f 2i1g 1f1g+ 2h1h 1g1h 3i2h \
             1h2h 4i3h 2h3h 6i5h 2c2d 3f3e 2d2e 3e3d 8e8f 3d3c+ 2b3c 4f4e 5c5d" => "力戦";
    };
    let mut tested = BTreeSet::new();
    for (before, after, expected) in cases {
        let line = format!("{before} {after}");
        assert_eq!(name(names(&line).opening), expected, "{line}");
        tested.insert(expected);
    }
    let openings = TABLE.iter().filter(|row| row.kind == Kind::Opening);
    let untested: Vec<_> = openings.filter(|row| !tested.contains(row.ja)).collect();
    assert!(untested.is_empty(), "{untested:?}");
}

/// Openings of professional games, with the castle of each side and the ply from which it stands.
#[test]
fn games_have_their_names() {
    let cases = cases! {
        // 達–宮田, 2002: 中原囲い with 8五飛.
        "2g2f 3c3d 7g7f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d 8e8f 8g8f 8b8f 2d3d 2b3c 3d3f 5a4a \
         P*8g 8f8e 3f2f 3a2b 5i6i 7a6b 3g3f 6a5a"
            => ("横歩取り", ["居飛車", "居飛車"], [("", 0), ("中原囲い", 26)]);
        // 三浦–久保, 2004.
        "7g7f 5c5d 5i6h 8b5b 6h7h 3c3d 3i4h 5a6b 4i5h 6b7b 6g6f 3a4b 8h7g 4b5c 7h8h 7b8b 5h6g 5d5e \
         9i9h 9a9b 8h9i 8b9a 7i8h 7a8b 2g2f 6c6d 2f2e 2b3c 4h5i 4a5a 5i6h 5a6b 6i7h 7c7d 9g9f 9c9d \
         6h7i" => ("ゴキゲン中飛車", ["居飛車", "振り飛車"], [("松尾流穴熊", 37), ("振り飛車穴熊", 24)]);
        // 神崎–松浦, 1991.
        "7g7f 3c3d 2g2f 4c4d 2f2e 2b3c 3i4h 3a3b 4i5h 3b4c 5i6h 8b2b 6h7h"
            => ("向かい飛車", ["居飛車", "振り飛車"], [("舟囲い", 13), ("", 0)]);
        // A bishop exchange against a king on the right.
        "2g2f 8c8d 7g7f 8d8e 8h7g 3c3d 7i8h 4a3b 2f2e 2b7g+ 8h7g 3a2b 3i4h 2b3c 3g3f 7a6b 4g4f 4c4d \
         2i3g 6a5b 4h4g 6c6d 6i7h 7c7d 5i6h 8a7c 4i4h 9c9d 9g9f 6b6c 2h2i 5a6b 1g1f 1c1d 6g6f 6b7b \
         6h7i 5c5d 7i8h 8b8a 4h5h 5b6b 5h6h"
            => ("右玉", ["居飛車", "居飛車"], [("矢倉囲い", 43), ("右玉", 40)]);
        // A quick attack with elmo's castle.
        "6g6f 3c3d 7g7f 8c8d 2h7h 8d8e 8h7g 5a4b 7i6h 7a6b 5i4h 4b3b 3i3h 5c5d 4h3i 1c1d 1g1f 3a4b \
         6h6g 6b5c 3i2h 4a3a 6i5h"
            => ("三間飛車", ["振り飛車", "居飛車"], [("美濃囲い", 23), ("エルモ囲い", 22)]);
    };
    for (line, (opening, styles, castles)) in cases {
        let found = names(line);
        assert_eq!(name(found.opening), opening, "{line}");
        assert_eq!(found.styles.map(name), styles, "{line}");
        let place = |found: Option<Found>| (name(found), found.map_or(0, |found| found.ply));
        assert_eq!(found.castles.map(place), castles, "{line}");
    }
}

#[test]
fn castles_have_their_names_on_both_sides() {
    // Black's four ranks, from 六 to 九.
    let cases = cases! {
        "9/9/3S1S3/4KR3" => "";
        "9/PPPPPPPPP/3SRS3/4K4" => "無敵囲い";
        "9/9/2GSG4/3K5" => "カニ囲い";
        "9/9/2G1K1G2/9" => "中住まい";
        "9/9/2G1K4/5G3" => "中住まい";
        "9/9/2G1K4/5GS2" => "";
        "9/9/2G2S3/3KG4" => "中原囲い";
        "9/9/2K1G4/2SG5" => "舟囲い";
        "9/9/2KG5/2SG5" => "箱入り娘";
        "3P5/3SS4/2G6/3K5" => "雁木囲い";
        "3P5/3S1S3/2G6/3K5" => "雁木囲い";
        "9/9/2KS5/2G6" => "エルモ囲い";
        "9/9/1KS1G4/3G5" => "左美濃";
        "9/1K7/2S6/3G5" => "天守閣美濃";
        "9/5SN2/4GK3/7R1" => "右玉";
        "9/2SG5/1KG6/9" => "矢倉囲い";
        "9/2SG5/2G6/2K6" => "矢倉囲い";
        "9/2SS5/1KG6/9" => "銀矢倉";
        "9/2SG5/2KG5/9" => "片矢倉";
        "9/2SGS4/1KG6/9" => "総矢倉";
        "3S5/2SG5/1KG6/9" => "菱矢倉";
        "9/2N6/1SG6/1KG6" => "ミレニアム";
        "9/2PP2N2/3R2GS1/7K1" => "";
        "9/2PP2NP1/3R2GS1/7K1" => "ミレニアム";
        "9/2NG5/1SG6/1K7" => "菊水矢倉";
        "9/1S7/K1G6/9" => "米長玉";
        "9/9/LS7/KG7" => "居飛車穴熊";
        "9/2S6/L1G6/K8" => "矢倉穴熊";
        "9/9/LSG6/K1S6" => "松尾流穴熊";
        "9/1SS6/LGG6/K8" => "ビッグ４";
        "9/9/6SK1/5G3" => "片美濃";
        "9/5S3/6GK1/9" => "木村美濃";
        "9/9/4GGKS1/9" => "金無双";
        "9/9/4G1SK1/5G3" => "美濃囲い";
        "9/9/4S1SK1/5G3" => "銀美濃";
        "9/5G3/6SK1/5G3" => "高美濃";
        "9/5S3/4G1SK1/5G3" => "ダイヤモンド美濃";
        "9/5GS2/6GK1/9" => "右矢倉";
        "9/7S1/6GK1/5G3" => "銀冠";
        "9/1S7/1KG6/9" => "銀冠";
        "9/9/7SL/8K" => "振り飛車穴熊";
        "9/7S1/7GL/8K" => "銀冠穴熊";
    };
    let mut tested = BTreeSet::from(["居玉"]);
    for (ranks, expected) in cases {
        let board = format!("4k4/9/9/9/9/{ranks}");
        let swap = |c: char| {
            if c.is_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() }
        };
        let rotated: String = board.chars().rev().map(swap).collect();
        for (board, side) in [(board, Color::Black), (rotated, Color::White)] {
            let start = Position::from_sfen(&format!("{board} b - 1")).unwrap();
            let found = Formations::of_game(&start, &[]);
            assert_eq!(name(found.castles[side.index()]), expected, "{board}");
            assert_eq!(name(found.castles[(!side).index()]), "", "{board}");
            assert_eq!(found.opening, None, "{board}");
        }
        tested.insert(expected);
    }
    let castles = TABLE.iter().filter(|row| row.kind == Kind::Castle);
    let untested: Vec<_> = castles.filter(|row| !tested.contains(row.ja)).collect();
    assert!(untested.is_empty(), "{untested:?}");
}

#[test]
fn a_king_that_stays_has_a_name_after_forty_plies() {
    let shuffle = "2h3h 8b7b 3h2h 7b8b ".repeat(10);
    assert_eq!(names(&shuffle[..shuffle.len() - 6]).castles.map(name), ["", ""]);
    assert_eq!(names(&shuffle).castles.map(name), ["居玉", "居玉"]);
}

#[test]
fn every_condition_of_the_table_can_be_read() {
    let shown: Vec<_> = TABLE.iter().filter(|row| row.kind != Kind::Event).collect();
    assert!(shown.len() >= 40);
    assert!(shown.iter().all(|row| !row.en.is_empty() && row.en.is_ascii()));
    let names: BTreeSet<_> = TABLE.iter().map(|row| (row.ja, row.kind == Kind::Castle)).collect();
    assert_eq!(names.len(), TABLE.len());
    for row in TABLE {
        for condition in row.conditions.split_whitespace().filter(|&condition| condition != "|") {
            let plain = condition.trim_start_matches('!');
            let is_square = |text: &str| {
                let is_digit = |c: char| matches!(c, '1'..='9' | '*');
                text.chars().count() == 2 && text.chars().all(is_digit)
            };
            let can_be_read = match plain.is_ascii() {
                true => {
                    let (letter, squares) = plain.split_at(1);
                    let is_hand = squares == "@" && letter != "*";
                    "PLNSGBRK*plnsgbrk".contains(letter)
                        && (is_hand || squares.split(',').all(is_square))
                }
                false if plain == "△" => true,
                false => TABLE.iter().any(|row| row.ja == plain.trim_start_matches('~')),
            };
            assert!(can_be_read, "{}: {condition}", row.ja);
        }
    }
}

#[test]
fn the_guide_lists_all_names() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for guide in ["book/src/analysis.md", "book/ja/src/analysis.md"] {
        let text = fs::read_to_string(root.join(guide)).unwrap();
        for row in TABLE.iter().filter(|row| row.kind != Kind::Event) {
            let is_japanese = guide.starts_with("book/ja");
            assert!(text.contains(row.ja), "{guide}: {}", row.ja);
            assert!(is_japanese || text.contains(row.en), "{guide}: {}", row.en);
        }
    }
}
