//! Long work as people run it: killed at any moment and resumed, or divided into shards, it results
//! in what it results in when it is done at a stretch.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::folder::Folder;

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_raicho"));
    command.args(arguments);
    command
}

/// Starts a run whose output nobody reads.
fn start(arguments: &[&str]) -> Child {
    command(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("raicho runs")
}

fn run(arguments: &[&str]) -> Output {
    let output = command(arguments).output().expect("raicho runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {errors}");
    output
}

fn stdout(arguments: &[&str]) -> String {
    String::from_utf8(run(arguments).stdout).expect("UTF-8")
}

/// Lines of a journal, or the size of another file that grows; 0 where there is none.
fn progress(path: &str) -> u64 {
    if Path::new(path)
        .extension()
        .is_some_and(|ending| ending == "jsonl")
    {
        fs::read_to_string(path).map_or(0, |text| text.matches('\n').count() as u64)
    } else {
        u64::from(Path::new(path).exists())
    }
}

/// Runs the command with `--resume` to its end, after kills when `journal` has reached each of
/// these lengths.
fn kill_and_resume(arguments: &[&str], first: &[&str], journal: &str, lengths: &[u64]) {
    for (index, &length) in lengths.iter().enumerate() {
        let last = if index == 0 { first } else { &["--resume"] };
        kill(arguments, last, journal, length);
    }
    run(&[arguments, &["--resume"]].concat());
}

/// Runs the command and kills it when `journal` has reached this length.
fn kill(arguments: &[&str], last: &[&str], journal: &str, length: u64) {
    let mut child = start(&[arguments, last].concat());
    let begun = Instant::now();
    while progress(journal) < length && begun.elapsed() < Duration::from_mins(2) {
        sleep(Duration::from_millis(2));
    }
    child.kill().expect("it runs, or has ended");
    child.wait().expect("it ends");
    assert!(progress(journal) >= length, "{}", progress(journal));
}

/// The entries of a journal as JSON without `fields`, in the order of `key`.
fn entries(folder: &Folder, journal: &str, key: &str, fields: &[&str]) -> Vec<Value> {
    let text = String::from_utf8(folder.bytes(journal)).expect("UTF-8");
    let mut entries: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    entries.sort_by_key(|entry| entry[key].as_u64());
    for entry in &mut entries {
        let object = entry.as_object_mut().expect("an object");
        for field in fields {
            object.remove(*field);
        }
    }
    entries
}

#[test]
fn a_match_at_fixed_nodes() {
    let folder = Folder::new("long-work-match");
    let engine = |name: &str| {
        let program = env!("CARGO_BIN_EXE_raicho").replace(',', r"\,");
        format!(
            "cmd={program},name={name},option.EvalFile=<material>,option.USI_Hash=1,\
             option.Threads=1"
        )
    };
    let openings = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/book/openings/balanced-500.sfen"
    );
    let (one, other) = (engine("one"), engine("other"));
    let arguments = |out: &'static str| {
        let out = folder.path(out);
        let mut words = vec![
            "match",
            "--nodes",
            "200",
            "--games",
            "8",
            "--max-moves",
            "80",
        ];
        words.extend(["--concurrency", "2", "--openings", openings]);
        words.extend(["--engine", &one, "--engine", &other, "--out"]);
        let words = words.into_iter().map(str::to_owned).chain([out]);
        words.collect::<Vec<String>>()
    };
    let [whole, killed] = ["whole", "killed"].map(arguments);
    let words = |words: &[String]| -> Vec<String> { words.to_vec() };
    let (whole, killed) = (words(&whole), words(&killed));
    run(&whole.iter().map(String::as_str).collect::<Vec<_>>());
    let killed: Vec<&str> = killed.iter().map(String::as_str).collect();
    kill_and_resume(&killed, &[], &folder.path("killed/games.jsonl"), &[1, 4]);
    // Times are not those of the other run.
    let timed = ["figures", "overhead"];
    let [whole, killed] = ["whole/games.jsonl", "killed/games.jsonl"]
        .map(|journal| entries(&folder, journal, "game", &timed));
    assert_eq!(whole.len(), 8);
    assert_eq!(whole, killed);
}

