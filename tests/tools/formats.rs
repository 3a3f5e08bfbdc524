//! Teacher data: real positions and games through every format, and the commands of the executable.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::common::{self, FEWER_KINGS, TWO_KINGS, corpus, position};
use raicho::position::Position;
use raicho::records::game::GameResult;
use raicho::records::pack::{PackGame, PackReason, PackWriter};
use raicho::records::packed::{HuffmanCodedPos, PackedSfen};
use raicho::records::psv::PackedSfenValue;
use raicho::records::sfen_line::SfenLine;
use raicho::records::teacher::{Format, TeacherReader, TeacherWriter};
use raicho::records::{csa, encoding};

#[test]
fn positions_come_back_byte_for_byte() {
    let mut sfens: Vec<String> = TWO_KINGS.map(str::to_owned).to_vec();
    sfens.extend(FEWER_KINGS.map(str::to_owned));
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
    let mut random = common::Random(1);
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
        for read in [
            PackedSfen::from_bytes(bytes).unpack(1),
            HuffmanCodedPos::from_bytes(bytes).unpack(1),
        ] {
            let Ok(position) = read else { continue };
            good += 1;
            let again = PackedSfen::of(&position).unpack(1).unwrap();
            assert_eq!(again.to_sfen(), position.to_sfen());
        }
    }
    assert!(good > 100);
}

/// The games of the corpus, with made-up scores.
fn games() -> Vec<PackGame> {
    let rows = corpus("games_usi.txt").unwrap_or_default();
    let game = |(number, row): (usize, &String)| {
        let line: SfenLine = row.parse().unwrap();
        let scores = (0..).map(|ply: i16| (ply * 7 + number as i16) % 400 - 200);
        PackGame {
            start: line.start,
            moves: line.moves.into_iter().zip(scores).collect(),
            result: GameResult::from_code((number % 3) as u8).unwrap(),
            reason: PackReason::RESIGNATION,
        }
    };
    rows.iter().enumerate().map(game).collect()
}

#[test]
fn games_come_back_byte_for_byte() {
    let mut writer = PackWriter::new(Vec::new());
    for game in games() {
        writer.write(&game).unwrap();
    }
    let bytes = writer.into_inner();
    let mut again = PackWriter::new(Vec::new());
    for record in TeacherReader::new(&bytes[..], Format::Pack) {
        again.write(&record.unwrap().game().unwrap().game).unwrap();
    }
    assert!(again.into_inner() == bytes);
}

// --- The commands ---

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path).unwrap();
        Self(path)
    }

    /// Runs `raicho` here.
    fn raicho(&self, line: &str) -> Output {
        Command::new(env!("CARGO_BIN_EXE_raicho"))
            .args(line.split_whitespace())
            .current_dir(&self.0)
            .output()
            .unwrap()
    }

    fn good(&self, line: &str) -> String {
        let output = self.raicho(line);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{line}: {stderr}");
        String::from_utf8(output.stdout).unwrap() + &stderr
    }

    fn bad(&self, line: &str) -> String {
        self.ends_with(1, line)
    }

    fn ends_with(&self, status: i32, line: &str) -> String {
        let output = self.raicho(line);
        assert_eq!(output.status.code(), Some(status), "{line}");
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap()
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.0.join(name)).unwrap()
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.0.join(name), bytes).unwrap();
    }
}

const LINES: &str = "startpos moves 7g7f 3c3d 8h2b+ 3a2b resign\n\
     sfen lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1 moves 3c3d 7g7f draw\n";

#[test]
fn convert_goes_there_and_back() {
    let folder = Folder::new("convert");
    folder.write("a.usi", LINES.as_bytes());
    let mut before = "a.usi".to_owned();
    for format in ["pack", "hcpe3", "hcpe", "psv", "usi"] {
        let next = format!("b.{format}");
        let said = folder.good(&format!("convert {before} --out {next}"));
        assert!(said.contains("6 positions written"), "{said}");
        before = next;
    }
    assert_eq!(folder.read("b.usi"), LINES.as_bytes());
    let said = folder.bad("convert a.usi --out b.psv");
    assert!(
        said.contains("b.psv exists already; --force replaces it"),
        "{said}"
    );
    folder.good("convert a.usi --out b.psv --force");
    let said = folder.ends_with(2, "convert a.usi --out a.usi --force");
    assert!(said.contains("is read and cannot be written"), "{said}");
    let said = folder.ends_with(2, "convert a.usi --out c.psv --held-out ./c.psv");
    assert!(
        said.contains("--out and --held-out are the same file"),
        "{said}"
    );
    // Teacher data would lose the names and times of games as text.
    for option in ["--entered-kings", "--held-out h.pack"] {
        let said = folder.ends_with(2, &format!("convert a.usi --out c.csa {option}"));
        let name = option.split(' ').next().unwrap_or_default();
        assert!(
            said.contains(&format!("{name} is for teacher data")),
            "{said}"
        );
    }
    folder.good("convert a.usi --out c.usi --entered-kings");
    let said = folder.ends_with(2, "convert a.usi --out c.xyz");
    assert!(
        said.contains("unknown format 'xyz', expected psv"),
        "{said}"
    );
}

