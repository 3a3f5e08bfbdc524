//! Games through all formats, and damaged files.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::records::game::GameRecord;
use crate::records::kif::{self, Style};

/// A game with headings, comments, times, a drop, a promotion and a variation.
const GAME: &str = "開始日時：2026/11/21 10:00:00\n棋戦：試験\n手合割：平手\n先手：髙﨑①\n後手：二番\n\
    *start\n   1 ７六歩(77)   ( 0:16/00:00:16)\n** 35\n*words\n   2 ３四歩(33)   ( 1:02/00:01:02)\n   \
    3 ２二角成(88) ( 0:00/00:00:16)\n   4 同　銀(31)   ( 0:01/00:01:03)\n   5 ４五角打     \
    ( 0:01/00:00:17)\n*last\n   6 投了\n*end\n\n変化：2手\n   2 ８四歩(83)\n   3 ５八金(49)\n";

fn game() -> GameRecord {
    kif::read(GAME).expect("a good record")
}

fn read_one(format: TextFormat, bytes: &[u8]) -> GameRecord {
    let mut games = format.read(bytes);
    assert_eq!(games.len(), 1);
    games.remove(0).expect("what was written")
}

#[test]
fn a_game_goes_through_every_format_and_encoding() {
    let game = game();
    for format in TextFormat::ALL {
        for encoding in [TextEncoding::Utf8, TextEncoding::ShiftJis] {
            let written = format.write(&game, encoding);
            let again = read_one(format, &written.bytes);
            let found = again.line().to_string();
            assert_eq!(found, game.line().to_string(), "{format}");
            if format == TextFormat::Usi {
                continue;
            }
            assert_eq!(again.players, game.players);
            assert_eq!(again.ending, game.ending);
            assert_eq!(again.event, game.event);
            assert_eq!(again.started_at, game.started_at);
            assert_eq!(again.comments, game.comments);
            assert_eq!(again.closing.comments, game.closing.comments);
            for (played, old) in again.moves.iter().zip(&game.moves) {
                assert_eq!(played.comments, old.comments, "{format}");
                if format != TextFormat::Ki2 {
                    assert_eq!(played.time, old.time, "{format}");
                }
            }
            let is_csa = format == TextFormat::Csa;
            assert_eq!(again.variations.len(), usize::from(!is_csa), "{format}");
        }
    }
    assert_eq!(TextFormat::Csa.losses(&game), ["variations"]);
    assert!(TextFormat::Kif.losses(&game).is_empty());
    assert!(TextFormat::Jkf.losses(&game).is_empty());
}

#[test]
fn the_encoding_is_that_of_the_name_unless_letters_are_missing() {
    let mut game = game();
    let written = TextFormat::Kif.write(&game, TextEncoding::ShiftJis);
    assert_eq!(written.encoding, TextEncoding::ShiftJis);
    assert!(String::from_utf8(written.bytes).is_err());
    game.players[0] = "☗😀".to_owned();
    let written = TextFormat::Kif.write(&game, TextEncoding::ShiftJis);
    assert_eq!(written.encoding, TextEncoding::Utf8);
    assert_eq!(read_one(TextFormat::Kif, &written.bytes).players[0], "☗😀");
    let mut marked = "\u{feff}".as_bytes().to_vec();
    marked.extend(&written.bytes);
    assert_eq!(read_one(TextFormat::Kif, &marked).players[0], "☗😀");
}

#[test]
fn odd_comments_come_back() {
    let mut game = game();
    let odd = "tab\there|*星|#井|&x|変化：3手|まで|  |%TORYO|P1-KY".split('|');
    game.moves[1].comments = odd.map(str::to_owned).collect();
    for format in TextFormat::ALL {
        let written = format.write(&game, TextEncoding::Utf8);
        let again = read_one(format, &written.bytes);
        if format != TextFormat::Usi {
            assert_eq!(again.moves[1].comments, game.moves[1].comments, "{format}");
        }
    }
}