#[test]
fn a_curve_over_nodes() {
    let folder = Folder::new("long-work-curve");
    let program = env!("CARGO_BIN_EXE_raicho").replace(',', r"\,");
    let engine = |name: &str| {
        format!(
            "cmd={program},name={name},option.EvalFile=<material>,option.USI_Hash=1,\
             option.Threads=1"
        )
    };
    let (one, other) = (engine("one"), format!("{},nodes=50", engine("other")));
    let arguments = ["match", "--nodes", "60,200", "--max-moves", "80"];
    let engines = [
        "--engine",
        &one,
        "--engine",
        &other,
        "--from-startpos",
        "--out",
    ];
    let arguments = [&arguments[..], &engines].concat();
    let [whole, killed] = ["whole", "killed"].map(|name| folder.path(name));
    let text = stdout(&[&arguments[..], &[&whole]].concat());
    assert!(text.starts_with("one against other\n"), "{text}");
    let rows: Vec<&str> = text.lines().skip(2).collect();
    assert_eq!(rows.len(), 2, "{text}");
    assert!(rows[0].trim().starts_with("60 ") && rows[1].trim().starts_with("200 "));
    let svg = String::from_utf8(folder.bytes("whole/curve.svg"));
    assert!(svg.is_ok_and(|svg| svg.contains("nodes a move")));

    let arguments = [&arguments[..], &[&killed]].concat();
    let journal = folder.path("killed/nodes-200/games.jsonl");
    kill(&arguments, &[], &journal, 1);
    let resumed = stdout(&["match", "--out", &killed, "--resume"]);
    assert!(resumed.starts_with("one against other\n"), "{resumed}");
    // Times are not those of the other run.
    let timed = ["figures", "overhead"];
    for nodes in [60, 200] {
        let [whole, killed] = ["whole", "killed"].map(|run| {
            let journal = format!("{run}/nodes-{nodes}/games.jsonl");
            entries(&folder, &journal, "game", &timed)
        });
        assert_eq!(whole.len(), 2);
        assert!(whole[0]["optimism"][0]["pairs"].as_u64() > Some(5));
        assert_eq!(whole, killed);
    }
    let other_match = [&arguments[..], &["--resume", "--seed", "2"]].concat();
    let refused = command(&other_match).output().expect("raicho runs");
    assert!(!refused.status.success());
}

/// Tsume problems, and positions without a mate.
const PROBLEMS: &str = "\
8k/9/7S1/7G1/9/9/9/9/9 b Rrb2g2s4n4l18p 1
7nk/9/7S1/8N/9/9/9/9/9 b P2r2b4g3s2n4l17p 1
8k/5BS1s/5p3/9/8L/5g3/9/9/9 b P 1
9/9/9/9/9/9/9/9/4K4 b RB 1
4k4/4r4/4GG3/9/9/9/9/9/4K4 b - 1
4k4/9/4P4/9/9/9/9/9/9 b G 1
4k4/9/3PPP3/9/9/9/9/9/9 b GS 1
";

