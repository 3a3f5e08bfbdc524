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

#[test]
fn the_files_of_a_folder_are_not_overwritten_while_they_are_read() {
    let folder = Folder::new("net-pieces");
    std::fs::create_dir(folder.file("pieces")).expect("a folder");
    for part in ["KK", "KKP", "KPP"] {
        folder.write(&format!("pieces/{part}_synthesized.bin"), part);
    }
    let said = raicho!(folder, "net noise pieces 1 pieces/. --force").output();
    assert_eq!(said.status.code(), Some(2));
    let said = crate::runner::text(&said.stderr);
    assert!(said.contains("is read and would be overwritten"), "{said}");
}

#[test]
fn noise_is_added_to_our_own_networks() {
    let folder = Folder::new("net-noise");
    let noise = |size: &str, to: &str, seed: u32| {
        let said = raicho!(folder, "net noise <embedded> {size} {to} --seed {seed}").stdout();
        (folder.bytes(to), said)
    };
    let (unchanged, _) = noise("0", "same.nnue", 1);
    let (first, said) = noise("0.2", "one.nnue", 1);
    assert!(said.contains("one.nnue: standard deviation"), "{said}");
    assert_eq!(first, noise("0.2", "again.nnue", 1).0);
    assert_ne!(first, noise("0.2", "other.nnue", 2).0);
    assert_ne!(first, unchanged);
    let bench = |net: &str| {
        let out = raicho!(folder, "bench --depth 3 --eval {net}").stdout();
        let last = out.lines().last().expect("a line");
        last.split(' ').next().expect("nodes").to_owned()
    };
    assert_eq!(bench("same.nnue"), bench("<embedded>"));
    assert_ne!(bench("one.nnue"), bench("<embedded>"));

    raicho!(folder, "net random SFNN_kp_64_8_8_progress2 nn.bin").outputs();
    std::fs::create_dir(folder.file("empty")).expect("a folder");
    are_refused(
        &folder,
        &[
            ("noise <embedded> 0.1 same.nnue", "--force"),
            ("noise nn.bin 0.1 new.nnue", "by progress"),
            ("noise <embedded> -1 new.nnue", "unexpected argument"),
            ("noise <embedded> 101 new.nnue", "0 to 100"),
            ("noise <embedded> NaN new.nnue", "0 to 100"),
            ("noise none 0.1 new.nnue", "none"),
            ("noise empty 0.1 new.nnue", "empty"),
        ],
    );
    assert_eq!(folder.bytes("same.nnue"), unchanged);
    assert!(!folder.file("new.nnue").exists());
}