#[test]
fn a_game_as_text_goes_to_standard_output_or_to_a_name_of_its_own() {
    let folder = Folder::new("convert-stdout");
    folder.write("x.usi", b"startpos moves 7g7f 3c3d\n");
    let text = folder.good("convert x.usi --out - --to kifu");
    assert!(text.contains("2 ３四歩(33)"), "{text}");
    // A name that is wrong.
    folder.write("named.kif", b"PI\n+\n+7776FU\n");
    let text = folder.good("convert named.kif --out - --to usi");
    assert!(text.contains("startpos moves 7g7f"), "{text}");
    for (words, expected) in [
        (
            "convert x.usi --out -",
            "--out - is for games as text, with --to",
        ),
        (
            "convert x.usi --out - --to psv",
            "--out - is for games as text",
        ),
        ("shuffle x.usi --out - --to psv", "'-' is no output here"),
    ] {
        let said = folder.ends_with(2, words);
        assert!(said.contains(expected), "{said}");
    }
    // Names depend neither on the order of the files nor on others but those of the same name.
    for words in ["x.usi x.jkf x.csa", "x.csa x.usi x.jkf"] {
        folder.good("convert x.usi --out x.jkf --force");
        folder.good("convert x.usi --out x.csa --force");
        folder.good(&format!("convert {words} --out out --to kifu --force"));
    }
    for name in ["x.usi.kifu", "x.jkf.kifu", "x.csa.kifu"] {
        assert!(!folder.read(&format!("out/{name}")).is_empty());
    }
}

#[test]
fn games_of_a_file_keep_their_numbers() {
    let folder = Folder::new("convert-numbers");
    let game = "V2.2\nPI\n+\n+7776FU\n%TORYO\n";
    let broken = game.replace("+7776FU", "+7775FU");
    folder.write(
        "many.csa",
        [game, game, &broken, game].join("/\n").as_bytes(),
    );
    let said = folder.ends_with(1, "convert many.csa --out out --to kifu");
    assert!(said.contains("game 3"), "{said}");
    for number in [1, 2, 4] {
        assert!(!folder.read(&format!("out/many-{number}.kifu")).is_empty());
    }
    assert!(!folder.0.join("out/many-3.kifu").exists());
}

#[test]
fn a_match_is_read_once() {
    let folder = Folder::new("convert-match");
    fs::create_dir_all(folder.0.join("run/csa")).unwrap();
    folder.write("run/csa/000000.csa", b"V2.2\nPI\n+\n+7776FU\n%TORYO\n");
    folder.write("run/games.sfen", b"startpos moves 7g7f resign\n");
    let count = |words: &str| folder.good(&format!("{words} --force")).contains("2 games");
    assert!(
        count("convert run --out all.usi"),
        "without settings it is no match"
    );
    folder.write("run/match.json", b"{}");
    assert!(!count("convert run --out all.usi"));
}