#[test]
fn a_file_of_mate_problems() {
    let folder = Folder::new("long-work-mate");
    // Many, so that a kill finds it at work.
    fs::write(folder.0.join("problems"), PROBLEMS.repeat(40)).expect("it can be written");
    let problems = folder.path("problems");
    let arguments = [
        "mate",
        &problems,
        "--nodes",
        "20000",
        "--shortest",
        "--hash",
        "2",
    ];
    let rows = |text: &str| -> Vec<String> {
        // Without the heading, the sum, and the column of seconds.
        let rows = text.lines().filter(|row| !row.contains("problem"));
        let columns = |row: &str| -> Vec<String> {
            let words = row.split_whitespace().enumerate();
            let kept = words.filter(|(column, _)| *column != 4);
            kept.map(|(_, word)| word.to_owned()).collect()
        };
        rows.map(|row| columns(row).join(" ")).collect()
    };
    let whole = rows(&stdout(&arguments));
    assert_eq!(whole.len(), 280);
    assert!(whole[5].starts_with("6 mate 1 "), "{}", whole[5]);
    assert!(whole[4].starts_with("5 mate"), "{}", whole[4]);

    let work = folder.path("work");
    let kept = [&arguments[..], &["--work", &work]].concat();
    kill_and_resume(&kept, &[], &folder.path("work/mate.jsonl"), &[1, 50, 120]);
    let resumed = stdout(&[&kept[..], &["--resume"]].concat());
    assert_eq!(rows(&resumed), whole);

    let mut parts: Vec<String> = ["1/3", "2/3", "3/3"]
        .iter()
        .flat_map(|shard| rows(&stdout(&[&arguments[..], &["--shard", shard]].concat())))
        .collect();
    let number = |row: &String| row.split(' ').next().and_then(|n| n.parse::<u32>().ok());
    parts.sort_by_key(number);
    assert_eq!(parts, whole);

    let other = command(&[&kept[..], &["--resume", "--check-dual"]].concat());
    let refused = { other }.output().expect("raicho runs");
    let words = String::from_utf8_lossy(&refused.stderr);
    assert!(
        words.contains("check_dual is true instead of false"),
        "{words}"
    );
}

#[test]
fn a_mate_problem_after_another() {
    const ONE: &str = "1ng1kg3/ls5s1/ppp1pp3/3p2p2/9/6P2/PPPPPP3/1B3G3/LNSGK4 b RBN2L3Prsnp 45";
    const OTHER: &str = "1n+N2g3/lsRbks1s1/ppp1pp3/3p2p2/8+r/6P2/PPPPPP3/1B7/LNSGKG3 b G2L3Pnp 55";
    let folder = Folder::new("long-work-mate-order");
    let last_row = |name: &str, problems: &str| {
        fs::write(folder.0.join(name), problems).expect("it can be written");
        let printed = stdout(&[
            "mate",
            &folder.path(name),
            "--nodes",
            "30000",
            "--hash",
            "2",
        ]);
        let row = printed.lines().rev().nth(1).expect("a row");
        let words: Vec<&str> = row.split_whitespace().skip(1).take(3).collect();
        words.join(" ")
    };
    let alone = last_row("alone", OTHER);
    assert!(alone.starts_with("nomate"), "{alone}");
    assert_eq!(last_row("after", &format!("{ONE}\n{OTHER}\n")), alone);
}

/// Games of self-play, as roots and `learn` read them.
fn games(folder: &Folder) -> String {
    let out = folder.path("games");
    run(&[
        "gensfen",
        "--eval",
        "<material>",
        "--nodes",
        "60",
        "--opening-nodes",
        "200",
        "--games",
        "30",
        "--out",
        &out,
    ]);
    folder.path("games/games-0001.pack")
}

fn borrowed(words: &[String]) -> Vec<&str> {
    words.iter().map(String::as_str).collect()
}

#[test]
fn new_scores() {
    let folder = Folder::new("long-work-rescore");
    let games = games(&folder);
    let arguments = |out: &str| -> Vec<String> {
        let words = [
            "rescore",
            &games,
            "--eval",
            "<material>",
            // A block has 1,000 positions.
            "--nodes",
            "20000",
            "--depth",
            "3",
            "--out",
            out,
        ];
        words.map(str::to_owned).to_vec()
    };
    let [whole, killed] = ["whole.pack", "killed.pack"].map(|name| arguments(&folder.path(name)));
    run(&borrowed(&whole));
    let work = folder.path("work");
    let kept = [&borrowed(&killed)[..], &["--work", &work, "--threads", "2"]].concat();
    kill_and_resume(&kept, &[], &folder.path("work/rescore.jsonl"), &[1, 2]);
    let expected = folder.bytes("whole.pack");
    assert!(folder.bytes("killed.pack") == expected);
    assert_ne!(folder.bytes("games/games-0001.pack"), expected);
    let mut parts = Vec::new();
    for shard in ["1/3", "2/3", "3/3"] {
        let part = arguments(&folder.path("part.pack"));
        run(&[&borrowed(&part)[..], &["--shard", shard, "--force"]].concat());
        parts.extend(folder.bytes("part.pack"));
    }
    assert!(parts == expected);
}

