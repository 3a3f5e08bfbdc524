//! Teacher data: real positions and games through every format, and the commands of the executable.

use std::collections::HashMap;
use std::fs;

use crate::common::{Random, corpora, corpus, every_start, position};
use crate::folder::Folder;
use crate::runner::{Text, all_fail, raicho};
use raicho::position::Position;
use raicho::records::formations::{Formations, HEADING};
use raicho::records::packed::{HuffmanCodedPos, PackedSfen};
use raicho::records::sample::PackedSfenValue;
use raicho::records::teacher::{Format, TeacherReader, TeacherWriter};
use raicho::records::{csa, encoding};

#[test]
fn positions_come_back_byte_for_byte() {
    let mut sfens: Vec<String> = every_start().map(str::to_owned).collect();
    for name in ["legal_moves.tsv", "perft_depth1.tsv"] {
        let rows = corpus(name).unwrap_or_default();
        let fields = rows.iter().filter_map(|row| row.split('\t').next());
        sfens.extend(fields.map(str::to_owned));
    }
    for name in ["mate/mate-11-ply.txt", "mate/mate-1-ply.txt"] {
        sfens.extend(corpus(name).unwrap_or_default());
    }
    for sfen in &sfens {
        let position = position(sfen);
        let sfen = position.to_sfen();
        let packed = PackedSfen::of(&position);
        let read = packed.unpack(position.game_ply()).unwrap();
        assert_eq!(read.to_sfen(), sfen);
        assert_eq!(PackedSfen::of(&read), packed, "{sfen}");
        let hcp = HuffmanCodedPos::of(&position);
        let read = hcp.unpack(position.game_ply()).unwrap();
        assert_eq!(read.to_sfen(), sfen);
        assert_eq!(HuffmanCodedPos::of(&read), hcp, "{sfen}");
    }
    println!("{} positions", sfens.len());
}

/// Any bytes are a position or an error, and every position read can be packed again.
#[test]
fn any_bytes_are_a_position_or_an_error() {
    let mut random = Random(1);
    let start = PackedSfen::of(&Position::startpos()).to_bytes();
    let mut good = 0;
    for round in 0..200_000 {
        let mut bytes = start;
        if round % 2 == 0 {
            // A few wrong bits, or else random bytes after valid kings.
            for _ in 0..=random.below(3) {
                bytes[random.below(32)] ^= 1 << random.below(8);
            }
        } else {
            bytes[2..].fill_with(|| random.next() as u8);
        }
        for read in
            [PackedSfen::from_bytes(bytes).unpack(1), HuffmanCodedPos::from_bytes(bytes).unpack(1)]
        {
            let Ok(position) = read else { continue };
            good += 1;
            let again = PackedSfen::of(&position).unpack(1).unwrap();
            assert_eq!(again.to_sfen(), position.to_sfen());
        }
    }
    assert!(good > 100);
}

// --- The commands ---

const LINES: &str = "startpos moves 7g7f 3c3d 8h2b+ 3a2b resign\n\
     sfen lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1 moves 3c3d 7g7f draw\n";
const GAME: &str = "V2.2\nPI\n+\n+7776FU\n%TORYO\n";

#[test]
fn convert_goes_there_and_back() {
    let folder = Folder::new();
    folder.write("a.usi", LINES);
    let mut before = "a.usi".to_owned();
    for format in ["pack", "hcpe3", "hcpe", "psv", "usi"] {
        let next = format!("b.{format}");
        raicho!(folder, "convert {before} --out {next}").says("6 positions written");
        before = next;
    }
    assert_eq!(folder.text("b.usi"), LINES);
    raicho!(folder, "convert a.usi --out b.psv")
        .fails(1, "b.psv exists already; --force replaces it");
    raicho!(folder, "convert a.usi --out b.psv --force").outputs();
    // Teacher data would lose the names and times of games as text.
    #[rustfmt::skip]
    all_fail(&folder, 2, "convert a.usi --out", &[
        ("a.usi --force", "is read and cannot be written"),
        ("c.psv --held-out ./c.psv", "--out and --held-out are the same file"),
        ("c.csa --entered-kings", "--entered-kings is for teacher data"),
        ("c.csa --held-out h.pack", "--held-out is for teacher data"),
    ]);
    raicho!(folder, "convert a.usi --out c.usi --entered-kings").outputs();
}

