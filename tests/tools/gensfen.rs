//! Self-play for teacher data as people run it: what is written can be read, a seed gives the same
//! bytes, and a kill costs the running game only.

use std::fs;
use std::io::Write;

use raicho::movegen::legal_moves;
use raicho::position::Position;
use raicho::records::game::GameResult;
use raicho::records::pack::PackGame;
use raicho::records::teacher::{Format, Record, TeacherReader};
use raicho::types::{Color, EnteringKingRule, Repetition};

use crate::folder::Folder;
use crate::runner::{Text, all_fail, raicho};

/// The games of a file.
fn games(folder: &Folder, name: &str) -> Vec<PackGame> {
    let bytes = folder.bytes(name);
    TeacherReader::new(&bytes[..], Format::Pack)
        .map(|record| match record {
            Ok(Record::Game(game)) => game.game,
            other => panic!("{other:?}"),
        })
        .collect()
}

/// Options of a short run.
const SHORT: &str = "gensfen --eval <material> --nodes 60 --opening-nodes 200 --games 8 --out";

#[test]
fn every_game_can_be_read_and_ends_as_it_says() {
    let folder = Folder::new();
    raicho!(folder, "{SHORT} run --to-mate 1").outputs();
    let games = games(&folder, "run/games-0001.pack");
    assert_eq!(games.len(), 8);
    for game in &games {
        assert!(matches!(game.start.game_ply(), 9 | 10));
        let mut position = game.start.clone();
        for &(mv, _) in &game.moves {
            position.do_move(mv);
        }
        let us = position.side_to_move();
        let repetition = position.rule_repetition();
        // What is neither mate nor repetition nor a declaration was as long as a game may be.
        let expected = if legal_moves(&position).is_empty() || repetition == Some(Repetition::Lose)
        {
            GameResult::Win(!us)
        } else if repetition == Some(Repetition::Win)
            || repetition.is_none() && position.declaration(EnteringKingRule::default()).is_some()
        {
            GameResult::Win(us)
        } else {
            GameResult::Draw
        };
        assert_eq!(game.result, expected, "{}", position.to_sfen());
    }
    // A score that is far from even says who wins, whoever is to move.
    for side in Color::ALL {
        let mut agree = 0;
        for game in &games {
            let first = usize::from(game.start.side_to_move() != side);
            for (_, score) in game.moves.iter().skip(first).step_by(2) {
                agree += i64::from(score.signum()) * i64::from(game.result.for_side(side));
            }
        }
        assert!(agree > 0, "{side:?}: {agree}");
    }
}

#[test]
fn a_kill_costs_the_running_game_only() {
    let folder = Folder::new();
    let words = "gensfen --eval <material> --nodes 100 --games 20 --tree-positions 3 --out";
    raicho!(folder, "{words} whole").outputs();
    for wanted in [1, 5, 9] {
        let is_time = || folder.lines("killed/gensfen.jsonl") >= wanted;
        raicho!(folder, "{words} killed --resume").killed_when(is_time);
        // A kill within a write leaves a part of a line and of a game.
        for name in ["gensfen.jsonl", "games-0001.pack", "games-0001.tree"] {
            let path = folder.file("killed").join(name);
            let file = fs::OpenOptions::new().append(true).open(path);
            let written = file.expect("it is there").write_all(b"{\"ga");
            written.expect("it can be written");
        }
    }
    raicho!(folder, "{words} killed --resume").outputs();
    for name in ["games-0001.pack", "games-0001.tree", "gensfen.jsonl", "gensfen.json"] {
        folder.same_in(["whole", "killed"], name);
    }
}

#[test]
fn inner_nodes_of_searches_are_sampled_beside_the_games() {
    let folder = Folder::new();
    let trees = "--tree-positions 4";
    let plain = SHORT.replace("--nodes 60", "--nodes 300");
    raicho!(folder, "{plain} plain").outputs();
    for run in ["once", "again"] {
        raicho!(folder, "{plain} {run} {trees}").outputs();
    }
    // The sample does not change the games, and a seed gives the same bytes.
    folder.same_in(["plain", "once"], "games-0001.pack");
    folder.same_in(["once", "again"], "games-0001.tree");
    assert!(!folder.has("plain/games-0001.tree"));
    let tree = folder.bytes("once/games-0001.tree");

    let mut bounds = [0; 4];
    for record in TeacherReader::new(&tree[..], Format::Tree) {
        let Ok(Record::Tree(node)) = record else {
            panic!("{record:?}");
        };
        assert!(node.depth >= 3 && node.score.abs() < 31_000);
        let position = node.position.unpack(node.ply.into());
        assert!(!position.expect("the reader has checked it").in_check());
        bounds[node.bound as usize] += 1;
    }
    assert!(bounds[1..].iter().all(|&count| count > 10), "{bounds:?}");
    let journal = folder.text("once/gensfen.jsonl");
    let last = journal.lines().last().expect("eight games");
    last.must_have(format!("\"place\":{{\"file\":1,\"end\":{}}}", tree.len()));
}

