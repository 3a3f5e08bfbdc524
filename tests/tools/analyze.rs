//! `raicho analyze` on games: what is read, what is written, and what an interruption keeps.

use serde_json::Value;

use crate::folder::Folder;
use crate::runner::{Raicho, Text, all_fail, raicho};
use raicho::lang::width;
use raicho::records::encoding::encode_shift_jis;

const GAME: &str = "V2.2\nN+</script>\nN-\"b\"\nPI\n+\n+7776FU\nT3\n-3334FU\nT5\n+8822UM\n-3122GI\n\
    +0045KA\n-4132KI\n%TORYO\n";

fn folder_with_game() -> Folder {
    let folder = Folder::new();
    folder.write("a.csa", GAME);
    folder
}

fn analyze(folder: &Folder, words: &str) -> Raicho {
    Raicho::new(&format!("analyze --hash 1 {words}")).within(folder)
}

/// The JSON without what differs from run to run.
fn without_times(mut game: Value) -> Value {
    for position in game["positions"].as_array_mut().expect("positions") {
        for line in position["lines"].as_array_mut().expect("lines") {
            line["time"] = Value::Null;
        }
    }
    game
}

#[test]
fn results_in_a_folder_are_not_analysed_again() {
    let folder = folder_with_game();
    for _ in 0..2 {
        analyze(&folder, ". --nodes 1 --kif out/ --summary").outputs();
        assert_eq!(folder.names("out").len(), 1);
    }
}

#[test]
fn a_broken_game_is_named_and_skipped() {
    let folder = folder_with_game();
    folder.write("b.csa", "V2.2\nPI\n+\n+7775FU\n");
    folder.write("c.usi", "startpos moves 7g7f\nstartpos moves 7g7e\n");
    let errors = analyze(&folder, ". --nodes 50 --json out").fails(1, "b.csa: ");
    errors.must_have("+7775FU").must_have("7g7e");
    errors.must_have("c.usi: game 2: line 2: ");
    assert_eq!(folder.names("out"), ["a.json", "c-1.json"]);
    assert_eq!(folder.json("out/a.json")["players"][0], "</script>");
}

#[test]
fn output_that_cannot_be_written_is_named_before_the_search() {
    let folder = folder_with_game();
    folder.make("there");
    // The search would take an hour.
    let long = "a.csa --time 600s";
    for (out, words, code) in cases! {
        "--html nowhere/a.html", "nowhere/a.html cannot be written" => 1;
        "--kif nowhere/a.kif", "nowhere/a.kif cannot be written" => 1;
        "--html there", "there is a folder" => 1;
        "--html a.csa", "a.csa is read and would be overwritten" => 2;
        "--kif ./a.csa", "a.csa is read and would be overwritten" => 2;
        "--json ./a.csa", "a.csa is read and would be overwritten" => 2;
    } {
        analyze(&folder, &format!("{long} {out}")).fails(code, words);
    }
    let twice = analyze(&folder, "a.csa --nodes 5 --kif b.kif --json b.kif");
    twice.refuses("b.kif is the name of two outputs");
    assert_eq!(folder.text("a.csa"), GAME);
    // Nothing half written is left.
    assert_eq!(folder.names("."), ["a.csa", "there"]);
}

#[test]
fn a_page_carries_the_engine_of_a_folder() {
    let folder = folder_with_game();
    let words = "a.csa --nodes 5 --html a.html --with-engine pkg";
    analyze(&folder, words).fails(1, "raicho.page.js").must_have("web/build.sh");
    folder.write("pkg/raicho.page.js", "const Raicho = 7;");
    analyze(&folder, words).outputs();
    folder.text("a.html").must_have("<script>\nconst Raicho = 7;</script>");
}

#[test]
fn threads_that_do_not_fit_into_memory_are_refused() {
    let folder = folder_with_game();
    // No more threads than positions.
    raicho!(folder, "analyze a.csa --hash 100000000 --threads 500")
        .fails(1, "7 threads need 700000770 MB");
}

#[cfg(unix)]
#[test]
fn a_link_is_written_through() {
    let folder = folder_with_game();
    folder.write("b.json", "old");
    let link = folder.file("link.json");
    std::os::unix::fs::symlink("b.json", &link).expect("it can be made");
    analyze(&folder, "a.csa --nodes 5 --json link.json").outputs();
    assert!(link.is_symlink(), "the link is still one");
    assert_eq!(folder.json("b.json")["winner"], "white");
}

