//! Long work as people run it: killed at any moment and resumed, or divided into shards, it results
//! in what it results in when it is done at a stretch.

use std::fs;
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::folder::Folder;
use crate::runner::{OPENINGS, RAICHO, SMALL_ENGINE, Text, raicho, text};

/// Runs the command with `--resume` to its end, after kills when `journal` has reached each of
/// these numbers of lines. The first time it is begun without `--resume`.
fn kill_and_resume(folder: &Folder, words: &str, journal: &str, lengths: &[usize]) {
    for (index, &length) in lengths.iter().enumerate() {
        let last = if index == 0 { "" } else { "--resume" };
        raicho!(folder, "{words} {last}").killed_when(|| folder.lines(journal) >= length);
    }
    raicho!(folder, "{words} --resume").outputs();
}

/// The games of a match as JSON, in order and without their times.
fn games(folder: &Folder, run: &str) -> Vec<Value> {
    let text = folder.text(&format!("{run}/games.jsonl"));
    let entries = text.lines().map(serde_json::from_str);
    let mut entries: Vec<Value> = entries.collect::<Result<_, _>>().expect("JSON");
    entries.sort_by_key(|entry| entry["game"].as_u64());
    for entry in &mut entries {
        let object = entry.as_object_mut().expect("an object");
        for field in ["figures", "overhead"] {
            object.remove(field);
        }
    }
    entries
}

/// The engine of a match with material only; words may follow.
fn engine(name: &str) -> String {
    format!("--engine cmd=$raicho,name={name},{SMALL_ENGINE}")
}

#[test]
fn a_match_at_fixed_nodes() {
    let folder = Folder::new();
    let (one, other) = (engine("one"), engine("other"));
    let words = format!(
        "match --nodes 200 --games 8 --max-moves 80 --concurrency 2 --openings $openings \
         {one} {other} --out"
    );
    raicho!(folder, "{words} whole").outputs();
    let text = format!("{words} killed");
    kill_and_resume(&folder, &text, "killed/games.jsonl", &[1, 4]);
    let whole = games(&folder, "whole");
    assert_eq!(whole.len(), 8);
    assert_eq!(whole, games(&folder, "killed"));
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
    let folder = Folder::new();
    // Many, so that a kill finds it at work.
    folder.write("problems", PROBLEMS.repeat(40));
    let words = "mate problems --nodes 20000 --shortest --hash 2";
    // Without the heading, the sum, and the column of seconds.
    let rows = |more: &str| -> Vec<String> {
        let text = raicho!(folder, "{words} {more}").stdout();
        let rows = text.lines().filter(|row| !row.contains("problem"));
        let columns = |row: &str| {
            let mut columns: Vec<&str> = row.split_whitespace().collect();
            columns.remove(4);
            columns.join(" ")
        };
        rows.map(columns).collect()
    };
    let whole = rows("");
    assert_eq!(whole.len(), 280);
    whole[5].must_begin("6 mate 1 ");
    whole[4].must_begin("5 mate");

    let kept = format!("{words} --work work");
    kill_and_resume(&folder, &kept, "work/mate.jsonl", &[1, 50, 120]);
    assert_eq!(rows("--work work --resume"), whole);

    let parts = [1, 2, 3].map(|shard| rows(&format!("--shard {shard}/3")));
    let mut parts = parts.concat();
    parts.sort_by_key(|row| row.split(' ').next().and_then(|n| n.parse::<u32>().ok()));
    assert_eq!(parts, whole);
    raicho!(folder, "{kept} --resume --check-dual").refuses("check_dual is true instead of false");
}

#[test]
fn a_mate_problem_after_another() {
    const ONE: &str = "1ng1kg3/ls5s1/ppp1pp3/3p2p2/9/6P2/PPPPPP3/1B3G3/LNSGK4 b RBN2L3Prsnp 45";
    const OTHER: &str = "1n+N2g3/lsRbks1s1/ppp1pp3/3p2p2/8+r/6P2/PPPPPP3/1B7/LNSGKG3 b G2L3Pnp 55";
    let folder = Folder::new();
    let last_row = |problems: &str| {
        folder.write("problems", problems);
        let printed = raicho!(folder, "mate problems --nodes 30000 --hash 2").stdout();
        let row = printed.lines().rev().nth(1).expect("a row");
        let words: Vec<&str> = row.split_whitespace().skip(1).take(3).collect();
        words.join(" ")
    };
    let alone = last_row(OTHER);
    alone.must_begin("nomate");
    assert_eq!(last_row(&format!("{ONE}\n{OTHER}\n")), alone);
}

/// The name of a file of games of self-play, as roots and `learn` read them.
const GAMES: &str = "games/games-0001.pack";

/// A folder with [`GAMES`].
fn folder_with_games() -> Folder {
    let folder = Folder::new();
    let words = "--nodes 60 --opening-nodes 200 --games 30";
    raicho!(folder, "gensfen --eval <material> {words} --out games").outputs();
    folder
}