#[test]
fn a_check_of_roots() {
    let folder = Folder::new("long-work-roots");
    let games = games(&folder);
    let arguments = |out: &str, more: &[&str]| -> Vec<String> {
        let mut words = vec!["roots", &games, "--plies", "6", "--out", out];
        words.extend([
            "--check-repetition",
            "--check-nodes",
            "60",
            "--check-games",
            "2",
        ]);
        words.extend(["--eval", "<material>", "--unfinished"]);
        words.extend(more);
        words.into_iter().map(str::to_owned).collect()
    };
    let run_words = |words: &[String]| run(&words.iter().map(String::as_str).collect::<Vec<_>>());
    run_words(&arguments(&folder.path("whole.hcp"), &[]));

    let work = folder.path("work");
    let killed = arguments(&folder.path("killed.hcp"), &["--work", &work]);
    let killed: Vec<&str> = killed.iter().map(String::as_str).collect();
    kill_and_resume(&killed, &[], &folder.path("work/roots.jsonl"), &[1, 20, 60]);
    let whole = folder.bytes("whole.hcp");
    assert!(whole.len() > 50 * 32, "{} bytes", whole.len());
    assert_eq!(folder.bytes("killed.hcp"), whole);

    let mut joined = Vec::new();
    for shard in ["1/2", "2/2"] {
        let out = format!("part-{}.hcp", &shard[..1]);
        run_words(&arguments(&folder.path(&out), &["--shard", shard]));
        joined.extend(folder.bytes(&out));
    }
    assert_eq!(joined, whole);
}

/// A file of half a million positions, long enough for checkpoints: games, again and again.
fn positions(folder: &Folder) -> String {
    let (games, once) = (games(folder), folder.path("once.psv"));
    run(&["convert", &games, "--out", &once]);
    let once = folder.bytes("once.psv");
    let copies = (20 << 20) / once.len() + 1;
    let path = folder.path("positions.psv");
    fs::write(&path, once.repeat(copies)).expect("a file can be written");
    path
}

#[test]
fn passes_over_data() {
    let folder = Folder::new("long-work-passes");
    let positions = positions(&folder);
    let journal = folder.path("work-convert/pass.jsonl");

    let [whole, killed] = ["whole.hcpe", "killed.hcpe"].map(|name| folder.path(name));
    run(&["convert", &positions, "--out", &whole]);
    let work = folder.path("work-convert");
    let convert = ["convert", &positions, "--out", &killed, "--work", &work];
    kill_and_resume(&convert, &[], &journal, &[1, 2]);
    assert!(folder.bytes("killed.hcpe") == folder.bytes("whole.hcpe"));

    for tool in ["validate", "stats"] {
        let work = folder.path(&format!("work-{tool}"));
        let journal = format!("{work}/pass.jsonl");
        let arguments = [tool, &positions, "--work", &work];
        kill(&arguments, &[], &journal, 1);
        kill(&arguments, &["--resume"], &journal, 2);
        let kept = fs::read_to_string(&journal).expect("a journal");
        assert!(!kept.contains("\"is_complete\":true"), "killed too late");
        let resumed = stdout(&[&arguments[..], &["--resume"]].concat());
        assert_eq!(resumed, stdout(&[tool, &positions]));
    }
}

#[test]
fn learning() {
    let folder = Folder::new("long-work-learn");
    let games = games(&folder);
    let arguments = |out: &str| -> Vec<String> {
        let words = [
            "learn",
            &games,
            "--width",
            "64",
            "--batch",
            "64",
            "--epochs",
            "30",
            "--held-out",
            "0.2",
            "--threads",
            "2",
            "--out",
            out,
        ];
        words.map(str::to_owned).into()
    };
    let words = |words: &[String]| -> Vec<String> { words.to_vec() };
    let whole = words(&arguments(&folder.path("whole")));
    run(&whole.iter().map(String::as_str).collect::<Vec<_>>());
    let killed = arguments(&folder.path("killed"));
    let killed: Vec<&str> = killed.iter().map(String::as_str).collect();
    let checkpoint = folder.path("killed/checkpoint.bin");
    // The same line each time: it begins the run where there is none.
    kill_and_resume(&killed, &["--resume"], &checkpoint, &[1, 1]);
    assert_eq!(
        folder.bytes("killed/net.nnue"),
        folder.bytes("whole/net.nnue")
    );
}