#[test]
fn a_broken_game_does_not_stop_the_others() {
    let good = "PI\n+\n+7776FU\n%TORYO\n";
    let csa = format!("{good}/\nPI\n+\n+7775FU\n%TORYO\n/\n{good}");
    let usi = "# games\nstartpos moves 7g7f\n\nstartpos moves 7g7e\nstartpos\n";
    for (format, text, expected) in cases! {
        TextFormat::Csa, &*csa => "line 8: '+7775FU', move 1, is illegal";
        TextFormat::Usi, usi => "line 4: '7g7e', word 3 (move 1)";
    } {
        let games = format.read(text.as_bytes());
        let errors: Vec<_> = games.iter().map(|game| game.as_ref().err()).collect();
        let [None, Some(error), None] = &errors[..] else {
            panic!("{errors:?}");
        };
        assert!(error.to_string().starts_with(expected), "{error}");
    }
    for format in TextFormat::ALL {
        let games = format.read(b"");
        assert_eq!((games.len(), games[0].is_err()), (1, true), "{format}");
    }
}

#[test]
fn formats_are_told_by_names_and_by_contents() {
    let game = game();
    for format in TextFormat::ALL {
        assert_eq!(TextFormat::of_content(&format.text(&game)), format);
        let found = TextFormat::of_name(format.name()).map(|(format, _)| format);
        assert_eq!(found, Some(format));
    }
    let expected = Some((TextFormat::Kif, TextEncoding::Utf8));
    assert_eq!(TextFormat::of_path("a/B.KIFU".as_ref()), expected);
    assert_eq!(TextFormat::of_path("a/b.psv".as_ref()), None);
}

#[test]
fn a_name_goes_before_the_content_unless_nothing_is_read() {
    let found = |named: TextFormat, text: &str| {
        let games = named.read_or(TextFormat::of_content(text), text);
        games[0].as_ref().map_or(0, |game| game.moves.len())
    };
    assert_eq!(found(TextFormat::Csa, "+\n+7776FU\n-3334FU\n%TORYO\n"), 2);
    assert_eq!(found(TextFormat::Kif, "V1000の対局\n   1 ７六歩(77)\n"), 1);
    for format in TextFormat::ALL {
        for named in TextFormat::ALL {
            let count = found(named, &format.text(&game()));
            assert_eq!(count, 5, "{format} as {named}");
        }
    }
    let error = TextFormat::Csa.read_or(TextFormat::Kif, "hello")[0]
        .as_ref()
        .map_or_else(ToString::to_string, |_| String::new());
    assert!(error.contains("'hello' before the position"), "{error}");
}

#[test]
fn games_of_kif_and_ki2_follow_each_other() {
    let lines = |format: TextFormat, text: &str| -> Vec<String> {
        let games = format.read(text.as_bytes()).into_iter();
        let line = |game: &GameRecord| game.line().to_string();
        games.map(|game| game.as_ref().map_or_else(ToString::to_string, line)).collect()
    };
    let kif = "#KIF version=2.0\n開始日時：2026/11/21\n手合割：平手\n先手：一番\n\
               手数----指手----\n   1 ７六歩(77)\n   2 投了\n\n変化：1手\n   1 ２六歩(27)\n";
    let broken = kif.replace("７六歩(77)", "７五歩(77)");
    let expected = "startpos moves 7g7f";
    let found = lines(TextFormat::Kif, &[kif, &*broken, "\u{feff}", kif].concat());
    assert_eq!([&*found[0], &*found[2]], [expected; 2]);
    let error = "line 16: '７五歩(77)', move 1, is illegal";
    assert!(found[1].starts_with(error), "{found:?}");
    assert_eq!(found.len(), 3);
    let ki2 = "手合割：平手\n▲７六歩\nまで1手で中断\n";
    let found = lines(TextFormat::Ki2, &ki2.repeat(2));
    assert_eq!(found, [expected; 2]);
    // Headings alone are no game.
    let text = format!("{ki2}開始日時：2026/11/21\n");
    assert_eq!(lines(TextFormat::Ki2, &text), [expected]);
    let text = format!("手合割：猫落ち\n   1 ７六歩(77)\n{kif}");
    let other = lines(TextFormat::Kif, &text);
    assert_eq!((other.len(), &*other[1]), (2, expected), "{other:?}");
}