#[test]
fn odd_files_of_a_folder_are_named_or_read() {
    let folder = Folder::new();
    let many = "2h3h 8b7b 3h2h 7b8b ".repeat(250);
    let nine = "手合割：九枚落ち\n手数----指手--\n   1 ４二玉(51)\n   2 ７六歩(77)\n";
    let utf_16 = std::iter::once(0xfeff).chain(nine.encode_utf16());
    folder.write("empty.kif", "");
    folder.write("zeros.kif", [0; 100]);
    folder.write("half.jkf", "{\"moves\":[{");
    let part = "手合割：平手\n手数----指手--\n   1 ２二飛(28)\n";
    folder.write("illegal.kif", part);
    folder.write("nine.kif", utf_16.flat_map(u16::to_le_bytes).collect::<Vec<u8>>());
    folder.write("none.usi", "startpos");
    folder.write("thousand.usi", format!("startpos moves {many}"));
    #[cfg(unix)]
    std::os::unix::fs::symlink(".", folder.file("circle")).expect("it can be made");
    let errors = analyze(&folder, ". --nodes 5 --json out/ --html all.html")
        .fails(1, "error: 4 games could not be read");
    for words in [
        "skipped: ./empty.kif: the file is empty",
        "skipped: ./zeros.kif: line 1: no game",
        "skipped: ./half.jkf: EOF",
        "skipped: ./illegal.kif: line 3: '２二飛(28)', move 1, is illegal",
    ] {
        errors.must_have(words);
    }
    assert_eq!(errors.matches("skipped").count(), 4, "{errors}");
    for (name, moves) in [("nine", 2), ("none", 0), ("thousand", 1000)] {
        let game = folder.json(&format!("out/{name}.json"));
        let found = game["moves"].as_array().map(Vec::len);
        assert_eq!(found, Some(moves), "{name}");
    }
    // The handicap.
    folder.text("all.html").must_have("\"start\":\"3gk4/9/ppppppppp");
}

#[test]
fn tables_are_in_japanese_too() {
    let shown = analyze(&folder_with_game(), "a.csa --depth 2 --lang ja").stdout();
    let lines: Vec<&str> = shown.lines().collect();
    lines[0].must_begin("手数  指し手").must_have("  消費時間  ").must_have("  最善の読み筋");
    lines[1].must_begin("   1  ▲７六歩  ").must_have("  0:03  ");
    // No time is known.
    lines[3].must_have("  -  ");
    let end = lines.iter().position(|line| *line == "戦型：筋違い角").expect("the opening");
    // Below the moves stands what the mistakes did.
    assert!(lines[7..end].iter().all(|line| line.starts_with("   ")), "{shown}");
    assert_eq!(lines[end + 1], "まで6手で後手の勝ち（投了）");
    lines[end + 3].must_begin("対局者  ").must_have("  手数  一致率  損失(点)  損失(%)  ");
    lines[end + 4].must_begin("▲</script>  ");
    for line in lines {
        assert!(width(line) <= 80, "wider than a terminal: {line}");
    }
}

#[test]
fn times_that_no_move_has_take_no_column() {
    let folder = Folder::new();
    folder.write("a.usi", "startpos moves 7g7f 3c3d");
    let shown = analyze(&folder, "a.usi --depth 2").stdout();
    let lines: Vec<&str> = shown.lines().collect();
    lines[0].must_have("ply  move  score  win %  loss").must_have("best line");
    lines[1].must_begin("  1  7g7f  ");
    assert!(lines.iter().all(|line| width(line) <= 80), "{shown}");
}

#[test]
fn positions_are_said_in_japanese_with_the_score_of_black() {
    for (sfen, expected) in cases! {
        "4k4/4G4/4P4/9/9/9/9/9/9 w - 1" => "後手玉は詰んでいます\n";
        "k8/2G6/1G7/9/9/9/9/9/9 w - 1" => "合法手がありません（後手の負け）\n";
        "4k4/9/4P4/9/9/9/9/9/9 b G 1" => "1. 先手の勝ち（1手で詰み）\n";
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/7R1/LNSGKGSNL w - 1" => "（評価値 -";
    } {
        raicho!("analyze --sfen '{sfen}' --depth 3 --lang ja").prints(expected);
    }
}

