//! `raicho net` as people use it.

use crate::folder::Folder;
use crate::runner::raicho;

#[test]
fn made_up_networks_are_written_and_shown() {
    let folder = Folder::new("net-random");
    raicho!(folder, "net random kp_64x2-8-32 nn.bin --seed 3").outputs();
    for words in ["net random kp_64x2-8-32 nn.bin", "net material nn.bin"] {
        let said = raicho!(folder, "{words}").refused();
        assert!(
            said.contains("exists already; --force replaces it"),
            "{said}"
        );
    }
    raicho!(folder, "net random kp_64x2-8-32 nn.bin --force").outputs();
    let shown = raicho!(folder, "net show nn.bin").stdout();
    assert!(
        shown.starts_with("# kp_64x2-8-32, FV_SCALE 16\n# Features=K+P["),
        "{shown}"
    );
    let said = raicho!(folder, "net random kp_65x2-8-32 nn.bin").refused();
    assert!(said.contains("multiple of 64"), "{said}");
    let said = raicho!(folder, "net show no/such/file").refused();
    assert!(said.contains("no/such/file"), "{said}");
}

/// Runs commands that must fail, each with a part of its message.
fn are_refused(folder: &Folder, cases: &[(&str, &str)]) {
    for (words, expected) in cases {
        let said = raicho!(folder, "net {words}").refused();
        assert!(said.contains(expected), "{words}: {said}");
    }
}

#[test]
fn the_values_of_our_own_networks_can_be_enlarged() {
    let folder = Folder::new("net-scale");
    // A rook more.
    let sfen = "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n";
    folder.write("sfens", sfen);
    let value = |net: &str| -> i32 {
        let shown = raicho!(folder, "net show {net} --sfen-file sfens").stdout();
        let value = shown.lines().find_map(|line| line.split_once('\t'));
        value
            .and_then(|(_, value)| value.parse().ok())
            .expect("a value")
    };
    raicho!(folder, "net material a.nnue").outputs();
    raicho!(folder, "net scale a.nnue 0.75 b.nnue").outputs();
    let (before, after) = (value("a.nnue"), value("b.nnue"));
    assert!(
        before > 900 && (after - before * 3 / 4).abs() <= 1,
        "{before} {after}"
    );
    raicho!(folder, "net random kp_64x2-8-32 nn.bin").outputs();
    are_refused(
        &folder,
        &[
            ("scale a.nnue 0.5 b.nnue", "--force replaces it"),
            ("scale nn.bin 2 c.nnue", "FV_SCALE"),
            ("scale a.nnue 0 c.nnue", "0.01 to 100"),
            ("scale a.nnue 50 c.nnue", "1 to 4096"),
            ("scale a.nnue 1.0001 c.nnue", "stays the same"),
            ("scale none 2 c.nnue", "none"),
        ],
    );
    assert_eq!(value("b.nnue"), after, "what is refused writes nothing");
    let shown = raicho!(folder, "net show b.nnue").stdout();
    assert!(shown.contains("; times 0.75"), "{shown}");
    assert!(!folder.file("c.nnue").exists());
    raicho!(folder, "net scale a.nnue 0.5 b.nnue --force").outputs();
    assert_ne!(value("b.nnue"), after);
}
