//! Games through every format and back, and the place and class of every kind of invalid record.

use super::*;
use crate::position::{Board, Position};
use crate::records::pack::{PackGame, PackReason};
use crate::records::packed::{HuffmanCodedPos, PackedSfen};
use crate::records::sample::TreePosition;
use crate::types::{Bound, Color, Move16, Piece, Square};
use crate::{movegen::legal_moves, records::game::GameResult, records::sample::PackedSfenValue};

const HANDICAP: &str = "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";

/// Games of made-up moves and scores, from an even and from a handicap start.
fn games() -> Vec<PackGame> {
    (0..20).map(game).collect()
}

fn game(number: usize) -> PackGame {
    let start = if number.is_multiple_of(3) {
        Position::from_sfen(HANDICAP).expect("the SFEN of a test")
    } else {
        Position::startpos()
    };
    let mut position = start.clone();
    let mut moves = Vec::new();
    for ply in 0..30 + number {
        let legal = legal_moves(&position);
        let Some(&mv) = legal.get((number * 7919 + ply * 104_729) % legal.len().max(1)) else {
            break;
        };
        moves.push((mv, (number * 31 + ply * 17) as i16 - 300));
        position.do_move(mv);
    }
    PackGame {
        start,
        moves,
        result: GameResult::from_code((number % 3) as u8).expect("three codes"),
        reason: PackReason::RESIGNATION,
    }
}

fn write(records: &[Record], format: Format) -> Vec<u8> {
    let mut writer = TeacherWriter::new(Vec::new(), format);
    for record in records {
        writer.write(record).expect("a format with scores");
    }
    writer.finish().expect("a vector takes everything").0
}

fn read(bytes: &[u8], format: Format) -> Vec<Record> {
    let records = TeacherReader::new(bytes, format);
    records.map(|record| record.expect("a good record")).collect()
}

fn errors(bytes: &[u8], format: Format) -> Vec<TeacherError> {
    TeacherReader::new(bytes, format).filter_map(Result::err).collect()
}

fn convert(bytes: &[u8], from: Format, to: Format) -> Vec<u8> {
    write(&read(bytes, from), to)
}

fn pack() -> Vec<u8> {
    let records: Vec<Record> = games().into_iter().map(Record::from).collect();
    write(&records, Format::Pack)
}

#[test]
fn a_file_comes_out_of_its_own_format_byte_for_byte() {
    let pack = pack();
    for format in Format::ALL {
        if !format.is_writable() || format == Format::Tree {
            continue;
        }
        let bytes = convert(&pack, Format::Pack, format);
        assert!(convert(&bytes, format, format) == bytes, "{format}");
    }
}

#[test]
fn games_come_back_from_positions() {
    let pack = pack();
    for format in [Format::Hcpe3, Format::Hcpe] {
        let bytes = convert(&pack, Format::Pack, format);
        assert!(convert(&bytes, format, Format::Pack) == pack, "{format}");
    }
    // Scores are rounded to the coarser units of psv, once.
    let psv = convert(&pack, Format::Pack, Format::Psv);
    let again = convert(&psv, Format::Psv, Format::Pack);
    assert_eq!(again.len(), pack.len());
    assert!(convert(&again, Format::Pack, Format::Psv) == psv);
    let csa = convert(&pack, Format::Pack, Format::Csa);
    // The bytes of the reasons differ: CSA has words for them.
    assert!(convert(&csa, Format::Csa, Format::Psv) == psv);
    // Lines of USI have no scores.
    let lines = convert(&pack, Format::Pack, Format::Usi);
    let games = read(&lines, Format::Usi);
    assert_eq!(games.len(), 20);
    assert!(write(&games, Format::Usi) == lines);
}