#[test]
fn new_scores() {
    let folder = folder_with_games();
    // A block has 1,000 positions.
    let words = format!("rescore {GAMES} --eval <material> --nodes 20000 --depth 2 --out");
    raicho!(folder, "{words} whole.pack").outputs();
    let killed = format!("{words} killed.pack --work work --threads 2");
    kill_and_resume(&folder, &killed, "work/rescore.jsonl", &[1, 2]);
    let whole = folder.bytes("whole.pack");
    assert!(folder.bytes("killed.pack") == whole);
    assert_ne!(folder.bytes(GAMES), whole);
}

#[test]
fn learning() {
    let folder = folder_with_games();
    let settings = "--shape raicho_64x2-8 --batch 64 --epochs 30 --held-out 0.2 --threads 2";
    let words = format!("learn {GAMES} {settings} --out");
    raicho!(folder, "{words} whole").outputs();
    // The same line each time: it begins the run where there is none.
    for _ in 0..2 {
        let is_time = || folder.has("killed/checkpoint.bin");
        raicho!(folder, "{words} killed --resume").killed_when(is_time);
    }
    raicho!(folder, "{words} killed --resume").outputs();
    folder.same_in(["whole", "killed"], "net.nnue");
}

#[test]
fn two_runs_never_write_the_same_output() {
    let folder = folder_with_games();
    // As a run that is at work holds it.
    let hold = |name: &str| {
        let file = fs::File::open(folder.write(name, "")).expect("just written");
        file.lock().expect("it can be locked");
        file
    };
    let partial = hold("out.psv.partial");
    for tool in ["convert", "dedup", "shuffle"] {
        raicho!(folder, "{tool} {GAMES} --out out.psv").refuses("another run is writing this file");
    }
    drop(partial);
    // What a killed run left is no hindrance.
    raicho!(folder, "convert {GAMES} --out out.psv").outputs();
    assert!(folder.bytes("out.psv").len() > 1000);
    let _lock = hold("net/lock");
    raicho!(folder, "learn {GAMES} --out net").refuses("another run is writing there");
}

/// A disk that is full after some bytes: nothing half-written gets its name.
#[cfg(unix)]
#[test]
fn results_have_their_name_only_when_they_are_complete() {
    let folder = folder_with_games();
    let openings = OPENINGS.replace("balanced", "even");
    for (name, words) in cases! {
        "out.bin" => "net random halfkp_256x2-32-32";
        "out.svg" => &format!("stats {GAMES} --svg");
        "out.sfen" => &format!("match openings --count 60 --openings {openings} --out");
    } {
        let limited = "ulimit -f 2; trap '' XFSZ; exec \"$0\" \"$@\"";
        let mut command = Command::new("/bin/sh");
        command.args(["-c", limited, RAICHO]).args(words.split(' '));
        let output = command.arg(name).current_dir(&folder.0).output();
        let output = output.expect("a shell is there");
        assert!(!output.status.success(), "{name}");
        text(&output.stderr).must_have("error: ");
        assert!(!folder.has(name), "{name}");
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

/// The longest time to the end of a process that was interrupted twice.
#[cfg(unix)]
const PROMPT: Duration = Duration::from_secs(10);

/// Waits until a run has made a file.
#[cfg(unix)]
fn wait_for(folder: &Folder, name: &str) {
    while !folder.has(name) {
        sleep(Duration::from_millis(2));
    }
}

#[cfg(unix)]
#[test]
fn a_match_ends_while_an_engine_starts() {
    let folder = Folder::new();
    let engine = "--engine cmd=/bin/sleep,args=40,name=";
    let engines = format!("{engine}one {engine}other");
    let mut child = raicho!(folder, "match --nodes 9 {engines} --out out").start();
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
    let folder = Folder::new();
    folder.write("engine.sh", ENGINE);
    let (script, gone) = (folder.path("engine.sh"), folder.path("gone"));
    let engine = format!("--engine 'cmd=/bin/sh,args={script} {gone},name=");
    let words = format!("--max-imbalance 9999 {engine}one' {engine}other'");
    let mut child = raicho!(folder, "match --nodes 9 {words} --out out").start();
    wait_for(&folder, "gone");
    crate::signal::send(&child, "TERM");
    assert!(!child.wait().expect("it ends").success());
    assert_eq!(folder.lines("out/games.jsonl"), 0);
}

#[test]
fn an_output_that_is_gone_is_made_again() {
    let folder = folder_with_games();
    let words = "--static --eval <material> --out out.pack --work work --resume --force";
    let rescore = || raicho!(folder, "rescore {GAMES} {words}").said();
    rescore();
    let whole = folder.bytes("out.pack");
    folder.remove("out.pack");
    rescore().must_have("is gone, the work begins again");
    assert!(folder.bytes("out.pack") == whole);
    folder.write("out.pack", "hello");
    rescore();
    assert!(folder.bytes("out.pack") == whole);
    rescore().must_lack("begins again");
}
