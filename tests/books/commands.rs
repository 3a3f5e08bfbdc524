//! The commands of `raicho book`.

use crate::folder::Folder;
use crate::runner::{Text, raicho};

const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -";

#[test]
fn a_position_has_one_line_with_its_candidates() {
    let folder = Folder::new();
    let book = format!(
        "sfen {START} 1\n7g7f none 40 20 30\n2g2f 3c3d 35 21 0\n5g5f none -20 18 2\n\
         1a1b none 0 30 1\n"
    );
    folder.write("a.db", book);
    let text = "startpos\n# a comment\nstartpos moves 1g1f\nnonsense\n";
    folder.write("p.txt", text);
    // One line is not a position.
    let words = "book probe a.db p.txt --option ConsiderBookMoveCount=true";
    let [shown, _] = raicho!(folder, "{words}").ends_with(1);
    let expected = "startpos\thit\t7g7f:30:-\nstartpos moves 1g1f\tmiss\t-\nnonsense\tmiss\t-\n";
    assert_eq!(shown, expected);
    let [shown, _] = raicho!(folder, "book probe --explain a.db p.txt").ends_with(1);
    let reasons = format!(
        "startpos\thit\t7g7f:1:-,2g2f:1:3c3d\t5g5f: value below 10; \
         illegal move 1a1b in {START} 1, it is skipped"
    );
    assert_eq!(shown.lines().next(), Some(&*reasons));
}

#[test]
fn reasons_are_in_japanese_too() {
    let folder = Folder::new();
    let book = format!("sfen {START} 1\n7g7f none 40 10 30\n2g2f 3c3d 35 21 10\n");
    folder.write("a.db", book);
    folder.write("p.txt", "startpos\nstartpos moves 1g1f\nfoo\n");
    let words = "book probe --explain a.db p.txt --lang ja";
    let [shown, errors] = raicho!(folder, "{words}").ends_with(1);
    shown.must_have("startpos\tmiss\t-\t深さ10がBookDepthLimit（16）未満のため不採用、");
    shown.must_have("startpos moves 1g1f\tmiss\t-\tこの局面は定跡にありません\n");
    errors.must_have("エラー：p.txt line 3");
    let shown = raicho!(folder, "book show a.db --lang ja").stdout();
    shown.must_have("  採択回数   割合\n").must_have("30    75%\n").must_have("△３四歩");
    raicho!(folder, "book show a.db startpos moves 1g1f --lang ja")
        .prints("\nこの局面は定跡にありません\n");
}

#[test]
fn faults_are_printed_and_the_good_part_is_written() {
    let folder = Folder::new();
    let book = format!(
        "sfen {START} 1\n7g7f none 40 20 30\n7g7e none 0 0 1\n7g7f none 1 1 1\nfoo\n\
         sfen {START} 1\n2g2f none 0 0 1\n"
    );
    folder.write("bad.db", book);
    let [said, _] = raicho!(folder, "book validate bad.db").ends_with(1);
    for fault in [
        "line 5: \"foo\" is no move",
        "line 3: illegal move 7g7e",
        "line 4: the move 7g7f stands there twice",
        "line 6: a second entry for this position and ply",
        "2 positions, 4 faults",
    ] {
        said.must_have(fault);
    }
    raicho!(folder, "book validate --skip good.db bad.db").stdout();
    let expected = format!("#YANEURAOU-DB2016 1.00\nsfen {START} 1\n7g7f none 40 20 30\n");
    assert_eq!(folder.text("good.db"), expected);
    raicho!(folder, "book validate good.db").stdout();
}

#[test]
fn moves_are_left_out_and_get_another_depth() {
    let folder = Folder::new();
    let moves = "1g1f none 9 9 1\n7g7f 3c3d 40 3 30\n2g2f none 30 0 1\n";
    folder.write("a.db", format!("sfen {START} 1\n{moves}"));
    raicho!(folder, "book convert --depth 32 --loss 30 --out deep.db a.db").outputs();
    let expected =
        format!("#YANEURAOU-DB2016 1.00\nsfen {START} 1\n7g7f 3c3d 40 32 30\n2g2f none 30 32 1\n");
    assert_eq!(folder.text("deep.db"), expected);
}

#[test]
fn a_conversion_says_what_is_lost_and_replaces_nothing() {
    let folder = Folder::new();
    folder.write("a.db", format!("sfen {START} 1\n7g7f 3c3d 40000 20 30\n"));
    let said = raicho!(folder, "book convert --out a.ybb a.db").prints("1 position written to");
    said.must_have("left out or limited: 1 ponder move, 1 value, 1 count");
    let said = raicho!(folder, "book convert --lang ja --force --out a.ybb a.db").stdout();
    said.must_have("1局面を ");
    said.must_have("省略または切り詰め：予想手 1、評価値 1、採択回数 1");
    raicho!(folder, "book convert --out a.ybb a.db").refuses("--force replaces it");
    raicho!(folder, "book convert --force --out a.db a.db")
        .refuses("cannot be written at the same time");
    raicho!(folder, "book info a.ybb").prints("values     32767 to 32767");
    raicho!(folder, "book show a.ybb").prints("7g7f   -        32767     20           -");
}
