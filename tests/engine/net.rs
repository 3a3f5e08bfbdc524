//! `raicho net` as people use it.

use crate::folder::Folder;
use crate::runner::{Text, raicho};

#[test]
fn made_up_networks_are_written_and_shown() {
    let folder = Folder::new();
    raicho!(folder, "net random kp_64x2-8-32 nn.bin --seed 3").outputs();
    for (words, part) in cases! {
        "random kp_64x2-8-32 nn.bin" => "exists already; --force replaces it";
        "material nn.bin" => "exists already; --force replaces it";
        "random kp_65x2-8-32 nn.bin" => "multiple of 32";
        "show no/such/file" => "no/such/file";
    } {
        raicho!(folder, "net {words}").refuses(part);
    }
    raicho!(folder, "net random kp_64x2-8-32 nn.bin --force").outputs();
    let shown = raicho!(folder, "net show nn.bin").stdout();
    shown.must_begin("# kp_64x2-8-32, FV_SCALE 16\n# Features=K+P[");
}

#[test]
fn the_values_of_our_own_networks_can_be_enlarged() {
    let folder = Folder::new();
    // A rook more.
    let sfen = "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n";
    folder.write("sfens", sfen);
    let value = |net: &str| -> i32 {
        let shown = raicho!(folder, "net show {net} --sfen-file sfens").stdout();
        let line = shown.lines().find_map(|line| line.split_once('\t'));
        line.expect("a value").1.parse().expect("a number")
    };
    raicho!(folder, "net material a.nnue").outputs();
    raicho!(folder, "net scale a.nnue 0.75 b.nnue").outputs();
    let (before, after) = (value("a.nnue"), value("b.nnue"));
    assert!(before > 900, "{before}");
    assert!((after - before * 3 / 4).abs() <= 1, "{before} {after}");
    raicho!(folder, "net random kp_64x2-8-32 nn.bin").outputs();
    for (words, part) in [
        ("a.nnue 0.5 b.nnue", "--force replaces it"),
        ("nn.bin 2 c.nnue", "FV_SCALE"),
        ("a.nnue 0 c.nnue", "0.01 to 100"),
        ("a.nnue 50 c.nnue", "1 to 4096"),
        ("a.nnue 1.0001 c.nnue", "stays the same"),
        ("none 2 c.nnue", "none"),
    ] {
        raicho!(folder, "net scale {words}").refuses(part);
    }
    assert_eq!(value("b.nnue"), after, "what is refused writes nothing");
    raicho!(folder, "net show b.nnue").prints("; times 0.75");
    assert!(!folder.has("c.nnue"));
    raicho!(folder, "net scale a.nnue 0.5 b.nnue --force").outputs();
    assert_ne!(value("b.nnue"), after);
}