#[test]
fn a_game_as_text_goes_to_standard_output_or_to_a_name_of_its_own() {
    let folder = Folder::new();
    folder.write("x.usi", "startpos moves 7g7f 3c3d\n");
    raicho!(folder, "convert x.usi --out - --to kifu").says("2 ３四歩(33)");
    // A name that is wrong.
    folder.write("named.kif", "PI\n+\n+7776FU\n");
    raicho!(folder, "convert named.kif --out - --to usi").says("startpos moves 7g7f");
    #[rustfmt::skip]
    all_fail(&folder, 2, "", &[
        ("convert x.usi --out -", "--out - is for games as text, with --to"),
        ("convert x.usi --out - --to psv", "--out - is for games as text"),
        ("shuffle x.usi --out -", "-: unknown format '', expected"),
    ]);
    // Names depend neither on the order of the files nor on others but those of the same name.
    for words in ["x.usi x.jkf x.csa", "x.csa x.usi x.jkf"] {
        raicho!(folder, "convert x.usi --out x.jkf --force").outputs();
        raicho!(folder, "convert x.usi --out x.csa --force").outputs();
        raicho!(folder, "convert {words} --out out --to kifu --force").outputs();
    }
    for name in ["x.usi.kifu", "x.jkf.kifu", "x.csa.kifu"] {
        assert!(!folder.bytes(&format!("out/{name}")).is_empty());
    }
}

#[test]
fn games_of_a_file_keep_their_numbers() {
    let folder = Folder::new();
    let broken = GAME.replace("+7776FU", "+7775FU");
    folder.write("many.csa", [GAME, GAME, &broken, GAME].join("/\n"));
    raicho!(folder, "convert many.csa --out out --to kifu").fails(1, "game 3");
    let names = folder.names("out");
    assert_eq!(names, ["many-1.kifu", "many-2.kifu", "many-4.kifu"]);
    let is_empty = |name: &String| folder.bytes(&format!("out/{name}")).is_empty();
    assert!(!names.iter().any(is_empty));
}

#[test]
fn a_match_is_read_once() {
    let folder = Folder::new();
    folder.write("run/csa/000000.csa", GAME);
    folder.write("run/games.sfen", "startpos moves 7g7f resign\n");
    // Without settings it is not a match.
    raicho!(folder, "convert run --out all.usi").says("2 games");
    folder.write("run/match.json", "{}");
    raicho!(folder, "convert run --out all.usi --force").said().must_lack("2 games");
}

#[cfg(unix)]
#[test]
fn links_pipes_and_the_output_of_the_program_are_written_as_they_are() {
    use std::io::Write as _;
    use std::os::unix::fs::{FileTypeExt as _, symlink};

    let folder = Folder::new();
    folder.write("a.usi", LINES);
    raicho!(folder, "convert a.usi --out b.psv").outputs();
    let expected = folder.bytes("b.psv");
    folder.write("old.psv", "old");
    symlink("old.psv", folder.file("link.psv")).expect("a link can be made");
    raicho!(folder, "convert a.usi --out link.psv").fails(1, "--force");
    raicho!(folder, "convert a.usi --out link.psv --force").outputs();
    assert_eq!(folder.bytes("old.psv"), expected);
    assert!(folder.file("link.psv").is_symlink());

    let made = std::process::Command::new("mkfifo").arg(folder.file("pipe.psv")).status();
    assert!(made.expect("mkfifo runs").success());
    for force in ["", " --force"] {
        let pipe = folder.file("pipe.psv");
        let reader = std::thread::spawn(move || fs::read(pipe).expect("it can be read"));
        raicho!(folder, "convert a.usi --out pipe.psv{force}").outputs();
        assert_eq!(reader.join().expect("it reads"), expected);
    }
    let pipe = folder.file("pipe.psv").symlink_metadata();
    assert!(pipe.expect("it is there").file_type().is_fifo());

    // A pipe of the shell, and a file after what stands there.
    let convert = || raicho!(folder, "convert a.usi --to psv --force --out /dev/stdout");
    let output = convert().output();
    assert!(output.status.success() && output.stdout == expected);
    let mut out = fs::File::create(folder.file("c.psv")).expect("it can be made");
    out.write_all(b"before").expect("it can be written");
    let handle = out.try_clone().expect("a handle");
    let status = convert().command().stdout(handle).status();
    assert!(status.expect("raicho runs").success());
    out.write_all(b"behind").expect("it can be written");
    let expected = [b"before", &expected[..], b"behind"].concat();
    assert_eq!(folder.bytes("c.psv"), expected);
    // Games as text go another way, where a name without an extension can be that of a folder.
    let text = raicho!(folder, "convert a.usi --to csa --out /dev/stdout").says("V2.2");
    text.must_have("+7776FU");
    assert_eq!(folder.names(".").len(), 6, "nothing half written is left");
}

