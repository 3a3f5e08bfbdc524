//! Long work as people run it: killed at any moment and resumed, or divided into shards, it results
//! in what it results in when it is done at a stretch.

use std::fs;
use std::path::Path;
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::folder::Folder;
use crate::runner::{OPENINGS, RAICHO, raicho, text};

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
/// these lengths. The first time it is begun with the words `first` instead.
fn kill_and_resume(folder: &Folder, words: &str, first: &str, journal: &str, lengths: &[u64]) {
    for (index, &length) in lengths.iter().enumerate() {
        let last = if index == 0 { first } else { "--resume" };
        kill(folder, &format!("{words} {last}"), journal, length);
    }
    raicho!(folder, "{words} --resume").outputs();
}

/// Runs the command and kills it when `journal` has reached this length.
fn kill(folder: &Folder, words: &str, journal: &str, length: u64) {
    let journal = folder.path(journal);
    let mut child = raicho!(folder, "{words}").start();
    let begun = Instant::now();
    while progress(&journal) < length && begun.elapsed() < Duration::from_mins(2) {
        sleep(Duration::from_millis(2));
    }
    child.kill().expect("it runs, or has ended");
    child.wait().expect("it ends");
    assert!(progress(&journal) >= length, "{}", progress(&journal));
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

/// The engine of a match with material only; words may follow.
fn engine(name: &str) -> String {
    let options = "option.EvalFile=<material>,option.USI_Hash=1,option.Threads=1";
    format!("--engine cmd=$raicho,name={name},{options}")
}

#[test]
fn a_match_at_fixed_nodes() {
    let folder = Folder::new("long-work-match");
    let (one, other) = (engine("one"), engine("other"));
    let words = format!(
        "match --nodes 200 --games 8 --max-moves 80 --concurrency 2 --openings $openings \
         {one} {other} --out"
    );
    raicho!(folder, "{words} whole").outputs();
    kill_and_resume(
        &folder,
        &format!("{words} killed"),
        "",
        "killed/games.jsonl",
        &[1, 4],
    );
    // Times are not those of the other run.
    let timed = ["figures", "overhead"];
    let [whole, killed] = ["whole/games.jsonl", "killed/games.jsonl"]
        .map(|journal| entries(&folder, journal, "game", &timed));
    assert_eq!(whole.len(), 8);
    assert_eq!(whole, killed);
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
    folder.write("problems", &PROBLEMS.repeat(40));
    let words = "mate problems --nodes 20000 --shortest --hash 2";
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
    let whole = rows(&raicho!(folder, "{words}").stdout());
    assert_eq!(whole.len(), 280);
    assert!(whole[5].starts_with("6 mate 1 "), "{}", whole[5]);
    assert!(whole[4].starts_with("5 mate"), "{}", whole[4]);

    let kept = format!("{words} --work work");
    kill_and_resume(&folder, &kept, "", "work/mate.jsonl", &[1, 50, 120]);
    assert_eq!(rows(&raicho!(folder, "{kept} --resume").stdout()), whole);

    let mut parts: Vec<String> = ["1/3", "2/3", "3/3"]
        .iter()
        .flat_map(|shard| rows(&raicho!(folder, "{words} --shard {shard}").stdout()))
        .collect();
    let number = |row: &String| row.split(' ').next().and_then(|n| n.parse::<u32>().ok());
    parts.sort_by_key(number);
    assert_eq!(parts, whole);

    let said = raicho!(folder, "{kept} --resume --check-dual").refused();
    assert!(
        said.contains("check_dual is true instead of false"),
        "{said}"
    );
}

#[test]
fn a_mate_problem_after_another() {
    const ONE: &str = "1ng1kg3/ls5s1/ppp1pp3/3p2p2/9/6P2/PPPPPP3/1B3G3/LNSGK4 b RBN2L3Prsnp 45";
    const OTHER: &str = "1n+N2g3/lsRbks1s1/ppp1pp3/3p2p2/8+r/6P2/PPPPPP3/1B7/LNSGKG3 b G2L3Pnp 55";
    let folder = Folder::new("long-work-mate-order");
    let last_row = |name: &str, problems: &str| {
        folder.write(name, problems);
        let printed = raicho!(folder, "mate {name} --nodes 30000 --hash 2").stdout();
        let row = printed.lines().rev().nth(1).expect("a row");
        let words: Vec<&str> = row.split_whitespace().skip(1).take(3).collect();
        words.join(" ")
    };
    let alone = last_row("alone", OTHER);
    assert!(alone.starts_with("nomate"), "{alone}");
    assert_eq!(last_row("after", &format!("{ONE}\n{OTHER}\n")), alone);
}

/// The name of a file of games of self-play, as roots and `learn` read them.
const GAMES: &str = "games/games-0001.pack";

/// A folder with [`GAMES`].
fn folder_with_games(name: &str) -> Folder {
    let folder = Folder::new(name);
    raicho!(
        folder,
        "gensfen --eval <material> --nodes 60 --opening-nodes 200 --games 30 --out games"
    )
    .outputs();
    folder
}

#[test]
fn new_scores() {
    let folder = folder_with_games("long-work-rescore");
    // A block has 1,000 positions.
    let words = format!("rescore {GAMES} --eval <material> --nodes 20000 --depth 3");
    raicho!(folder, "{words} --out whole.pack").outputs();
    kill_and_resume(
        &folder,
        &format!("{words} --out killed.pack --work work --threads 2"),
        "",
        "work/rescore.jsonl",
        &[1, 2],
    );
    let expected = folder.bytes("whole.pack");
    assert!(folder.bytes("killed.pack") == expected);
    assert_ne!(folder.bytes(GAMES), expected);
    let mut parts = Vec::new();
    for shard in ["1/3", "2/3", "3/3"] {
        raicho!(folder, "{words} --out part.pack --shard {shard} --force").outputs();
        parts.extend(folder.bytes("part.pack"));
    }
    assert!(parts == expected);
}

#[test]
fn a_check_of_roots() {
    let folder = folder_with_games("long-work-roots");
    let words = format!(
        "roots {GAMES} --plies 6 --check-repetition --check-nodes 60 --check-games 2 \
         --eval <material> --unfinished --out"
    );
    raicho!(folder, "{words} whole.hcp").outputs();
    kill_and_resume(
        &folder,
        &format!("{words} killed.hcp --work work"),
        "",
        "work/roots.jsonl",
        &[1, 20, 60],
    );
    let whole = folder.bytes("whole.hcp");
    assert!(whole.len() > 50 * 32, "{} bytes", whole.len());
    assert_eq!(folder.bytes("killed.hcp"), whole);

    let mut joined = Vec::new();
    for shard in ["1/2", "2/2"] {
        let out = format!("part-{}.hcp", &shard[..1]);
        raicho!(folder, "{words} {out} --shard {shard}").outputs();
        joined.extend(folder.bytes(&out));
    }
    assert_eq!(joined, whole);
}

#[test]
fn learning() {
    let folder = folder_with_games("long-work-learn");
    let words = format!(
        "learn {GAMES} --shape raicho_64x2-8 --batch 64 --epochs 30 --held-out 0.2 --threads 2 \
         --out"
    );
    raicho!(folder, "{words} whole").outputs();
    // The same line each time: it begins the run where there is none.
    kill_and_resume(
        &folder,
        &format!("{words} killed"),
        "--resume",
        "killed/checkpoint.bin",
        &[1, 1],
    );
    assert_eq!(
        folder.bytes("killed/net.nnue"),
        folder.bytes("whole/net.nnue")
    );
}

#[test]
fn what_cannot_be_divided_says_why() {
    let folder = Folder::new("long-work-indivisible");
    for (words, reason) in [
        ("dedup x.psv", "would never meet"),
        ("shuffle x.psv", "any place of the output"),
        ("learn x.psv", "the weights of the one before"),
        (
            "spsa --engine cmd=x --iterations 9",
            "the values that all before it have found",
        ),
    ] {
        let said = raicho!(folder, "{words} --out out.psv --shard 1/2").refused();
        assert!(said.contains("--shard is not for this command: "), "{said}");
        assert!(said.contains(reason), "{said}");
    }
}

#[test]
fn two_runs_never_write_the_same_output() {
    let folder = folder_with_games("long-work-output");
    // As a run that is at work holds it.
    let partial = fs::File::create(folder.file("out.psv.partial")).expect("it can be made");
    partial.lock().expect("it can be locked");
    for tool in ["convert", "dedup", "shuffle"] {
        let said = raicho!(folder, "{tool} {GAMES} --out out.psv").refused();
        assert!(
            said.contains("another run is writing this file"),
            "{tool}: {said}"
        );
    }
    drop(partial);
    // What a killed run left is no hindrance.
    raicho!(folder, "convert {GAMES} --out out.psv").outputs();
    assert!(folder.bytes("out.psv").len() > 1000);

    let held = folder.file("net");
    fs::create_dir_all(&held).expect("it can be made");
    let lock = fs::File::create(held.join("lock")).expect("it can be made");
    lock.lock().expect("it can be locked");
    let said = raicho!(folder, "learn {GAMES} --out net").refused();
    assert!(said.contains("another run is writing there"), "{said}");
}

/// A disk that is full after some bytes: nothing half-written gets its name.
#[cfg(unix)]
#[test]
fn results_have_their_name_only_when_they_are_complete() {
    let folder = folder_with_games("long-work-full");
    let openings = OPENINGS.replace("balanced", "even");
    let cases: [(&str, &[&str]); 3] = [
        ("out.bin", &["net", "random", "halfkp_256x2-32-32"]),
        ("out.svg", &["stats", GAMES, "--svg"]),
        (
            "out.sfen",
            &[
                "match",
                "openings",
                "--count",
                "60",
                "--openings",
                &openings,
                "--out",
            ],
        ),
    ];
    for (name, words) in cases {
        let limited = "ulimit -f 2; trap '' XFSZ; exec \"$0\" \"$@\"";
        let output = Command::new("/bin/sh")
            .args(["-c", limited, RAICHO])
            .args(words)
            .arg(name)
            .current_dir(&folder.0)
            .output()
            .expect("a shell is there");
        let errors = text(&output.stderr);
        assert!(
            !output.status.success() && errors.contains("error: "),
            "{name}: {errors}"
        );
        assert!(!folder.file(name).exists(), "{name}");
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

/// Waits until a run has made a file.
#[cfg(unix)]
fn wait_for(folder: &Folder, name: &str) {
    while !folder.file(name).exists() {
        sleep(Duration::from_millis(2));
    }
}

#[cfg(unix)]
#[test]
fn a_match_ends_while_an_engine_starts() {
    let folder = Folder::new("long-work-starting");
    let mut child = raicho!(
        folder,
        "match --nodes 9 --engine cmd=/bin/sleep,args=40,name=one \
         --engine cmd=/bin/sleep,args=40,name=other --out out"
    )
    .start();
    // The folder is made before engines are started.
    wait_for(&folder, "out/match.json");
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
    folder.write("engine.sh", ENGINE);
    let (script, gone) = (folder.path("engine.sh"), folder.path("gone"));
    let engine = |name: &str| format!("cmd=/bin/sh,args={script} {gone},name={name}");
    let mut child = raicho!(folder, "match --nodes 9 --max-imbalance 9999 --out out")
        .arg("--engine")
        .arg(engine("one"))
        .arg("--engine")
        .arg(engine("other"))
        .start();
    wait_for(&folder, "gone");
    crate::signal::send(&child, "TERM");
    assert!(!child.wait().expect("it ends").success());
    assert_eq!(progress(&folder.path("out/games.jsonl")), 0);
}

#[cfg(unix)]
#[test]
fn a_check_of_roots_ends_within_a_game() {
    let folder = folder_with_games("long-work-roots-interrupted");
    let mut child = raicho!(
        folder,
        "roots {GAMES} --unfinished --check-repetition --check-nodes 20000 --check-games 100 \
         --out out.hcp --work work"
    )
    .start();
    wait_for(&folder, "work/roots.json");
    sleep(Duration::from_millis(500));
    let time = interrupt_twice(&mut child);
    assert!(time < PROMPT, "{time:?}");
}

#[test]
fn an_output_that_is_gone_is_made_again() {
    let folder = folder_with_games("long-work-gone");
    let rescore = || {
        let words = "--static --eval <material> --out out.pack --work work --resume --force";
        let [_, said] = raicho!(folder, "rescore {GAMES} {words}").outputs();
        said
    };
    let out = folder.file("out.pack");
    rescore();
    let whole = folder.bytes("out.pack");
    fs::remove_file(&out).unwrap();
    let said = rescore();
    assert!(said.contains("is gone, the work begins again"), "{said}");
    assert!(folder.bytes("out.pack") == whole);
    fs::write(&out, "hello").unwrap();
    rescore();
    assert!(folder.bytes("out.pack") == whole);
    let said = rescore();
    assert!(!said.contains("begins again"), "{said}");
}