#[test]
fn what_cannot_be_divided_says_why() {
    let folder = Folder::new("long-work-indivisible");
    let out = folder.path("out.psv");
    let cases: [(&[&str], &str); 4] = [
        (&["dedup", "x.psv"], "would never meet"),
        (&["shuffle", "x.psv"], "any place of the output"),
        (&["learn", "x.psv"], "the weights of the one before"),
        (
            &["spsa", "--engine", "cmd=x", "--iterations", "9"],
            "the values that all before it have found",
        ),
    ];
    for (arguments, reason) in cases {
        let output = command(&[arguments, &["--out", &out, "--shard", "1/2"]].concat())
            .output()
            .expect("raicho runs");
        let words = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success());
        assert!(
            words.contains("--shard is not for this command: "),
            "{words}"
        );
        assert!(words.contains(reason), "{words}");
    }
}

#[test]
fn two_runs_never_write_the_same_output() {
    let folder = Folder::new("long-work-output");
    let games = games(&folder);
    let out = folder.path("out.psv");
    // As a run that is at work holds it.
    let partial = fs::File::create(folder.0.join("out.psv.partial")).expect("it can be made");
    partial.lock().expect("it can be locked");
    for tool in ["convert", "dedup", "shuffle"] {
        let output = command(&[tool, &games, "--out", &out]).output();
        let output = output.expect("raicho runs");
        let words = String::from_utf8_lossy(&output.stderr);
        assert!(
            !output.status.success() && words.contains("another run is writing this file"),
            "{tool}: {words}"
        );
    }
    drop(partial);
    // What a killed run left is no hindrance.
    run(&["convert", &games, "--out", &out]);
    assert!(folder.bytes("out.psv").len() > 1000);

    let held = folder.0.join("net");
    fs::create_dir_all(&held).expect("it can be made");
    let lock = fs::File::create(held.join("lock")).expect("it can be made");
    lock.lock().expect("it can be locked");
    let net = folder.path("net");
    let output = command(&["learn", &games, "--out", &net]).output();
    let words = output.expect("raicho runs").stderr;
    let words = String::from_utf8_lossy(&words);
    assert!(words.contains("another run is writing there"), "{words}");
}

/// A disk that is full after some bytes: nothing half-written gets its name.
#[cfg(unix)]
#[test]
fn results_have_their_name_only_when_they_are_complete() {
    let folder = Folder::new("long-work-full");
    let games = games(&folder);
    let cases: [(&str, &[&str]); 3] = [
        ("out.bin", &["net", "random", "halfkp_256x2-32-32"]),
        ("out.svg", &["stats", &games, "--svg"]),
        (
            "out.sfen",
            &[
                "match",
                "openings",
                "--count",
                "60",
                "--openings",
                concat!(env!("CARGO_MANIFEST_DIR"), "/book/openings/even-500.sfen"),
                "--out",
            ],
        ),
    ];
    for (name, words) in cases {
        let limited = "ulimit -f 2; trap '' XFSZ; exec \"$0\" \"$@\"";
        let output = Command::new("/bin/sh")
            .args(["-c", limited, env!("CARGO_BIN_EXE_raicho")])
            .args(words)
            .arg(folder.path(name))
            .output()
            .expect("a shell is there");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(
            !output.status.success() && errors.contains("error: "),
            "{name}: {errors}"
        );
        assert!(!Path::new(&folder.path(name)).exists(), "{name}");
    }
}

/// Ctrl-C, twice: the running work is broken off.
#[cfg(unix)]
fn interrupt_twice(child: &mut Child) -> Duration {
    let begun = Instant::now();
    for _ in 0..2 {
        crate::signal::send(child, "INT");
        sleep(Duration::from_millis(50));
    }
    while child.try_wait().expect("it can be asked").is_none() {
        assert!(begun.elapsed() < Duration::from_mins(1), "it goes on");
        sleep(Duration::from_millis(10));
    }
    begun.elapsed()
}