#[test]
fn validate_names_bad_records_and_writes_good_ones() {
    let folder = Folder::new();
    folder.write("a.usi", LINES);
    raicho!(folder, "convert a.usi --out a.psv").outputs();
    raicho!(folder, "validate a.psv").says("0 bad records");
    let mut bytes = folder.bytes("a.psv");
    bytes[80 + 38] = 7;
    folder.write("b.psv", &bytes);
    let said = raicho!(folder, "validate b.psv").ends_with(1).concat();
    said.must_have("b.psv: record 3, at byte 80: result 7, expected 1, 0 or -1");
    said.must_have("1  bad result");
    raicho!(folder, "validate b.psv --skip c.psv").outputs();
    let good = [&bytes[..80], &bytes[120..]].concat();
    assert_eq!(folder.bytes("c.psv"), good);
}

#[test]
fn shuffle_dedup_and_stats_run() {
    let folder = Folder::new();
    folder.write("shards/1.usi", LINES);
    folder.write("shards/2.usi", LINES);
    folder.write("shards/readme.txt", "no data");
    raicho!(folder, "shuffle shards --out a.psv --memory 1").says("12 positions written");
    raicho!(folder, "dedup a.psv --out b.psum")
        .says("6 positions written, 6 of them occurred more than once");
    raicho!(folder, "stats b.psum shards --svg c.svg")
        .says("4  games, 0.0 % black won, 50.0 % white won");
    folder.text("c.svg").must_begin("<svg");
}

/// Files of every format with changed, missing or random bytes give records or errors and never
/// panic.
#[test]
fn damaged_files_are_read_to_their_end() {
    let pack = {
        let mut writer = TeacherWriter::new(Vec::new(), Format::Pack);
        for line in LINES.lines() {
            let record = TeacherReader::new(line.as_bytes(), Format::Usi).next();
            writer.write(&record.unwrap().unwrap()).unwrap();
        }
        writer.finish().unwrap().0.repeat(5)
    };
    let mut random = Random(7);
    for format in Format::ALL {
        let mut writer = TeacherWriter::new(Vec::new(), format);
        for record in TeacherReader::new(&pack[..], Format::Pack) {
            let _ = writer.write(&record.unwrap());
        }
        let good = writer.finish().unwrap().0;
        for _ in 0..300 {
            let mut bytes = good.clone();
            for _ in 0..=random.below(20) {
                if bytes.is_empty() || random.one_in(20) {
                    bytes.extend(random.next().to_le_bytes());
                }
                let place = random.below(bytes.len());
                match random.below(30) {
                    0 => bytes.truncate(place),
                    1..15 => bytes[place] ^= 1 << random.below(8),
                    _ => bytes[place] = random.next() as u8,
                }
            }
            for record in TeacherReader::new(&bytes[..], format) {
                match record {
                    Ok(record) => record.for_each_sample(|sample| {
                        assert!(PackedSfenValue::from_sample(sample).ply > 0);
                    }),
                    Err(error) => assert!(!error.to_string().is_empty()),
                }
            }
        }
    }
}

/// Every record is read and survives writing and reading again, or its error names a line.
#[test]
fn records_of_csa() {
    let Some(folder) = corpora() else {
        return;
    };
    let mut read = 0;
    let mut endings: HashMap<&str, u32> = HashMap::new();
    for entry in fs::read_dir(folder.join("csa")).unwrap() {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        let text = encoding::decode(&bytes);
        let name = path.file_name().unwrap().to_string_lossy();
        let games = match csa::read(&text) {
            Ok(games) => games,
            Err(error) => {
                println!("{name}: {error}");
                error.to_string().must_begin("line ");
                continue;
            }
        };
        assert_eq!(games.len(), 1, "{name}");
        let game = &games[0];
        *endings.entry(game.ending.name()).or_insert(0) += 1;
        let again = csa::read(&csa::write(game)).unwrap();
        let lines = [&again[0], game].map(|game| game.line().to_string());
        assert_eq!(lines[0], lines[1], "{name}");
        read += 1;
    }
    assert!(read >= 30, "{read}");
    // Two of them in a mate: the record says that the loser resigned.
    assert_eq!(endings["resignation"], 5);
    assert_eq!(endings["perpetual check"], 3);
    assert_eq!(endings["illegal declaration"], 1);
    assert_eq!(endings["illegal move"], 1);
}

