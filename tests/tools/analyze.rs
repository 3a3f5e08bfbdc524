//! `raicho analyze` on games: what is read, what is written, and what an interruption keeps.

use std::fs;
use std::process::Stdio;

use serde_json::Value;

use crate::folder::Folder;
use crate::runner::{raicho, text};
use raicho::records::encoding::encode_shift_jis;

const GAME: &str = "V2.2\nN+</script>\nN-\"b\"\nPI\n+\n+7776FU\nT3\n-3334FU\nT5\n+8822UM\n-3122GI\n\
    +0045KA\n-4132KI\n%TORYO\n";

fn json(folder: &Folder, name: &str) -> Value {
    serde_json::from_str(&folder.text(name)).expect("it is JSON")
}

/// The JSON without what differs from run to run.
fn without_times(mut game: Value) -> Value {
    let positions = game["positions"].as_array_mut().expect("positions");
    for line in positions
        .iter_mut()
        .flat_map(|position| position["lines"].as_array_mut().expect("lines"))
    {
        line["time"] = Value::Null;
    }
    game
}

#[test]
fn results_in_a_folder_are_not_analysed_again() {
    let folder = Folder::new("analyze-again");
    folder.write("a.csa", GAME);
    for _ in 0..2 {
        let output = raicho!(folder, "analyze . --nodes 1 --kif out/ --summary --hash 1").output();
        assert!(output.status.success(), "{}", text(&output.stderr));
        let count = fs::read_dir(folder.file("out"))
            .expect("the folder is there")
            .count();
        assert_eq!(count, 1);
    }
}

#[test]
fn a_broken_game_is_named_and_skipped() {
    let folder = Folder::new("analyze-broken");
    folder.write("a.csa", GAME);
    folder.write("b.csa", "V2.2\nPI\n+\n+7775FU\n");
    folder.write("c.usi", "startpos moves 7g7f\nstartpos moves 7g7e\n");
    let output = raicho!(folder, "analyze . --nodes 50 --json out --hash 1").output();
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(
        errors.contains("b.csa: ") && errors.contains("+7775FU"),
        "{errors}"
    );
    assert!(
        errors.contains("c.usi: game 2: line 2: ") && errors.contains("7g7e"),
        "{errors}"
    );
    let mut names: Vec<String> = fs::read_dir(folder.file("out"))
        .expect("the folder is there")
        .map(|entry| {
            entry
                .expect("a file")
                .file_name()
                .into_string()
                .expect("UTF-8")
        })
        .collect();
    names.sort();
    assert_eq!(names, ["a.json", "c-1.json"]);
    assert_eq!(json(&folder, "out/a.json")["players"][0], "</script>");
}

#[test]
fn output_that_cannot_be_written_is_named_before_the_search() {
    let folder = Folder::new("analyze-unwritable");
    folder.write("a.csa", GAME);
    fs::create_dir(folder.file("there")).expect("it can be made");
    let read = "a.csa is read and would be overwritten";
    for (option, out, words, status) in [
        (
            "--html",
            "nowhere/a.html",
            "nowhere/a.html cannot be written",
            1,
        ),
        (
            "--kif",
            "nowhere/a.kif",
            "nowhere/a.kif cannot be written",
            1,
        ),
        ("--html", "there", "there is a folder", 1),
        ("--html", "a.csa", read, 2),
        ("--kif", "./a.csa", read, 2),
        ("--json", "./a.csa", read, 2),
    ] {
        // The search would take an hour.
        let command = raicho!(folder, "analyze a.csa --time 600s {option} {out} --hash 1");
        let output = command.output();
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{errors}");
        assert!(errors.contains(words), "{option} {out}: {errors}");
    }
    let output = raicho!(
        folder,
        "analyze a.csa --nodes 5 --kif b.kif --json b.kif --hash 1"
    )
    .output();
    assert!(text(&output.stderr).contains("b.kif is the name of two outputs"));
    let kept = folder.text("a.csa");
    assert_eq!(kept, GAME);
    let names = fs::read_dir(&folder.0).expect("the folder is there");
    assert_eq!(names.count(), 2, "nothing half written is left");
}