#[test]
fn summaries_say_how_the_game_ended_and_what_is_unknown() {
    let folder = Folder::new();
    let again = "5i5h 5a5b 5h5i 5b5a ".repeat(3);
    let words = format!("startpos moves {again}\nstartpos moves 7g7f\nstartpos\n");
    folder.write("a.usi", words);
    let shown = analyze(&folder, "a.usi --nodes 50 --summary --html a.html").stdout();
    shown.must_have("a.usi, game 1\ndraw after 12 moves (repetition)\nplayer");
    shown.must_have("a.usi, game 2\nno result after 1 move (no ending recorded)\nplayer");
    for line in shown.lines().filter(|line| line.starts_with(['▲', '△'])) {
        assert!(line.ends_with("  -"), "no time is known: {shown}");
    }
    // No moves, no share.
    shown.must_have("      0     -");
    let printed = analyze(&folder, "a.usi --nodes 50 --json -").stdout();
    let games: Vec<Value> = serde_json::from_str(&printed).expect("JSON alone");
    let [drawn, short, _] = &games[..] else {
        panic!("three games");
    };
    assert_eq!(drawn["black_win_chances"][12], 0.5);
    assert_eq!(drawn["positions"][12]["lines"][0]["score"]["cp"], 0);
    assert_eq!(drawn["summary"]["black"]["time"], Value::Null);
    assert_eq!(short["summary"]["white"]["agreement"], Value::Null);
    assert_eq!(folder.text("a.html").matches("\"ruled\":true").count(), 1);
}

#[test]
fn records_are_found_by_name_and_by_content_in_their_encoding() {
    let folder = Folder::new();
    let game = "'CSA encoding=SHIFT_JIS\nN+羽生善治\nN-藤井聡太\nPI\n+\n+7776FU\n%TORYO\n";
    folder.write("a.csa", encode_shift_jis(game).expect("characters of CP932"));
    folder.write("b.csa", "+\n+7776FU\n%TORYO\n");
    folder.write("c.kif", "V1000の対局\n   1 ７六歩(77)\n   2 投了\n");
    folder.write("d.kif", "V2.2\nPI\n+\n+7776FU\n%TORYO\n");
    analyze(&folder, ". --nodes 50 --json out/").outputs();
    let read = |name: &str| folder.json(&format!("out/{name}.json"));
    assert_eq!(read("a")["players"][0], "羽生善治");
    assert_eq!(read("a")["players"][1], "藤井聡太");
    for name in ["b", "c", "d"] {
        assert_eq!(read(name)["moves"].as_array().map(Vec::len), Some(1));
    }
}

#[test]
fn one_game_goes_to_a_file_with_its_scores() {
    let folder = folder_with_game();
    let files = "--json a.json --html a.html";
    let shown = analyze(&folder, &format!("a.csa --nodes 300 {files}")).prints("7g7f");
    shown.must_have("blunders");
    let game = folder.json("a.json");
    assert_eq!(game["winner"], "white");
    assert_eq!(game["moves"].as_array().map(Vec::len), Some(6));
    assert_eq!(game["positions"].as_array().map(Vec::len), Some(7));
    assert_eq!(game["summary"]["black"]["moves"], 3);
    assert_eq!(game["moves"][0]["time"], 3.0);
    assert_eq!(game["summary"]["black"]["time"], 3.0);
    assert!(game["positions"][0]["lines"][0]["time"].is_f64(), "seconds");

    assert_eq!(game["opening"]["en"], "Wrong-Diagonal Bishop");
    assert_eq!(game["opening"]["ply"], 5);
    assert_eq!(game["castles"], serde_json::json!([null, null]));

    let page = folder.text("a.html");
    page.must_have("\"formations\":{\"opening\":{\"ja\":\"筋違い角\"");
    assert!(page.contains("\\u003c/script\\u003e") && page.len() < 200_000);
    page.must_have("<title>☗ &lt;/script&gt;");
}

#[test]
fn castles_are_named_and_the_opening_becomes_a_heading() {
    let folder = Folder::new();
    let rows = "   1 ７六歩(77)\n   2 ３四歩(33)\n   3 ２六歩(27)\n   4 ４四歩(43)\n   5 ４八銀(39)\n   \
                6 ４二飛(82)\n   7 ５八金(49)\n   8 ６二玉(51)\n   9 ６八玉(59)\n  10 ７二玉(62)\n  \
                11 ７八玉(68)\n  12 投了\n";
    folder.write("a.kif", format!("手合割：平手\n{rows}"));
    folder.write("b.kif", format!("手合割：平手\n戦型：振り飛車\n{rows}"));
    let shown = analyze(&folder, ". --nodes 5 --summary --kif out/ --lang ja").stdout();
    shown.must_have("戦型：四間飛車\n先手：居飛車、舟囲い（11手目）\n後手：振り飛車\n");
    folder.text("out/a.kifu").must_have("戦型：四間飛車");
    let named = folder.text("out/b.kifu");
    assert_eq!(named.matches("戦型：").count(), 1, "{named}");
    named.must_have("戦型：振り飛車");
}

