//! Books with entries that say little: without moves, at several plies, with depths that no search
//! reached.

use crate::folder::Folder;
use crate::runner::{Text, raicho};

const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -";
const AFTER: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w -";

/// Runs `think` over a book, and returns what it says and the book that it writes.
fn think(folder: &Folder, book: &str) -> (String, String) {
    folder.write("in.db", format!("#YANEURAOU-DB2016 1.00\n{book}"));
    let quick = "--depth 3 --eval <material> --force";
    let words = format!("book think --book in.db --out out.db {quick}");
    (raicho!(folder, "{words}").stdout(), folder.text("out.db"))
}

#[test]
fn the_smallest_ply_of_a_position_is_searched_and_written() {
    let folder = Folder::new();
    let deep = format!("sfen {AFTER} 10\n3c3d none 10 40 5\n");
    let shallow = format!("sfen {AFTER} 2\n9c9d none -99 1 1\n");
    for book in [format!("{deep}{shallow}"), format!("{shallow}{deep}")] {
        let (said, written) = think(&folder, &book);
        said.must_begin("1 position searched, 1 written");
        written.must_have(format!("sfen {AFTER} 2\n"));
        written.must_lack("-99 1 1");
    }
    let deep = deep.replace(" 10\n3c", " 2\n3c");
    let shallow = shallow.replace(" 2\n", " 4\n");
    let (said, _) = think(&folder, &format!("{deep}{shallow}"));
    said.must_begin("0 positions searched, 1 written");
}

#[test]
fn depths_that_no_search_reached_are_not_enough() {
    let folder = Folder::new();
    for moves in ["7g7f none 0 32 9\n2g2f none 0 32 3\n", "7g7f none 0 256 1\n"] {
        let (said, written) = think(&folder, &format!("sfen {START} 1\n{moves}"));
        said.must_begin("1 position searched, 1 written");
        written.must_have(" 3 1\n");
    }
}

#[test]
fn a_position_without_moves_is_searched_like_one_outside() {
    let folder = Folder::new();
    let book = format!(
        "#YANEURAOU-DB2016 1.00\nsfen {START} 1\n7g7f none 20 20 1\n2g2f none 10 20 1\n\
         sfen {AFTER} 2\n"
    );
    folder.write("in.db", book);
    raicho!(folder, "book extend --book in.db --out list.sfen").stdout();
    assert!(folder.text("list.sfen").contains(AFTER));
    // The values of peta_shock, which takes it for lost.
    raicho!(folder, "book minimax in.db --out minimax.db")
        .prints("1  positions without moves, which count as lost");
    let said = raicho!(folder, "book convert in.db --out out.bin").prints("1 position written");
    said.must_have("1 position without moves");
}

#[test]
fn marks_of_editors_and_old_letters_do_no_harm() {
    let folder = Folder::new();
    let book = format!("#YANEURAOU-DB2016 1.00\nsfen {START} 1\n7g7f none 20 20 1\n");
    folder.write("in.db", book);
    let list = b"\xef\xbb\xbfstartpos\r\n# \x93\xfa\x96\x7b\r\nstartpos moves 1g1f\r\n";
    folder.write("list.txt", list);
    let said = raicho!(folder, "book probe in.db list.txt").stdout();
    let expected = "startpos\thit\t7g7f:1:-\nstartpos moves 1g1f\tmiss\t-\n";
    assert_eq!(said, expected);
}