#[test]
fn a_page_carries_the_engine_of_a_folder() {
    let folder = Folder::new("analyze-engine");
    folder.write("a.csa", GAME);
    let words = "analyze a.csa --nodes 5 --html a.html --with-engine pkg --hash 1";
    let output = raicho!(folder, "{words}").output();
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(
        errors.contains("raicho.page.js") && errors.contains("web/build.sh"),
        "{errors}"
    );

    fs::create_dir(folder.file("pkg")).expect("it can be made");
    folder.write("pkg/raicho.page.js", "const Raicho = 7;");
    let output = raicho!(folder, "{words}").output();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let page = folder.text("a.html");
    assert!(page.contains("<script>\nconst Raicho = 7;</script>"));
}

#[test]
fn threads_that_do_not_fit_into_memory_are_refused() {
    let folder = Folder::new("analyze-memory");
    folder.write("a.csa", GAME);
    let output = raicho!(folder, "analyze a.csa --hash 100000000 --threads 500").output();
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    // No more threads than positions.
    assert!(errors.contains("7 threads need 700000770 MB"), "{errors}");
}

#[cfg(unix)]
#[test]
fn a_link_is_written_through() {
    let folder = Folder::new("analyze-link");
    folder.write("a.csa", GAME);
    folder.write("b.json", "old");
    let link = folder.file("link.json");
    std::os::unix::fs::symlink("b.json", &link).expect("it can be made");
    let output = raicho!(folder, "analyze a.csa --nodes 5 --json link.json --hash 1").output();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let is_link = fs::symlink_metadata(&link).is_ok_and(|data| data.is_symlink());
    assert!(is_link, "the link is still one");
    assert_eq!(json(&folder, "b.json")["winner"], "white");
}