#[test]
fn positions_are_the_same_in_every_format() {
    let pack = pack();
    let sfen = convert(&pack, Format::Pack, Format::Sfen);
    for format in [Format::Psv, Format::Hcpe3, Format::Usi] {
        let bytes = convert(&pack, Format::Pack, format);
        if format == Format::Hcpe3 {
            // The format stores no ply; both starts have ply 1.
            assert_eq!(read(&bytes, format).len(), 20);
        }
        assert!(convert(&bytes, format, Format::Sfen) == sfen, "{format}");
    }
    let hcp = convert(&pack, Format::Pack, Format::Hcp);
    let lines = sfen.split(|&byte| byte == b'\n').count() - 1;
    assert_eq!(hcp.len() / 32, lines);
}

#[test]
fn positions_alone_are_no_teacher_data() {
    let record = Record::Position(PackedSfen::of(&Position::startpos()), 1);
    let mut writer = TeacherWriter::new(Vec::new(), Format::Kif);
    let error = writer.write(&record).expect_err("read only");
    assert!(error.to_string().starts_with("kif holds one game"));
    let mut writer = TeacherWriter::new(Vec::new(), Format::Psv);
    let error = writer.write(&record).expect_err("no score");
    let expected = "psv needs scores and results, which a position alone does not have";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn positions_of_search_trees_have_a_format_of_their_own() {
    let node = TreePosition {
        position: PackedSfen::of(&Position::startpos()),
        score: -30,
        mv: "7g7f".parse().ok(),
        ply: 1,
        depth: 5,
        bound: Bound::Lower,
    };
    let bytes = write(&[Record::Tree(node)], Format::Tree);
    let [Record::Tree(found)] = read(&bytes, Format::Tree)[..] else {
        panic!("one node");
    };
    assert_eq!(found, node);
    let is_writable = |format: &Format| format.is_writable();
    for format in Format::ALL.into_iter().filter(is_writable) {
        let mut writer = TeacherWriter::new(Vec::new(), format);
        let is_written = |writer: &mut TeacherWriter<_>, record| writer.write(&record).is_ok();
        let is_list = format.content() == Content::Positions;
        let is_kept = is_list || format == Format::Tree;
        let found = is_written(&mut writer, Record::Tree(node));
        assert_eq!(found, is_kept, "{format}");
        let is_kept = format != Format::Tree;
        assert_eq!(is_written(&mut writer, game(1).into()), is_kept, "{format}");
    }
}

#[test]
fn unfinished_games_are_bad_where_results_are_needed() {
    let lines = "startpos moves 7g7f\nstartpos moves 7g7f resign\n";
    let reader = TeacherReader::new(lines.as_bytes(), Format::Usi).needing_results();
    let classes: Vec<_> =
        reader.map(|record| record.map_err(|error| error.fault.class()).err()).collect();
    assert_eq!(classes, [Some("unfinished game"), None]);
}

/// The bytes of hcpe3 of a game with this number of equal candidates for each move.
fn with_candidates(game: &PackGame, count: impl Fn(usize) -> usize) -> Vec<u8> {
    let bytes = write(&[game.clone().into()], Format::Hcpe3);
    let (header, moves) = bytes.split_at(36);
    let mut bytes = header.to_vec();
    for (index, stored) in moves.chunks(10).enumerate() {
        let count = count(index);
        bytes.extend(&stored[..4]);
        bytes.extend((count as u16).to_le_bytes());
        bytes.extend(stored[6..].repeat(count));
    }
    bytes
}

#[test]
fn moves_that_are_not_to_be_learnt_from_are_no_samples() {
    let game = game(1);
    let moves = game.moves.len();
    let bytes = with_candidates(&game, |index| usize::from(index != 3));
    let records = read(&bytes, Format::Hcpe3);
    let mut samples = 0;
    records[0].for_each_sample(|_| samples += 1);
    assert_eq!(samples, moves - 1);
    assert!(write(&records, Format::Hcpe3) == bytes);
}

#[test]
fn fields_that_records_lack_are_copied() {
    let pack = pack();
    for (format, at, bits) in [
        // The padding, the reason among the bits of the result, the opponent.
        (Format::Psv, 39, 7),
        (Format::Hcpe, 36, 4),
        (Format::Hcpe3, 35, 3),
    ] {
        let mut bytes = convert(&pack, Format::Pack, format);
        bytes[at] |= bits;
        assert!(convert(&bytes, format, format) == bytes, "{format}");
    }
}

#[test]
fn results_are_those_of_the_side_to_move() {
    let mut results = Vec::new();
    Record::from(game(1)).for_each_sample(|sample| {
        results.push(PackedSfenValue::from_sample(sample).result);
    });
    assert_eq!(results[..4], [1, -1, 1, -1]);
}

/// A psv record of a board with these pieces.
fn psv_of(pieces: &[(Piece, Square)]) -> PackedSfenValue {
    let mut board = Board::EMPTY;
    for &(piece, square) in pieces {
        board.put(piece, square);
    }
    PackedSfenValue {
        position: PackedSfen::of_board(&board),
        score: 0,
        mv: 0,
        ply: 1,
        result: 0,
        padding: 0,
    }
}

/// A valid record, and invalid ones with their classes.
fn good_and_bad() -> (PackedSfenValue, Vec<(PackedSfenValue, &'static str)>) {
    let kings = [(Piece::BlackKing, Square::S59), (Piece::WhiteKing, Square::S51)];
    let with = |pieces: &[(Piece, Square)]| psv_of(&[&kings, pieces].concat());
    let good = with(&[]);
    let good = PackedSfenValue { mv: "5i5h".parse::<Move16>().expect("a move").to_bits(), ..good };
    let bad_king = PackedSfenValue { position: PackedSfen::from_bytes([0xff; 32]), ..good };
    let pawns = [Square::S12, Square::S13].map(|square| (Piece::BlackPawn, square));
    let rooks = [
        (Piece::BlackRook, Square::S11),
        (Piece::WhiteRook, Square::S22),
        (Piece::BlackDragon, Square::S33),
    ];
    let bad = cases! {
        psv_of(&kings[..1]) => "no king";
        with(&pawns) => "two pawns on a file";
        with(&[(Piece::WhiteKnight, Square::S18)]) => "a piece that can never move";
        with(&rooks) => "too many pieces";
        with(&[(Piece::BlackRook, Square::S52)]) => "a king to be taken";
        PackedSfenValue { mv: 1, ..good } => "illegal move";
        PackedSfenValue { result: 2, ..good } => "bad result";
        bad_king => "bad king";
    };
    (good, bad.to_vec())
}

#[test]
fn every_class_of_bad_records_is_found_at_its_place() {
    let (good, bad) = good_and_bad();
    let mut bytes = Vec::new();
    for (record, _) in &bad {
        bytes.extend(good.to_bytes());
        bytes.extend(record.to_bytes());
    }
    bytes.extend(&good.to_bytes()[..39]);
    let errors = errors(&bytes, Format::Psv);
    assert_eq!(errors.len(), bad.len() + 1);
    for (index, (error, (_, class))) in errors.iter().zip(&bad).enumerate() {
        assert_eq!(error.fault.class(), *class, "{error}");
        assert_eq!(error.offset, (index * 80 + 40) as u64);
        assert_eq!(error.record, index as u64 * 2 + 2);
    }
    let last = &errors[bad.len()];
    assert_eq!(
        last.to_string(),
        "record 17, at byte 640: the file ends 39 bytes into the record, expected 40"
    );
    let read = TeacherReader::new(&bytes[..], Format::Psv).flatten();
    assert_eq!(read.count(), bad.len());
}

#[test]
fn bad_records_of_the_other_formats_are_found() {
    let hcp = HuffmanCodedPos::of(&Position::startpos()).to_bytes();
    let mut hcpe = [0; 38];
    hcpe[..32].copy_from_slice(&hcp);
    hcpe[36] = 3;
    let found = errors(&[hcpe, hcpe].concat(), Format::Hcpe);
    assert_eq!(found.len(), 2);
    let expected = (38, "bad result");
    assert_eq!((found[1].offset, found[1].fault.class()), expected);
    assert_eq!(errors(&[0; 64], Format::Hcp).len(), 2);

    let lines = "# a comment\n\nstartpos moves 7g7f\nstartpos moves 7g7e\n4k4/9/9/9/9/9/9/9/9 b \
        - 1\nhello\n";
    let classes: Vec<_> =
        errors(lines.as_bytes(), Format::Usi).iter().map(|error| error.fault.class()).collect();
    assert_eq!(classes, ["illegal move", "no king", "bad line"]);
}

#[test]
fn endings_of_lines_are_understood() {
    let result = |line: &str| match &read(line.as_bytes(), Format::Usi)[..] {
        [Record::Game(game)] => (game.game.result, game.game.reason),
        _ => panic!("{line}"),
    };
    let [black, white] = [Color::Black, Color::White].map(GameResult::Win);
    assert_eq!(result("startpos moves 7g7f resign").0, black);
    assert_eq!(result("startpos moves 7g7f 3c3d resign").0, white);
    assert_eq!(result("startpos moves 7g7f win").0, white);
    let expected = (GameResult::Draw, PackReason::INTERRUPTED);
    assert_eq!(result("startpos moves 7g7f"), expected);
    let expected = (GameResult::Draw, PackReason::REPETITION);
    assert_eq!(result("startpos moves 7g7f draw"), expected);
    let shuffle = "2h3h 8b7b 3h2h 7b8b ".repeat(3);
    let expected = (GameResult::Draw, PackReason::REPETITION);
    assert_eq!(result(&format!("startpos moves {shuffle}")), expected);
    assert_eq!(result("4k4/9/4P4/9/9/9/9/9/4K4 b G 1 moves G*5b").0, black);
}

#[test]
fn moves_without_a_search_are_not_learnt_from() {
    let mut game = game(1);
    let moves = game.moves.len();
    let bytes = |game: &PackGame| {
        let count = |index| match index {
            0 | 7 | 8 => 0,
            9 => 2,
            _ => 1,
        };
        let mut bytes = with_candidates(game, count);
        bytes[35] = 3;
        bytes
    };
    let read_games = read(&bytes(&game), Format::Hcpe3);
    let [Record::Game(read_game)] = &read_games[..] else {
        panic!("one game");
    };
    // New scores leave candidates and the opponent as they are.
    let scores: Vec<i16> = (0..moves as i16).collect();
    for ((_, old), &score) in game.moves.iter_mut().zip(&scores) {
        *old = score;
    }
    let expected = bytes(&game);
    let rescored = Record::Game(Box::new(read_game.as_ref().clone().with_scores(&scores)));
    assert!(write(&[rescored], Format::Hcpe3) == expected);
    // The archive has no moves without a score.
    let packed = convert(&expected, Format::Hcpe3, Format::Pack);
    let parts = read(&packed, Format::Pack);
    let scores = |record: &Record| {
        let mut scores = Vec::new();
        record.for_each_sample(|sample| scores.push(sample.score));
        scores
    };
    let parts: Vec<Vec<i16>> = parts.iter().map(scores).collect();
    let searched = [1..7, 9..moves as i16].map(Vec::from_iter);
    assert_eq!(parts, searched);
}

/// Only the first would be learnt from.
#[test]
fn several_games_in_a_file_of_kif_are_refused() {
    const GAME: &str = "手合割：平手\n   1 ７六歩(77)\n   2 投了\n";
    let read = |text: &str| {
        let reader = TeacherReader::new(text.as_bytes(), Format::Kif);
        reader.collect::<Result<Vec<Record>, _>>()
    };
    assert_eq!(read(GAME).map(|records| records.len()).ok(), Some(1));
    let error = read(&GAME.repeat(2)).expect_err("two games").to_string();
    assert!(error.contains("several games in a file"), "{error}");
}