#[test]
fn a_line_of_usi_may_end_with_its_result() {
    for (word, ending) in [
        ("", Ending::Unfinished),
        ("resign", Ending::Resignation),
        ("win", Ending::Declaration),
        ("draw", Ending::AdjudicatedDraw),
        ("rep_draw", Ending::Repetition),
        ("timeout", Ending::TimeUp),
        ("break", Ending::Interrupted),
        ("chudan", Ending::Interrupted),
    ] {
        let line = format!("position startpos moves 7g7f 3c3d {word}\n");
        let game = read_one(TextFormat::Usi, line.as_bytes());
        assert_eq!((game.moves.len(), &game.ending), (2, &ending), "{word}");
    }
}

#[test]
fn a_line_of_usi_loses_nothing_as_one() {
    let read = |line: &str| read_one(TextFormat::Usi, line.as_bytes());
    let moves = read("startpos moves 7g7f");
    assert!(TextFormat::Usi.losses(&moves).is_empty());
    for game in [game(), read("startpos moves 7g7f resign")] {
        assert_eq!(TextFormat::Usi.losses(&game).len(), 1);
    }
}

/// A game whose variations are nested in each other.
fn nested(depth: usize) -> String {
    let line = ["４八金(49)", "４二金(41)", "４九金(48)", "４一金(42)"];
    let other = ["７六歩(77)", "３四歩(33)"];
    let variation = |ply: usize| {
        let (here, next) = (line[(ply - 1) % line.len()], other[ply % other.len()]);
        format!("\n変化：{ply}手\n{ply:4} {here}\n{:4} {next}\n", ply + 1)
    };
    let variations: Vec<String> = (1..=depth).map(variation).collect();
    format!("手合割：平手\n   1 ７六歩(77)\n{}", variations.concat())
}

#[test]
fn variations_may_be_nested_deeply() {
    const DEPTH: usize = 3000;
    let game = kif::read(&nested(DEPTH)).expect("a good record");
    assert_eq!(game.variations.len(), DEPTH);
    assert_eq!(game.variations[DEPTH - 1].parent, Some(DEPTH - 2));
    for format in [TextFormat::Kif, TextFormat::Ki2] {
        let again = read_one(format, format.text(&game).as_bytes());
        assert_eq!(again.variations.len(), DEPTH, "{format}");
    }
    let again = read_one(TextFormat::Jkf, TextFormat::Jkf.text(&game).as_bytes());
    assert!((100..DEPTH).contains(&again.variations.len()));
    assert!(again.omissions.is_empty());
    let losses = TextFormat::Jkf.losses(&game);
    let part = "variations nested deeper than";
    assert!(losses[0].starts_with(part), "{losses:?}");
    // What other programs nest deeper is left out.
    let fork = r#"[{"move":{"from":{"x":2,"y":7},"to":{"x":2,"y":6}},"forks":["#;
    let (open, close) = (fork.repeat(DEPTH), "]}]".repeat(DEPTH));
    let text = format!("{{\"moves\":{open}{close}}}");
    let game = read_one(TextFormat::Jkf, text.as_bytes());
    assert!((100..DEPTH).contains(&game.variations.len()));
    assert_eq!(game.omissions.len(), 1, "{:?}", game.omissions);
}