/// The names of the openings are those of the records' headings, or more special ones.
#[test]
fn openings_of_the_corpora() {
    let Some(folder) = corpora() else {
        return;
    };
    let mut named = 0;
    for entry in fs::read_dir(folder.join("csa")).unwrap() {
        let path = entry.unwrap().path();
        let games = csa::read(&encoding::decode(&fs::read(&path).unwrap())).unwrap_or_default();
        for game in games {
            // One heading says that the opening has no name, some records have two moves.
            let heading = game.heading(HEADING).filter(|&name| name != "その他の戦型");
            let Some(heading) = heading.filter(|_| game.moves.len() > 2) else {
                continue;
            };
            let opening = Formations::of_record(&game).opening;
            let name = opening.map_or("", |found| found.formation.ja);
            // 相振飛車 is 相振り飛車.
            let [name, heading] = [name, heading].map(|name| name.replace('り', ""));
            assert!(name.contains(&heading), "{}: {name}, not {heading}", path.display());
            named += 1;
        }
    }
    assert_eq!(named, 9);
}

// --- What the wild has ---

#[test]
fn what_is_guessed_is_noted_or_refused() {
    let folder = Folder::new();
    let game = "   1 ７六歩(77)\n   2 ３四歩(33)\n   3 ２二馬(88)\n   4 ５四歩打\n";
    folder.write("a.kifu", game);
    let notes = raicho!(folder, "convert a.kifu --out a.csa")
        .says("line 3: '２二馬(88)', read as ２二角成(88)");
    notes.must_have("read as the end of the game");
    let csa = folder.text("a.csa");
    csa.must_have("+8822UM\n").must_have("%ILLEGAL_MOVE\n");
    raicho!(folder, "convert a.csa --out b.jkf").outputs();
    folder.text("b.jkf").must_have("\"special\":\"ILLEGAL_MOVE\"");
    raicho!(folder, "convert a.kifu --out c.usi --strict").fails(1, "which --strict refuses");
}

/// The problem is the same in each format.
#[test]
fn problems_come_as_records() {
    let folder = Folder::new();
    let board = "手合割：詰将棋\n後手の持駒：残り全部\n| ・ ・ ・ ・ ・ ・ ・ ・v玉|一\n\
        | ・ ・ ・ ・ ・ ・ ・ 歩 ・|二\n| ・ ・ ・ ・ ・ ・ ・ 金 ・|三\n"
        .to_owned()
        + &"| ・ ・ ・ ・ ・ ・ ・ ・ ・|四\n".repeat(6)
        + "先手の持駒：金\n先手番\n";
    let words = format!("{board}手数----指手---------消費時間--\n   1 １二金打\n");
    folder.write("a.kifu", words);
    folder.write("b.ki2u", format!("{board}\n▲１二金打\n"));
    folder.write(
        "c.csa",
        "P1 *  *  *  *  *  *  *  * -OU\nP2 *  *  *  *  *  *  * +FU * \n\
        P3 *  *  *  *  *  *  * +KI * \nP+00KI\nP-00AL\n",
    );
    raicho!(folder, "convert a.kifu --out d.jkf").outputs();
    raicho!(folder, "convert a.kifu --out a.sfen").outputs();
    let sfen = "8k/7P1/7G1/9/9/9/9/9/9 b G2r2b2g4s4n4l17p 1\n";
    assert_eq!(folder.text("a.sfen"), sfen);
    for name in ["a.kifu", "b.ki2u", "c.csa", "d.jkf", "a.sfen"] {
        raicho!(folder, "mate {name}").prints("1 mate, ");
    }
}

#[test]
fn positions_without_a_move_are_data() {
    let folder = Folder::new();
    let record = PackedSfenValue {
        position: PackedSfen::of(&Position::startpos()),
        score: 20,
        mv: 0,
        ply: 1,
        result: 0,
        padding: 0,
    };
    folder.write("a.psv", record.to_bytes().repeat(20));
    raicho!(folder, "validate a.psv").prints("20 of them with no move recorded");
    raicho!(folder, "stats a.psv").outputs();
    raicho!(folder, "shuffle a.psv --out b.psv").outputs();
    raicho!(folder, "dedup a.psv --out c.psv").outputs();
    let rescore = "rescore a.psv --eval <material> --static";
    raicho!(folder, "{rescore} --out d.psv").outputs();
    raicho!(folder, "convert a.psv --out e.hcpe").says("20 of them with no move recorded");
    // Bytes 34 and 35 are the move.
    assert_eq!(folder.bytes("e.hcpe")[34..36], [0, 0]);
    // Bytes 32 and 33 are the score.
    let rescored = folder.bytes("d.psv");
    assert_eq!((rescored.len(), &rescored[32..34]), (800, &[0, 0][..]));
}