#[test]
fn threads_change_nothing() {
    let folder = folder_with_game();
    let run = |more: &str| {
        let words = format!("a.csa --nodes 400 --json - --threads {more}");
        let printed = analyze(&folder, &words);
        without_times(serde_json::from_str(&printed.stdout()).expect("JSON alone"))
    };
    let one = run("1");
    assert_eq!(run("2"), one);
}

#[test]
fn lines_are_games_where_all_have_moves() {
    let folder = Folder::new();
    let text = "startpos moves 7g7f 3c3d\nstartpos moves 2g2f\n";
    folder.write("games.txt", text);
    analyze(&folder, "games.txt --depth 1").prints("games.txt, game 2");
    let positions = analyze(&folder, "games.txt --depth 1 --positions").stdout();
    assert_eq!(positions.matches("best move").count(), 2);
}

#[test]
fn a_bad_position_is_named_by_its_line() {
    let folder = Folder::new();
    let good = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    let short = good.replace("LNSGKGSNL", "LNSGKGSN");
    let ranks = format!("# eight ranks\n9/9/9/9/9/9/9/9 b - 1\n{good}\n");
    let mixed = format!("# two positions\nstartpos moves 7g7f\nnonsense b - 1\n{good}\n");
    let cases = cases! {
        "second.sfen", format!("{good}\n{short}\n"), 1 => "second.sfen line 2: ";
        "first.sfen", format!("{short}\n{good}\n"), 1 => "first.sfen line 1: ";
        "ranks.sfen", ranks, 1 => "board has 8 ranks";
        "mixed.sfen", mixed, 2 => "mixed.sfen line 3: 'nonsense b - 1'";
        "alone.sfen", "hello\n".to_owned(), 0 => "alone.sfen line 1: 'hello' has 1 field,";
    };
    for (name, content, count, words) in cases {
        folder.write(name, content);
        let [shown, errors] =
            analyze(&folder, &format!("{name} --depth 1 --positions")).ends_with(1);
        errors.must_have(words);
        errors.must_have(format!("error: 1 position of {name} could not be analyzed"));
        assert_eq!(shown.matches("best move").count(), count, "{name}");
    }
    analyze(&folder, "first.sfen --depth 1").refuses("first.sfen line 1: ");
}

#[test]
fn options_that_cannot_be_met_are_faults_of_the_command_line() {
    let folder = Folder::new();
    folder.write("a.usi", "startpos moves 7g7f\n");
    #[rustfmt::skip]
    all_fail(&folder, 2, "analyze --nodes 5 --hash 1", &[
        ("a.usi --positions --html a.html", "--html is for games, and these are positions"),
        ("a.usi --positions --json -", "--json is for games"),
        ("a.usi --doubtful 30", "--doubtful of version 1 is gone: it is 10 %"),
    ]);
}

#[test]
fn files_are_written_although_nobody_reads_the_table() {
    let folder = Folder::new();
    folder.write("a.usi", "startpos moves 7g7f\n".repeat(3));
    assert!(analyze(&folder, "a.usi --nodes 5 --html a.html --json out/").unread());
    assert!(folder.has("a.html"), "the page");
    assert_eq!(folder.names("out"), ["a-1.json", "a-2.json", "a-3.json"]);
}

#[test]
fn names_command_no_terminal_and_sides_stand_for_missing_ones() {
    let folder = Folder::new();
    let words = "V2.2\nN+\u{1b}[31mRED\u{7}\nPI\n+\n+7776FU\n%TORYO\n";
    folder.write("a.csa", words);
    let shown = analyze(&folder, "a.csa --nodes 5 --html a.html").stdout();
    assert!(!shown.contains(['\u{1b}', '\u{7}']), "{shown:?}");
    shown.must_have("\n▲ [31mRE").must_have("\n△white  ");
    folder.text("a.html").must_have("– ☖ white</title>");
}

#[test]
fn a_missed_mate_that_is_a_blunder_is_both() {
    let folder = Folder::new();
    let game = "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b 1 moves 5i5h 5a6b 5h5g\n";
    folder.write("a.usi", game);
    analyze(&folder, "a.usi --nodes 500 --threads 1").prints("  ??? mate 1  ");
}