/// Pieces of all formats, to be put where they do not belong.
const PIECES: [&str; 24] = [
    "変化：3手\n",
    "まで3手で先手の勝ち\n",
    "▲同　銀",
    "   7 同　歩(11)\n",
    "| ・v玉|一\n",
    "手合割：九枚落ち\n",
    "後手の持駒：歩十九\n",
    "手数＝99999999999\n",
    "/\n",
    "%TORYO\n",
    "PI82HI\n",
    "P+00AL\n",
    "T99999999999999999999\n",
    "'** -99999999999999999999\n",
    "\"forks\":[[",
    "{\"x\":0,\"y\":255}",
    "null",
    "99999999999999999999",
    "moves",
    "\u{feff}",
    "\0",
    "不成",
    "(",
    "&",
];

#[test]
fn damaged_files_never_stop_the_program() {
    let mut random = ChaCha8Rng::seed_from_u64(42);
    let game = game();
    let board = kif::diagram(&game.start).join("\n") + "\n   1 ７六歩(77)\n";
    let mut files: Vec<(TextFormat, Vec<u8>)> = Vec::new();
    for format in TextFormat::ALL {
        for encoding in [TextEncoding::Utf8, TextEncoding::ShiftJis] {
            files.push((format, format.write(&game, encoding).bytes));
        }
    }
    files.push((TextFormat::Kif, board.into_bytes()));
    let (mut read, mut refused) = (0, 0);
    for round in 0..3000 {
        let (format, file) = &files[round % files.len()];
        let mut bytes = file.clone();
        for _ in 0..random.random_range(1..4) {
            damage(&mut bytes, &mut random);
        }
        for found in format.read(&bytes) {
            match found {
                Ok(found) => {
                    read += 1;
                    check(&found);
                }
                Err(error) => {
                    refused += 1;
                    let places = ["line ", "'moves', entry", "'initial'", "the file"];
                    let error = error.to_string();
                    assert!(places.iter().any(|place| error.contains(place)), "{error}");
                }
            }
        }
    }
    // Both happen, so that the test sees something.
    let is_enough = read > 300 && refused > 300;
    assert!(is_enough, "{read} read, {refused} refused");
}

/// Damages a file at a random place.
fn damage(bytes: &mut Vec<u8>, random: &mut ChaCha8Rng) {
    if bytes.is_empty() {
        return;
    }
    let place = random.random_range(0..bytes.len());
    let end = (place + random.random_range(1..40)).min(bytes.len());
    match random.random_range(0..6) {
        0 => bytes[place] = random.random(),
        1 => drop(bytes.drain(place..end)),
        2 => bytes.truncate(place),
        3 => {
            let part = bytes[place..end].to_vec();
            let to = random.random_range(0..bytes.len());
            bytes.splice(to..to, part);
        }
        4 => {
            let piece = PIECES[random.random_range(0..PIECES.len())];
            bytes.splice(place..place, piece.bytes());
        }
        _ => {
            let digit = b'0' + random.random_range(0..10);
            if let Some(found) = bytes[place..].iter().position(u8::is_ascii_digit) {
                bytes[place + found] = digit;
            }
        }
    }
}

/// The start without its ply, which CSA and JKF lack, and the moves.
fn start_and_moves(game: &GameRecord) -> String {
    let moves = game.moves.iter().map(|played| played.mv.to_string());
    let moves: Vec<String> = moves.collect();
    let sfen = game.start.to_sfen();
    let start = sfen.rsplit_once(' ').map_or("", |(start, _)| start);
    format!("{start} moves {}", moves.join(" "))
}

/// What was read can be written in every format and read back, with the same moves and ending.
fn check(game: &GameRecord) {
    for format in TextFormat::ALL {
        let written = format.write(game, TextEncoding::ShiftJis);
        let again = read_one(format, &written.bytes);
        let lines = [&again, game].map(start_and_moves);
        assert_eq!(lines[0], lines[1], "{format}: {}", format.text(game));
        // Lines of USI have no ending, and CSA has no word for none.
        if format != TextFormat::Usi && game.ending != Ending::Unfinished {
            assert_eq!(again.ending, game.ending, "{format}: {}", format.text(game));
        }
    }
    let _ = kif::losses(game, Style::Ki2);
}