#[test]
fn rescore_takes_what_it_can_of_a_folder() {
    let folder = Folder::new();
    raicho!(folder, "{SHORT} games --tree-positions 2").outputs();
    let rescore = "rescore --eval <material> --static --out";
    for (out, left_out) in [("new.pack", "tree"), ("new.tree", "pack")] {
        let [_, said] = raicho!(folder, "{rescore} {out} games").outputs();
        said.must_have(format!("note: 1 {left_out} file left out"));
    }
    // What is named is not left out.
    raicho!(folder, "{rescore} named.pack games/games-0001.pack games/games-0001.tree")
        .fails(1, "tree is not written as pack");
}

#[test]
fn another_program_can_score_the_positions() {
    let folder = Folder::new();
    raicho!(folder, "{SHORT} games").outputs();
    let rescore = "rescore games/games-0001.pack";
    raicho!(folder, "{rescore} --positions --out positions.tsv").outputs();
    let positions = folder.text("positions.tsv");
    let of_line = |line: &str| {
        let (key, sfen) = line.split_once('\t').expect("two columns");
        let position = Position::from_sfen(sfen).expect("a good position");
        assert_eq!(format!("{:016x}", position.key().low64()), key);
        format!("\n{key}\t7")
    };
    let lines: String = positions.lines().skip(1).map(of_line).collect();
    assert!(lines.lines().count() > 100, "{positions}");
    let scores = format!("key\tcp{lines}\n");
    folder.write("scores.tsv", &scores);
    raicho!(folder, "{rescore} --scores scores.tsv --out scored.pack").outputs();
    for game in games(&folder, "scored.pack") {
        assert!(game.moves.iter().all(|(_, score)| *score == 7));
    }
    // One score is missing.
    let cut = scores.rfind("\t7").map_or(0, |at| at - 16);
    folder.write("scores.tsv", &scores[..cut]);
    raicho!(folder, "{rescore} --scores scores.tsv --out cut.pack")
        .fails(1, "scores.tsv: ends after ");
    assert!(!folder.has("cut.pack"));
    raicho!(folder, "{rescore} --scores scores.tsv --nodes 5 --out both.pack").ends_with(2);
}

/// Without this check such a run would play games without positions for ever.
#[test]
fn openings_beyond_the_limit_of_moves_are_refused() {
    let folder = Folder::new();
    let late = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 500\n";
    folder.write("late.sfen", late);
    let words = "--eval <material> --nodes 60 --loop 100 --roots late.sfen --out games";
    raicho!(folder, "gensfen {words}").fails(1, "1000 openings were tried");
}

#[test]
fn shards_are_parts_of_the_whole() {
    let folder = Folder::new();
    raicho!(folder, "{SHORT} whole").outputs();
    let parts = [1, 2].map(|shard| {
        let run = format!("part-{shard}");
        raicho!(folder, "{SHORT} {run} --shard {shard}/2").outputs();
        games(&folder, &format!("{run}/games-{shard}of2-0001.pack"))
    });
    let text = |game: &PackGame| format!("{:?}", (game.start.to_sfen(), &game.moves, game.result));
    let whole: Vec<String> = games(&folder, "whole/games-0001.pack").iter().map(text).collect();
    let mut interleaved = Vec::new();
    // The last part is also number 0, and has the first game.
    for (odd, even) in parts[0].iter().zip(&parts[1]) {
        interleaved.extend([text(even), text(odd)]);
    }
    assert_eq!(interleaved, whole);
}

#[test]
fn another_run_does_not_go_on_in_the_same_folder() {
    let folder = Folder::new();
    raicho!(folder, "{SHORT} run").outputs();
    #[rustfmt::skip]
    all_fail(&folder, 1, &format!("{SHORT} run"), &[
        ("", "--resume"),
        ("--resume --seed 2", "seed is 2 instead of 1"),
        ("--resume --write-every 4 --between-nodes 20", "instead of none"),
    ]);
    raicho!(folder, "gensfen --eval <material> --resume --nodes 61 --games 9 --out run")
        .refuses("effort.nodes is 61 instead of 60");
}

#[test]
fn an_option_that_is_left_out_is_missed() {
    let folder = Folder::new();
    raicho!(folder, "{SHORT} run --write-every 2 --between-nodes 20").outputs();
    raicho!(folder, "{SHORT} run --resume").refuses("gaps is none instead of");
}

#[test]
fn a_run_ends_when_a_limit_is_reached() {
    let folder = Folder::new();
    raicho!(folder, "{SHORT} run --loop 1000000").outputs();
    raicho!(folder, "{SHORT} run --positions 1000000 --resume").outputs();
}

#[test]
fn a_run_that_repeats_its_games_ends() {
    let folder = Folder::new();
    let words = "--nodes 1 --opening-nodes 0 --random-plies 0 --loop 100000";
    raicho!(folder, "gensfen --eval <material> {words} --out run")
        .refuses("300 games in a row have no new position");
}

#[test]
fn networks_play_too() {
    let folder = Folder::new();
    let words = "--nodes 60 --opening-nodes 200 --eval <embedded> --games 2";
    raicho!(folder, "gensfen {words} --out run").outputs();
    assert_eq!(games(&folder, "run/games-0001.pack").len(), 2);
    folder.text("run/gensfen.json").must_have("<embedded>, checksum ");
}