#[test]
fn records_keep_what_their_format_has_room_for() {
    let folder = Folder::new();
    let game = "手合割：平手\n備考：あり\n   1 ７六歩(77)\n**注意：定跡\n** 30 -3334FU\n   2 投了\n\
        変化：1手\n   1 ２六歩(27)\n";
    folder.write("a.kifu", game);
    analyze(&folder, "a.kifu --nodes 50 --kif b.kif").outputs();
    // As `convert` does, by the extension.
    let kif = String::from_utf8(folder.bytes("b.kif"));
    assert!(kif.is_err(), "Shift JIS");

    analyze(&folder, "a.kifu --nodes 50 --kif b.kifu").outputs();
    analyze(&folder, "b.kifu --nodes 60 --kif c.kifu").outputs();
    let again = folder.text("c.kifu");
    assert_eq!(again.matches("**エンジン").count(), 1, "{again}");
    assert_eq!(again.matches("**解析").count(), 2, "{again}");
    again.must_have("備考：あり").must_have("変化：1手");
}

#[test]
fn several_games_need_a_folder_and_have_stable_names() {
    let folder = Folder::new();
    for name in ["x.csa", "x.txt", "y.csa"] {
        folder.write(name, GAME);
    }
    folder.write("there.kif", "mine");
    let words = "analyze --hash 1 x.txt x.csa y.csa --nodes 5";
    #[rustfmt::skip]
    all_fail(&folder, 2, words, &[
        ("--kif a.kif", "--kif a.kif: 3 games need a folder"),
        ("--kif there.kif", "--kif there.kif: 3 games need a folder"),
        ("--json a.json", "expected for example a/"),
        ("--kif -", "--kif -: only --json writes to standard output"),
        ("--html -", "--html -: only --json writes to standard output"),
    ]);
    assert!(!folder.has("a.kif") && !folder.has("-"));
    raicho!(folder, "{words} --kif out").outputs();
    assert_eq!(folder.names("out"), ["x.csa.kifu", "x.txt.kifu", "y.kifu"]);
}

/// The text of a bad problem is in the message once, shortened.
#[test]
fn a_bad_problem_is_quoted_once() {
    let folder = Folder::new();
    folder.write("zeros.txt", "0".repeat(5000));
    let errors = raicho!(folder, "mate zeros.txt").fails(1, "zeros.txt line 1: '0000");
    assert_eq!(errors.matches("0000...'").count(), 1, "{errors}");
}

#[test]
fn completions_and_manual_pages_know_the_subcommands() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        raicho!("completions {shell}").prints("analyze");
    }
    // Formats, and languages.
    let bash = raicho!("completions bash").prints("csa kif kifu ki2 ki2u jkf usi psv");
    bash.must_have("\"ja en\"");
    raicho!("man").prints("raicho\\-analyze").must_lack("raicho\\-help");
    raicho!(folder, "man pages").outputs();
    let page = folder.text("pages/raicho-analyze.1");
    page.must_have("\\-\\-html").must_have(concat!("\"raicho ", env!("CARGO_PKG_VERSION"), "\""));
}

#[test]
fn declarations_follow_the_rule_of_the_record_or_of_the_option() {
    let folder = Folder::new();
    let first_score = |heading: &str, option: &str| {
        let board = "P+81TO61TO41TO92TO82OU62TO52KI42KI22TO63KI43GI33KI23GI\nP-59OU\n\
            P+00HI00HI00KA00KA00GI00GI00KE00KE00KE00KE00KY00KY00KY00KY\n\
            P+00FU00FU00FU00FU00FU00FU00FU00FU00FU00FU00FU\n";
        folder.write("a.csa", format!("V2.2\n{heading}{board}+\n+5253KI\n"));
        analyze(&folder, &format!("a.csa --nodes 50 --json a.json {option}")).outputs();
        let game = folder.json("a.json");
        folder.remove("a.json");
        game["positions"][0]["lines"][0]["score"].to_string()
    };
    let declared = first_score("", "");
    assert_eq!(declared, first_score("$JISHOGI:27\n", ""));
    let rule = "--entering-king-rule CSARule27";
    assert_eq!(declared, first_score("$JISHOGI:なし\n", rule));
    let played = first_score("", "--entering-king-rule NoEnteringKing");
    assert_ne!(declared, played);
    assert_eq!(played, first_score("$JISHOGI:なし\n", ""));
}
