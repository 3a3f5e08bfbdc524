//! `raicho net` as people use it.

use super::cli::{raicho, text};

#[test]
fn made_up_networks_are_written_and_shown() {
    let path = std::env::temp_dir().join(format!("raicho-net-{}", std::process::id()));
    let file = path.to_str().expect("UTF-8");
    let written = raicho(&["net", "random", "kp_64x2-8-32", file, "--seed", "3"]);
    assert!(written.status.success(), "{}", text(&written.stderr));
    for words in [
        &["net", "random", "kp_64x2-8-32", file][..],
        &["net", "material", file],
    ] {
        let refused = raicho(words);
        let said = text(&refused.stderr);
        assert!(
            said.contains("exists already; --force replaces it"),
            "{said}"
        );
    }
    let forced = ["net", "random", "kp_64x2-8-32", file, "--force"];
    assert!(raicho(&forced).status.success());
    let shown = text(&raicho(&["net", "show", file]).stdout);
    std::fs::remove_file(&path).expect("the file is there");
    assert!(
        shown.starts_with("# kp_64x2-8-32, FV_SCALE 16\n# Features=K+P["),
        "{shown}"
    );
    let refused = raicho(&["net", "random", "kp_65x2-8-32", file]);
    assert!(text(&refused.stderr).contains("multiple of 64"));
    let missing = raicho(&["net", "show", "no/such/file"]);
    assert!(text(&missing.stderr).contains("no/such/file"));
}

#[test]
fn the_values_of_our_own_networks_can_be_enlarged() {
    let folder = std::env::temp_dir().join(format!("raicho-scale-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let at = |name: &str| folder.join(name).to_str().expect("UTF-8").to_owned();
    let [from, to, other, sfens] = ["a.nnue", "b.nnue", "nn.bin", "sfens"].map(at);
    // A rook more.
    let sfen = "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n";
    std::fs::write(&sfens, sfen).expect("written");
    let value = |net: &str| -> i32 {
        let shown = raicho(&["net", "show", net, "--sfen-file", &sfens]);
        let shown = text(&shown.stdout);
        let value = shown.lines().find_map(|line| line.split_once('\t'));
        value
            .and_then(|(_, value)| value.parse().ok())
            .expect("a value")
    };
    assert!(raicho(&["net", "material", &from]).status.success());
    let scaled = raicho(&["net", "scale", &from, "0.75", &to]);
    assert!(scaled.status.success(), "{}", text(&scaled.stderr));
    let (before, after) = (value(&from), value(&to));
    assert!(
        before > 900 && (after - before * 3 / 4).abs() <= 1,
        "{before} {after}"
    );
    assert!(
        raicho(&["net", "random", "kp_64x2-8-32", &other])
            .status
            .success()
    );
    let new = at("c.nnue");
    for (arguments, expected) in [
        (["net", "scale", &from, "0.5", &to], "--force replaces it"),
        (["net", "scale", &other, "2", &new], "FV_SCALE"),
        (["net", "scale", &from, "0", &new], "0.01 to 100"),
        (["net", "scale", &from, "50", &new], "1 to 4096"),
        (["net", "scale", &from, "1.0001", &new], "stays the same"),
        (["net", "scale", &at("none"), "2", &new], "none"),
    ] {
        let refused = raicho(&arguments);
        assert!(!refused.status.success());
        assert!(
            text(&refused.stderr).contains(expected),
            "{}",
            text(&refused.stderr)
        );
    }
    assert_eq!(value(&to), after, "what is refused writes nothing");
    let shown = raicho(&["net", "show", &to]);
    assert!(text(&shown.stdout).contains("; times 0.75"), "{shown:?}");
    assert!(!std::fs::exists(&new).expect("a readable folder"));
    let forced = raicho(&["net", "scale", &from, "0.5", &to, "--force"]);
    assert!(forced.status.success(), "{}", text(&forced.stderr));
    assert_ne!(value(&to), after);
    std::fs::remove_dir_all(&folder).expect("it is there");
}

#[test]
fn the_files_of_a_folder_are_not_overwritten_while_they_are_read() {
    let folder = std::env::temp_dir().join(format!("raicho-pieces-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    for part in ["KK", "KKP", "KPP"] {
        std::fs::write(folder.join(format!("{part}_synthesized.bin")), part).expect("written");
    }
    let name = folder.to_str().expect("UTF-8");
    let refused = raicho(&["net", "noise", name, "1", &format!("{name}/."), "--force"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        text(&refused.stderr).contains("is read and would be overwritten"),
        "{refused:?}"
    );
    std::fs::remove_dir_all(&folder).expect("it is there");
}

#[test]
fn noise_is_added_to_our_own_networks() {
    let folder = std::env::temp_dir().join(format!("raicho-noise-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let at = |name: &str| folder.join(name).to_str().expect("UTF-8").to_owned();
    let [same, one, again, other, foreign] = [
        "same.nnue",
        "one.nnue",
        "again.nnue",
        "other.nnue",
        "nn.bin",
    ]
    .map(at);
    let noise = |size: &str, to: &str, seed: &str| {
        let added = raicho(&["net", "noise", "<embedded>", size, to, "--seed", seed]);
        assert!(added.status.success(), "{}", text(&added.stderr));
        (std::fs::read(to).expect("written"), text(&added.stdout))
    };
    let (unchanged, _) = noise("0", &same, "1");
    let (first, said) = noise("0.2", &one, "1");
    assert!(said.contains("one.nnue: standard deviation"), "{said}");
    assert_eq!(first, noise("0.2", &again, "1").0);
    assert_ne!(first, noise("0.2", &other, "2").0);
    assert_ne!(first, unchanged);
    let bench = |net: &str| {
        let out = raicho(&["bench", "--depth", "3", "--eval", net]);
        assert!(out.status.success(), "{}", text(&out.stderr));
        let out = text(&out.stdout);
        let last = out.lines().last().expect("a line");
        last.split(' ').next().expect("nodes").to_owned()
    };
    assert_eq!(bench(&same), bench("<embedded>"));
    assert_ne!(bench(&one), bench("<embedded>"));

    let made = raicho(&["net", "random", "SFNN_kp_64_8_8_progress2", &foreign]);
    assert!(made.status.success());
    let empty = at("empty");
    std::fs::create_dir_all(&empty).expect("a folder");
    let new = at("new.nnue");
    for (arguments, expected) in [
        (["net", "noise", "<embedded>", "0.1", &same], "--force"),
        (["net", "noise", &foreign, "0.1", &new], "by progress"),
        (
            ["net", "noise", "<embedded>", "-1", &new],
            "unexpected argument",
        ),
        (["net", "noise", "<embedded>", "101", &new], "0 to 100"),
        (["net", "noise", "<embedded>", "NaN", &new], "0 to 100"),
        (["net", "noise", &at("none"), "0.1", &new], "none"),
        (["net", "noise", &empty, "0.1", &new], "empty"),
    ] {
        let refused = raicho(&arguments);
        assert!(!refused.status.success());
        let message = text(&refused.stderr);
        assert!(message.contains(expected), "{message}");
    }
    assert_eq!(std::fs::read(&same).expect("still there"), unchanged);
    assert!(!std::fs::exists(&new).expect("a readable folder"));
    std::fs::remove_dir_all(&folder).expect("it is there");
}