#[test]
fn odd_files_of_a_folder_are_named_or_read() {
    let folder = Folder::new("analyze-odd");
    let many = "2h3h 8b7b 3h2h 7b8b ".repeat(250);
    let nine = "手合割：九枚落ち\n手数----指手--\n   1 ４二玉(51)\n   2 ７六歩(77)\n";
    let utf_16: Vec<u8> = std::iter::once(0xfeff)
        .chain(nine.encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    for (name, content) in [
        ("empty.kif", b"".as_slice()),
        ("zeros.kif", &[0; 100]),
        ("half.jkf", b"{\"moves\":[{"),
        (
            "illegal.kif",
            "手合割：平手\n手数----指手--\n   1 ２二飛(28)\n".as_bytes(),
        ),
        ("nine.kif", &utf_16),
        ("none.usi", b"startpos"),
        ("thousand.usi", format!("startpos moves {many}").as_bytes()),
    ] {
        fs::write(folder.file(name), content).expect("it can be written");
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink(".", folder.file("circle")).expect("it can be made");
    let output = raicho!(
        folder,
        "analyze . --nodes 5 --json out/ --html all.html --hash 1"
    )
    .output();
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    for words in [
        "skipped: ./empty.kif: the file is empty",
        "skipped: ./zeros.kif: line 1: no game",
        "skipped: ./half.jkf: EOF",
        "skipped: ./illegal.kif: line 3: '２二飛(28)', move 1, is illegal",
        "error: 4 games could not be read",
    ] {
        assert!(errors.contains(words), "{words} in {errors}");
    }
    assert_eq!(errors.matches("skipped").count(), 4, "{errors}");
    for (name, moves) in [("nine", 2), ("none", 0), ("thousand", 1000)] {
        let game = json(&folder, &format!("out/{name}.json"));
        let found = game["moves"].as_array().map(Vec::len);
        assert_eq!(found, Some(moves), "{name}");
    }
    let page = folder.text("all.html");
    assert!(
        page.contains("\"start\":\"3gk4/9/ppppppppp"),
        "the handicap"
    );
}

#[test]
fn tables_are_in_japanese_too() {
    let folder = Folder::new("analyze-japanese");
    folder.write("a.csa", GAME);
    let output = raicho!(folder, "analyze a.csa --depth 2 --lang ja --hash 1").output();
    let shown = text(&output.stdout);
    let lines: Vec<&str> = shown.lines().collect();
    let heading = "手数  指し手           時間    評価値   勝率%   損失  判定        最善の読み筋";
    assert_eq!(lines[0], heading);
    assert!(
        lines[1].starts_with("   1  ▲７六歩         0:03  "),
        "{shown}"
    );
    assert!(lines[3].contains("  -  "), "no time is known: {shown}");
    assert_eq!(lines[7], "まで6手で後手の勝ち（投了）");
    let heading = "対局者                    手数  一致率  平均損失";
    assert!(lines[9].starts_with(heading), "{shown}");
    assert!(lines[10].starts_with("☗ </script>  "), "{shown}");
}

#[test]
fn summaries_say_how_the_game_ended_and_what_is_unknown() {
    let folder = Folder::new("analyze-endings");
    let again = "5i5h 5a5b 5h5i 5b5a ".repeat(3);
    let lines = format!("startpos moves {again}\nstartpos moves 7g7f\nstartpos\n");
    folder.write("a.usi", &lines);
    let output = raicho!(
        folder,
        "analyze a.usi --nodes 50 --summary --html a.html --hash 1"
    )
    .output();
    let shown = text(&output.stdout);
    for words in [
        "a.usi, game 1\ndraw after 12 moves (repetition)\nplayer",
        "a.usi, game 2\nno result after 1 move (no ending recorded)\nplayer",
    ] {
        assert!(shown.contains(words), "{shown}");
    }
    let players = shown.lines().filter(|line| line.starts_with(['☗', '☖']));
    for line in players {
        assert!(line.ends_with("  -"), "no time is known: {shown}");
    }
    assert!(
        shown.contains("      0       -"),
        "no moves, no share: {shown}"
    );
    let output = raicho!(folder, "analyze a.usi --nodes 50 --json - --hash 1").output();
    let games: Value = serde_json::from_slice(&output.stdout).expect("JSON alone");
    let [drawn, short, _] = &games.as_array().expect("games")[..] else {
        panic!("three games");
    };
    assert_eq!(drawn["black_win_chances"][12], 0.5);
    assert_eq!(drawn["positions"][12]["lines"][0]["score"]["cp"], 0);
    assert_eq!(drawn["summary"]["black"]["time"], Value::Null);
    assert_eq!(short["summary"]["white"]["agreement"], Value::Null);
    let page = folder.text("a.html");
    assert_eq!(page.matches("\"ruled\":true").count(), 1);
}

#[test]
fn records_are_found_by_name_and_by_content_in_their_encoding() {
    let folder = Folder::new("analyze-named");
    let game = "'CSA encoding=SHIFT_JIS\nN+羽生善治\nN-藤井聡太\nPI\n+\n+7776FU\n%TORYO\n";
    let bytes = encode_shift_jis(game).expect("letters of CP932");
    fs::write(folder.file("a.csa"), bytes).expect("it can be written");
    for (name, text) in [
        ("b.csa", "+\n+7776FU\n%TORYO\n"),
        ("c.kif", "V1000の対局\n   1 ７六歩(77)\n   2 投了\n"),
        ("d.kif", "V2.2\nPI\n+\n+7776FU\n%TORYO\n"),
    ] {
        folder.write(name, text);
    }
    let output = raicho!(folder, "analyze . --nodes 50 --json out/ --hash 1").output();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let read = |name: &str| json(&folder, &format!("out/{name}.json"));
    assert_eq!(read("a")["players"][0], "羽生善治");
    assert_eq!(read("a")["players"][1], "藤井聡太");
    for name in ["b", "c", "d"] {
        assert_eq!(read(name)["moves"].as_array().map(Vec::len), Some(1));
    }
}

#[test]
fn one_game_goes_to_a_file_with_its_scores() {
    let folder = Folder::new("analyze-one");
    folder.write("a.csa", GAME);
    let files = "--json a.json --html a.html";
    let output = raicho!(folder, "analyze a.csa --nodes 300 {files} --hash 1").output();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let game = json(&folder, "a.json");
    assert_eq!(game["winner"], "white");
    assert_eq!(game["moves"].as_array().map(Vec::len), Some(6));
    assert_eq!(game["positions"].as_array().map(Vec::len), Some(7));
    assert_eq!(game["summary"]["black"]["moves"], 3);
    assert_eq!(game["moves"][0]["time"], 3.0);
    assert_eq!(game["summary"]["black"]["time"], 3.0);
    assert!(game["positions"][0]["lines"][0]["time"].is_f64(), "seconds");

    let page = folder.text("a.html");
    assert!(page.contains("\\u003c/script\\u003e") && page.len() < 200_000);
    assert!(page.contains("<title>☗ &lt;/script&gt;"));
    let shown = text(&output.stdout);
    assert!(
        shown.contains("7g7f") && shown.contains("blunders"),
        "{shown}"
    );
}

#[test]
fn threads_change_nothing() {
    let folder = Folder::new("analyze-threads");
    folder.write("a.csa", GAME);
    let run = |more: &str| {
        let words = format!("analyze a.csa --nodes 400 --json - --hash 1 --threads {more}");
        let printed = raicho!(folder, "{words}").stdout();
        without_times(serde_json::from_str(&printed).expect("JSON alone"))
    };
    let one = run("1");
    assert_eq!(run("2"), one);
}

#[test]
fn lines_are_games_where_all_have_moves() {
    let folder = Folder::new("analyze-lines");
    folder.write(
        "games.txt",
        "startpos moves 7g7f 3c3d\nstartpos moves 2g2f\n",
    );
    let games = raicho!(folder, "analyze games.txt --depth 1 --hash 1").output();
    assert!(
        text(&games.stdout).contains("games.txt, game 2"),
        "{}",
        text(&games.stdout)
    );
    let positions = raicho!(folder, "analyze games.txt --depth 1 --positions --hash 1").output();
    assert_eq!(text(&positions.stdout).matches("best move").count(), 2);
}

#[test]
fn a_bad_position_is_named_by_its_line() {
    let folder = Folder::new("analyze-bad-position");
    let good = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    let short = good.replace("LNSGKGSNL", "LNSGKGSN");
    for (name, content, more, words) in [
        (
            "second.sfen",
            format!("{good}\n{short}\n"),
            "1",
            "second.sfen line 2: ",
        ),
        (
            "first.sfen",
            format!("{short}\n{good}\n"),
            "1",
            "first.sfen line 1: ",
        ),
        (
            "ranks.sfen",
            format!("# eight ranks\n9/9/9/9/9/9/9/9 b - 1\n{good}\n"),
            "1",
            "board has 8 ranks",
        ),
        (
            "alone.sfen",
            "hello\n".to_owned(),
            "0",
            "alone.sfen line 1: 'hello' has 1 field,",
        ),
    ] {
        folder.write(name, &content);
        let output = raicho!(folder, "analyze {name} --depth 1 --positions --hash 1").output();
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{errors}");
        assert!(errors.contains(words), "{words} in {errors}");
        let one = format!("error: 1 position of {name} could not be analyzed");
        assert!(errors.contains(&one), "{errors}");
        let found = text(&output.stdout).matches("best move").count();
        assert_eq!(found.to_string(), more, "{name}");
    }
    let output = raicho!(folder, "analyze first.sfen --depth 1 --hash 1").output();
    assert!(text(&output.stderr).contains("first.sfen line 1: "));
}

#[test]
fn options_that_cannot_be_met_are_faults_of_the_command_line() {
    let folder = Folder::new("analyze-options");
    folder.write("a.usi", "startpos moves 7g7f\n");
    for (words, fault) in [
        (
            "a.usi --positions --html a.html",
            "--html is for games, and these are positions",
        ),
        ("a.usi --positions --json -", "--json is for games"),
        (
            "a.usi --doubtful 30",
            "--doubtful of version 1 is gone: it is 10 %",
        ),
    ] {
        let output = raicho!(folder, "analyze {words} --nodes 5 --hash 1").output();
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(errors.contains(fault), "{errors}");
    }
}

#[test]
fn files_are_written_although_nobody_reads_the_table() {
    let folder = Folder::new("analyze-closed");
    folder.write("a.usi", &"startpos moves 7g7f\n".repeat(3));
    let words = "analyze a.usi --nodes 5 --hash 1 --html a.html --json out/";
    let mut command = raicho!(folder, "{words}").command();
    command.stdout(Stdio::piped());
    let mut child = command.spawn().expect("raicho runs");
    drop(child.stdout.take());
    assert!(child.wait().expect("it ends").success());
    assert!(folder.file("a.html").exists(), "the page");
    for number in 1..=3 {
        let name = format!("out/a-{number}.json");
        assert!(folder.file(&name).exists(), "{name}");
    }
}

#[test]
fn names_command_no_terminal_and_sides_stand_for_missing_ones() {
    let folder = Folder::new("analyze-names");
    let game = "V2.2\nN+\u{1b}[31mRED\u{7}\nPI\n+\n+7776FU\n%TORYO\n";
    folder.write("a.csa", game);
    let output = raicho!(folder, "analyze a.csa --nodes 5 --html a.html --hash 1").output();
    let shown = text(&output.stdout);
    assert!(!shown.contains(['\u{1b}', '\u{7}']), "{shown:?}");
    assert!(shown.contains("\n☗  [31mRED  ") && shown.contains("\n☖ white  "));
    let page = folder.text("a.html");
    assert!(page.contains("– ☖ white</title>"), "the title");
}

#[test]
fn a_missed_mate_that_is_a_blunder_is_both() {
    let folder = Folder::new("analyze-both");
    let game = "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b 1 moves 5i5h 5a6b 5h5g\n";
    folder.write("a.usi", game);
    let output = raicho!(folder, "analyze a.usi --nodes 500 --threads 1 --hash 1").output();
    let shown = text(&output.stdout);
    assert!(shown.contains("  ?? mate 1  "), "{shown}");
}

#[test]
fn records_keep_what_their_format_has_room_for() {
    let folder = Folder::new("analyze-kept");
    let game = "手合割：平手\n備考：あり\n   1 ７六歩(77)\n**注意：定跡\n** 30 -3334FU\n   2 投了\n\
        変化：1手\n   1 ２六歩(27)\n";
    folder.write("a.kifu", game);
    raicho!(folder, "analyze a.kifu --nodes 50 --kif b.kif --hash 1").outputs();
    // As `convert` does, by the extension.
    let kif = folder.bytes("b.kif");
    assert!(std::str::from_utf8(&kif).is_err(), "Shift JIS");

    for (from, to, nodes) in [("a.kifu", "b.kifu", "50"), ("b.kifu", "c.kifu", "60")] {
        let words = format!("analyze {from} --nodes {nodes} --kif {to} --hash 1");
        raicho!(folder, "{words}").outputs();
    }
    let again = folder.text("c.kifu");
    assert_eq!(again.matches("**エンジン").count(), 1, "{again}");
    assert_eq!(again.matches("**解析").count(), 2, "{again}");
    assert!(
        again.contains("備考：あり") && again.contains("変化：1手"),
        "{again}"
    );
}

#[test]
fn several_games_need_a_folder_and_have_stable_names() {
    let folder = Folder::new("analyze-several");
    for name in ["x.csa", "x.txt", "y.csa"] {
        folder.write(name, GAME);
    }
    folder.write("there.kif", "mine");
    let words = "analyze x.txt x.csa y.csa --nodes 5 --hash 1";
    for (option, out, fault) in [
        ("--kif", "a.kif", "--kif a.kif: 3 games need a folder"),
        (
            "--kif",
            "there.kif",
            "--kif there.kif: 3 games need a folder",
        ),
        ("--json", "a.json", "expected for example a/"),
        (
            "--kif",
            "-",
            "--kif -: only --json writes to standard output",
        ),
        (
            "--html",
            "-",
            "--html -: only --json writes to standard output",
        ),
    ] {
        let output = raicho!(folder, "{words} {option} {out}").output();
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(errors.contains(fault), "{fault} in {errors}");
        assert!(!folder.file("a.kif").exists() && !folder.file("-").exists());
    }
    raicho!(folder, "{words} --kif out").outputs();
    for name in ["x.txt.kifu", "x.csa.kifu", "y.kifu"] {
        assert!(folder.file("out").join(name).exists(), "{name}");
    }
}

/// The text of a bad problem is in the message once, shortened.
#[test]
fn a_bad_problem_is_quoted_once() {
    let folder = Folder::new("mate-bad-problem");
    folder.write("zeros.txt", &"0".repeat(5000));
    let output = raicho!(folder, "mate zeros.txt").output();
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("zeros.txt line 1: '0000"), "{errors}");
    assert_eq!(errors.matches("0000...'").count(), 1, "{errors}");
}

#[test]
fn completions_and_manual_pages_know_the_subcommands() {
    let folder = Folder::new("completions");
    let run = |words: &str| raicho!(folder, "{words}").stdout();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(
            run(&format!("completions {shell}")).contains("analyze"),
            "{shell}"
        );
    }
    let names = "csa kif kifu ki2 ki2u jkf usi psv";
    assert!(run("completions bash").contains(names), "formats");
    assert!(run("completions bash").contains("\"ja en\""), "languages");
    let page = run("man");
    assert!(page.contains("raicho\\-analyze") && !page.contains("raicho\\-help"));
    run("man pages");
    let page = folder.text("pages/raicho-analyze.1");
    assert!(page.contains("\\-\\-html"), "{page}");
    let version = concat!("\"raicho ", env!("CARGO_PKG_VERSION"), "\"");
    assert!(page.contains(version), "{page}");
}