#[cfg(unix)]
#[test]
fn links_pipes_and_the_output_of_the_program_are_written_as_they_are() {
    use std::io::Write as _;
    use std::os::unix::fs::{FileTypeExt as _, symlink};

    let folder = Folder::new("convert-through");
    folder.write("a.usi", LINES.as_bytes());
    folder.good("convert a.usi --out b.psv");
    let expected = folder.read("b.psv");
    let file = |name: &str| folder.0.join(name);
    folder.write("old.psv", b"old");
    symlink("old.psv", file("link.psv")).expect("a link can be made");
    assert!(
        folder
            .bad("convert a.usi --out link.psv")
            .contains("--force")
    );
    folder.good("convert a.usi --out link.psv --force");
    assert_eq!(folder.read("old.psv"), expected);
    let is_link = file("link.psv").symlink_metadata();
    assert!(is_link.expect("it is there").is_symlink());

    let made = Command::new("mkfifo").arg(file("pipe.psv")).status();
    assert!(made.expect("mkfifo runs").success());
    for force in ["", " --force"] {
        let pipe = file("pipe.psv");
        let reader = std::thread::spawn(move || fs::read(pipe).expect("it can be read"));
        folder.good(&format!("convert a.usi --out pipe.psv{force}"));
        assert_eq!(reader.join().expect("it reads"), expected);
    }
    let pipe = file("pipe.psv").symlink_metadata();
    assert!(pipe.expect("it is there").file_type().is_fifo());

    // A pipe of the shell, and a file behind what stands there.
    let convert = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_raicho"));
        let words = "convert a.usi --to psv --force --out /dev/stdout";
        command.current_dir(&folder.0).args(words.split(' '));
        command
    };
    let output = convert().output().expect("raicho runs");
    assert!(output.status.success() && output.stdout == expected);
    let mut out = fs::File::create(file("c.psv")).expect("it can be made");
    out.write_all(b"before").expect("it can be written");
    let status = convert()
        .stdout(out.try_clone().expect("a handle"))
        .status();
    assert!(status.expect("raicho runs").success());
    out.write_all(b"behind").expect("it can be written");
    assert_eq!(
        folder.read("c.psv"),
        [b"before", &expected[..], b"behind"].concat()
    );
    // Games as text go another way, where a name without an extension can be that of a folder.
    let text = folder.good("convert a.usi --to csa --out /dev/stdout");
    assert!(text.contains("V2.2") && text.contains("+7776FU"), "{text}");
    let left = fs::read_dir(&folder.0).expect("it is there").count();
    assert_eq!(left, 6, "nothing half written is left");
}

#[test]
fn validate_names_bad_records_and_writes_good_ones() {
    let folder = Folder::new("validate");
    folder.write("a.usi", LINES.as_bytes());
    folder.good("convert a.usi --out a.psv");
    assert!(folder.good("validate a.psv").contains("0 bad records"));
    let mut bytes = folder.read("a.psv");
    bytes[80 + 38] = 7;
    folder.write("b.psv", &bytes);
    let said = folder.bad("validate b.psv");
    assert!(
        said.contains("b.psv: record 3, at byte 80: result 7, expected 1, 0 or -1"),
        "{said}"
    );
    assert!(said.contains("1  bad result"), "{said}");
    folder.good("validate b.psv --skip c.psv");
    assert_eq!(folder.read("c.psv"), [&bytes[..80], &bytes[120..]].concat());
}

#[test]
fn shuffle_dedup_and_stats_run() {
    let folder = Folder::new("tools");
    fs::create_dir(folder.0.join("shards")).unwrap();
    folder.write("shards/1.usi", LINES.as_bytes());
    folder.write("shards/2.usi", LINES.as_bytes());
    folder.write("shards/readme.txt", b"no data");
    assert!(
        folder
            .good("shuffle shards --out a.psv --memory 1")
            .contains("12 positions written")
    );
    let said = folder.good("dedup a.psv --out b.psum");
    assert!(
        said.contains("6 positions written, 6 of them occurred more than once"),
        "{said}"
    );
    assert!(
        folder
            .good("stats b.psum shards --svg c.svg")
            .contains("4  games, 0.0 % black won, 50.0 % white won")
    );
    assert!(folder.read("c.svg").starts_with(b"<svg"));
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
    let mut random = common::Random(7);
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
    let Some(folder) = std::env::var_os("RAICHO_CORPORA") else {
        println!("csa: skipped, RAICHO_CORPORA names no folder of corpora");
        return;
    };
    let mut read = 0;
    let mut endings: HashMap<&str, u32> = HashMap::new();
    for entry in fs::read_dir(Path::new(&folder).join("csa")).unwrap() {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        let text = encoding::decode(&bytes);
        let name = path.file_name().unwrap().to_string_lossy();
        let games = match csa::read(&text) {
            Ok(games) => games,
            Err(error) => {
                println!("{name}: {error}");
                assert!(error.to_string().starts_with("line "));
                continue;
            }
        };
        assert_eq!(games.len(), 1, "{name}");
        let game = &games[0];
        println!(
            "{name}: {} plies, {}, won by {:?}",
            game.moves.len(),
            game.ending,
            game.winner()
        );
        *endings.entry(game.ending.name()).or_insert(0) += 1;
        let again = csa::read(&csa::write(game)).unwrap();
        assert_eq!(
            again[0].line().to_string(),
            game.line().to_string(),
            "{name}"
        );
        read += 1;
    }
    assert!(read >= 30, "{read}");
    // Two of them in a mate: the record says that the loser resigned.
    assert_eq!(endings["resignation"], 5);
    assert_eq!(endings["perpetual check"], 3);
    assert_eq!(endings["illegal declaration"], 1);
    assert_eq!(endings["illegal move"], 1);
}