/// A process is given this long to end once it was told to.
#[cfg(unix)]
const PROMPT: Duration = Duration::from_secs(10);

#[cfg(unix)]
#[test]
fn a_match_ends_while_an_engine_starts() {
    let folder = Folder::new("long-work-starting");
    let engine = |name: &str| format!("cmd=/bin/sleep,args=40,name={name}");
    let (one, other) = (engine("one"), engine("other"));
    let out = folder.path("out");
    let arguments = [
        "match", "--nodes", "9", "--engine", &one, "--engine", &other, "--out", &out,
    ];
    let mut child = start(&arguments);
    // The folder is made before engines are started.
    while !Path::new(&out).join("match.json").exists() {
        sleep(Duration::from_millis(5));
    }
    sleep(Duration::from_millis(500));
    let time = interrupt_twice(&mut child);
    assert!(time < PROMPT, "{time:?}");
}

/// A batch system signals all processes of a job: the engine may be gone before the match knows.
#[cfg(unix)]
#[test]
fn an_engine_that_is_killed_with_the_match_has_not_lost() {
    const ENGINE: &str = "\
while read -r word rest; do
  case $word in
    usi) echo usiok ;;
    isready) echo readyok ;;
    go) touch \"$1\"; kill -KILL $$ ;;
  esac
done
";
    let folder = Folder::new("long-work-killed-with-engine");
    let (script, gone, out) = (
        folder.path("engine.sh"),
        folder.path("gone"),
        folder.path("out"),
    );
    fs::write(&script, ENGINE).expect("it can be written");
    let engine = |name: &str| format!("cmd=/bin/sh,args={script} {gone},name={name}");
    let (one, other) = (engine("one"), engine("other"));
    let arguments = [
        "match",
        "--nodes",
        "9",
        "--max-imbalance",
        "9999",
        "--engine",
        &one,
        "--engine",
        &other,
        "--out",
        &out,
    ];
    let mut child = start(&arguments);
    while !Path::new(&gone).exists() {
        sleep(Duration::from_millis(2));
    }
    crate::signal::send(&child, "TERM");
    assert!(!child.wait().expect("it ends").success());
    assert_eq!(progress(&folder.path("out/games.jsonl")), 0);
}

#[cfg(unix)]
#[test]
fn a_check_of_roots_ends_within_a_game() {
    let folder = Folder::new("long-work-roots-interrupted");
    let games = games(&folder);
    let (work, out) = (folder.path("work"), folder.path("out.hcp"));
    let arguments = [
        "roots",
        &games,
        "--unfinished",
        "--check-repetition",
        "--check-nodes",
        "20000",
        "--check-games",
        "100",
        "--out",
        &out,
        "--work",
        &work,
    ];
    let mut child = start(&arguments);
    while !Path::new(&work).join("roots.json").exists() {
        sleep(Duration::from_millis(5));
    }
    sleep(Duration::from_millis(500));
    let time = interrupt_twice(&mut child);
    assert!(time < PROMPT, "{time:?}");
}

#[test]
fn an_output_that_is_gone_is_made_again() {
    let folder = Folder::new("long-work-gone");
    let games = games(&folder);
    let (work, out) = (folder.path("work"), folder.path("out.psv"));
    let words = [
        "convert", &games, "--out", &out, "--work", &work, "--resume", "--force",
    ];
    run(&words);
    let whole = fs::read(&out).unwrap();
    fs::remove_file(&out).unwrap();
    let said = run(&words).stderr;
    let said = String::from_utf8_lossy(&said);
    assert!(said.contains("is gone, the work begins again"), "{said}");
    assert!(fs::read(&out).unwrap() == whole);
    fs::write(&out, "hello").unwrap();
    run(&words);
    assert!(fs::read(&out).unwrap() == whole);
    let said = run(&words).stderr;
    let said = String::from_utf8_lossy(&said);
    assert!(!said.contains("begins again"), "{said}");
}
