//! Compares whole texts that are written, and reads small records, valid and invalid. The parsers
//! of `cshogi`, the crate `csa` and `tsshogi` (`ShogiHome`) read every line that is written here.

use std::time::Duration;

use super::*;
use crate::position::{Position, START_SFEN};
use crate::records::game::{Ending, GameRecord, RecordedMove, Thought};
use crate::records::sfen_line::SfenLine;
use crate::types::{Color, Move, Piece, Score, Square};

fn record(line: &str, ending: Ending) -> GameRecord {
    let line: SfenLine = line.parse().expect("the line of a test");
    GameRecord {
        moves: line.moves.into_iter().map(RecordedMove::from).collect(),
        ending,
        ..GameRecord::new(line.start)
    }
}

/// A game with two moves of the opening, a promotion, and scores of both kinds and both sides.
fn full_record() -> GameRecord {
    let text = "startpos moves 7g7f 3c3d 8h2b+ 3a2b B*4e";
    let mut record = record(text, Ending::Resignation);
    record.event = "raicho-test".to_owned();
    record.players = ["Raicho\n0.1".to_owned(), "雷鳥".to_owned()];
    record.started_at = Some("2026/11/21 06:34:00".to_owned());
    record.time_limit = Some("00:10+05".to_owned());
    let continuation = record.moves[2..5].iter().map(|recorded| recorded.mv);
    let continuation: Vec<Move> = continuation.collect();
    let thoughts = [
        (Score::Cp(35), continuation.clone()),
        (Score::Cp(20), continuation[1..].to_vec()),
        (Score::Mate(-4), continuation),
    ];
    for (recorded, (score, pv)) in record.moves[2..].iter_mut().zip(thoughts) {
        recorded.time = Some(Duration::from_millis(1987));
        recorded.thought =
            Some(Thought { score: Some(score), depth: Some(12), nodes: Some(34_567), pv });
    }
    record
}

#[test]
fn a_full_game() {
    let expected = "\
'CSA encoding=UTF-8
V2.2
N+Raicho 0.1
N-雷鳥
$EVENT:raicho-test
$START_TIME:2026/11/21 06:34:00
$TIME_LIMIT:00:10+05
PI
+
+7776FU
-3334FU
+8822UM
T1
'** 35 -3122GI +0045KA
'*depth 12 nodes 34567 time 1.987s
-3122GI
T1
'** -20 +0045KA
'*depth 12 nodes 34567 time 1.987s
+0045KA
T1
'** -31996
'*depth 12 nodes 34567 time 1.987s
%TORYO
";
    assert_eq!(write(&full_record()), expected);
}

#[test]
fn another_start_is_drawn_with_its_hands() {
    let start = "sfen ln+Bgk1snl/1r7/p1pppp1pp/9/9/9/PPPPPPPPP/7R1/LNSGKGSNL w Gb2p 1";
    let expected = "\
'CSA encoding=UTF-8
V2.2
P1-KY-KE+UM-KI-OU * -GI-KE-KY
P2 * -HI *  *  *  *  *  *  * \nP3-FU * -FU-FU-FU-FU * -FU-FU
P4 *  *  *  *  *  *  *  *  * \nP5 *  *  *  *  *  *  *  *  * \nP6 *  *  *  *  *  *  *  *  * \nP7+FU+FU+FU+FU+FU+FU+FU+FU+FU
P8 *  *  *  *  *  *  * +HI * \nP9+KY+KE+GI+KI+OU+KI+GI+KE+KY
P+00KI
P-00KA00FU00FU
-
-0045KA
%SENNICHITE
";
    let line = format!("{start} moves B*4e");
    assert_eq!(write(&record(&line, Ending::Repetition)), expected);
    let white_first = START_SFEN.replace(" b ", " w ");
    let white_first = write(&record(&white_first, Ending::Interrupted));
    assert!(white_first.contains("PI\n-\n%CHUDAN"), "{white_first}");
}

/// The words of an ending as a comment of one line keeps them.
fn one_line(ending: &Ending) -> String {
    ending.to_string().replace('\n', " ")
}

#[test]
fn every_ending_has_its_word() {
    let winner = Color::White;
    let reason = "killed by\nsignal 11".to_owned();
    for (ending, expected) in cases! {
        Ending::Resignation => "%TORYO\n";
        Ending::Checkmate => "%TORYO\n'*checkmate\n";
        Ending::IllegalAction { loser: Color::White } => "%-ILLEGAL_ACTION\n";
        Ending::Declaration => "%KACHI\n";
        Ending::Repetition => "%SENNICHITE\n";
        Ending::PerpetualCheck { loser: Color::White } =>
            "%-ILLEGAL_ACTION\n'*perpetual check by white\n";
        Ending::PerpetualCheck { loser: Color::Black } =>
            "%ILLEGAL_MOVE\n'*perpetual check by black\n";
        Ending::MaxMoves => "%JISHOGI\n";
        Ending::TimeUp => "%TIME_UP\n";
        Ending::IllegalMove { text: "7g7e".to_owned() } => "%ILLEGAL_MOVE\n'*illegal move 7g7e\n";
        Ending::IllegalDeclaration => "%ILLEGAL_MOVE\n'*illegal declaration\n";
        Ending::Disconnection { reason } => "%ILLEGAL_MOVE\n'*disconnection: killed by signal 11\n";
        Ending::AdjudicatedWin { winner } => "%TORYO\n'*adjudicated win of white\n";
        Ending::AdjudicatedWin { winner: Color::Black } => "%CHUDAN\n'*adjudicated win of black\n";
        Ending::AdjudicatedDraw => "%HIKIWAKE\n";
        Ending::Interrupted => "%CHUDAN\n";
        Ending::NoMate => "%FUZUMI\n";
        Ending::Forfeit { winner } => "%TORYO\n'*forfeit won by white\n";
    } {
        let text = write(&record("startpos moves 7g7f 3c3d", ending.clone()));
        assert!(text.ends_with(&format!("\n{expected}")), "{text}");
        let again = read(&text).expect("what was written");
        assert_eq!(again[0].ending.to_string(), one_line(&ending));
    }
}

#[test]
fn scores_are_blacks_and_fit_in_16_bits() {
    let mut record = full_record();
    let mut comment = |score: Score, pv: Vec<Move>| {
        let thought = Thought { score: Some(score), depth: None, nodes: None, pv };
        record.moves[1].thought = Some(thought);
        let text = write(&record);
        let line = text.lines().nth(11).unwrap_or_default();
        line.to_owned()
    };
    assert_eq!(comment(Score::Cp(12), Vec::new()), "'** -12");
    assert_eq!(comment(Score::Cp(i32::MIN), Vec::new()), "'** 30000");
    assert_eq!(comment(Score::Mate(3), Vec::new()), "'** -31997");
    assert_eq!(comment(Score::Mate(0), Vec::new()), "'** -32000");
    assert_eq!(comment(Score::Mate(i32::MIN), Vec::new()), "'** 30001");
    // A line about another move says nothing about this one.
    let other = Move::drop(Piece::WhitePawn, Square::S55);
    assert_eq!(comment(Score::Cp(12), vec![other]), "'** -12");
}

// --- Reading ---

fn one(text: &str) -> GameRecord {
    let mut games = read(text).expect("a good record");
    assert_eq!(games.len(), 1);
    games.remove(0)
}

fn message(text: &str) -> String {
    read(text).err().map_or_else(String::new, |error| error.to_string())
}

const GAME: &str = "'CSA encoding=UTF-8\nV2.2\nN+one\nN-two\n$EVENT:a match\nPI\n+\n\
    +7776FU,T12\n-3334FU\nT3.5\n'** -35 +8822UM\n'** 99\n+8822UM\n'** 31990\n-3122GI\n%TORYO\n";

#[test]
fn a_game_is_read() {
    let game = one(GAME);
    let expected = "startpos moves 7g7f 3c3d 8h2b+ 3a2b";
    assert_eq!(game.line().to_string(), expected);
    let expected = ("a match", ["one".to_owned(), "two".to_owned()]);
    assert_eq!((game.event.as_str(), game.players), expected);
    let times: Vec<_> = game.moves.iter().map(|played| played.time).collect();
    let seconds = |seconds| Some(Duration::from_secs_f64(seconds));
    assert_eq!(times, [seconds(12.0), seconds(3.5), None, None]);
    let scores: Vec<_> = game
        .moves
        .iter()
        .map(|played| played.thought.as_ref().and_then(|thought| thought.score))
        .collect();
    // Black's view in the file, the mover's here; the first comment counts.
    let expected = [None, Some(Score::Cp(35)), Some(Score::Mate(10)), None];
    assert_eq!(scores, expected);
    assert_eq!(game.ending, Ending::Resignation);
}

#[test]
fn comments_may_follow_in_the_same_line() {
    let game =
        one("PI\n+\n+7776FU  ,T0  ,'T0\n-3334FU,T3,'* 30 +2726FU, more\n%KACHI,'* -5000 win\n");
    assert_eq!(game.line().to_string(), "startpos moves 7g7f 3c3d");
    let times: Vec<_> = game.moves.iter().map(|played| played.time).collect();
    assert_eq!(times, [0, 3].map(|time| Some(Duration::from_secs(time))));
    let thought = game.moves[1].thought.as_ref().expect("a thought");
    assert_eq!(thought.score, Some(Score::Cp(-30)));
    assert_eq!(game.ending, Ending::Declaration);
}

#[test]
fn ratings_stand_in_comments() {
    let text =
        "N+a:b\nN-c\nPI\n+\n'black_rate:a:b+7f:3382.0\n'white_rate:c:3776\n+7776FU\n%TORYO\n";
    assert_eq!(one(text).ratings, [Some(3382.0), Some(3776.0)]);
    let text = "PI\n+\n'rating:a:b\n'black_rate:a:none\n'white_rate:c:NaN\n%TORYO\n";
    assert_eq!(one(text).ratings, [None, None]);
}

#[test]
fn what_is_written_is_read() {
    let mut game = one(GAME);
    game.ratings = [Some(1234.5), None];
    let again = one(&write(&game));
    assert_eq!(again.line().to_string(), game.line().to_string());
    assert_eq!((again.ending, again.players), (game.ending, game.players));
    assert_eq!(again.ratings, game.ratings);
}

#[test]
fn positions_are_set_up_in_every_way() {
    for (lines, sfen) in cases! {
        "+" => START_SFEN;
        "PI\n+" => START_SFEN;
        "PI82HI22KA\n-" => "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
        "P+59OU53FU00KI\nP-51OU00AL\n+" => "4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p 1";
        "P1 *  *  *  * -OU\nP9 *  *  *  * +OU *  *  *  * \nP+00FU00FU\n-" =>
            "4k4/9/9/9/9/9/9/9/4K4 w 2P 1";
        // Without some of their blanks, as on web pages.
        "P1* * * *-OU****\nP2 * -HI * * * * * -KA *\nP9 * * * * +OU * * * *\n+" =>
            "4k4/1r5b1/9/9/9/9/9/9/4K4 b - 1";
        "PI,+" => START_SFEN;
        "PI82HI22KA,-,-3334FU" => "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
    } {
        assert_eq!(one(lines).start.to_sfen(), sfen, "{lines}");
    }
}

#[test]
fn endings_have_a_meaning() {
    for (text, ending) in cases! {
        "PI\n+\n%KACHI" => Ending::Declaration;
        "PI\n+\n%SENNICHITE" => Ending::Repetition;
        "PI\n+\n%TIME_UP" => Ending::TimeUp;
        "PI\n+\n%JISHOGI" => Ending::MaxMoves;
        "PI\n+\n%CHUDAN" => Ending::Interrupted;
        "PI\n+\n" => Ending::Unfinished;
        "PI\n+\n+7776FU\n-3435FU\n%ILLEGAL_MOVE" =>
            Ending::IllegalMove { text: "-3435FU".to_owned() };
        "PI\n+\n%-ILLEGAL_ACTION" => Ending::IllegalAction { loser: Color::White };
        "PI\n+\n+7775FU\n%+ILLEGAL_ACTION" => Ending::IllegalMove { text: "+7775FU".to_owned() };
    } {
        assert_eq!(one(text).ending, ending, "{text}");
    }
}

#[test]
fn summaries_of_the_server_are_believed() {
    let game = |end: &str| format!("N+one\nN-two\nPI\n+\n+7776FU\n{end}");
    for (end, ending) in cases! {
        "'summary:toryo:two lose:one win" => Ending::Resignation;
        "%KACHI\n'summary:illegal kachi:one win:two lose" => Ending::IllegalDeclaration;
        "'summary:time up:one win:two lose" => Ending::TimeUp;
        "'summary:max_moves:one draw:two draw" => Ending::MaxMoves;
        "'summary:sennichite:one draw:two draw" => Ending::Repetition;
        "'summary:oute_sennichite:one lose:two win" =>
            Ending::PerpetualCheck { loser: Color::Black };
        "'summary:toryo:one lose:two win" => Ending::AdjudicatedWin { winner: Color::White };
        "%TORYO\n'summary:what" => Ending::Resignation;
    } {
        assert_eq!(one(&game(end)).ending, ending, "{end}");
    }
    let mate = "P+59OU53FU00KI\nP-51OU\n+\n+0052KI\n";
    assert_eq!(one(mate).ending, Ending::Checkmate);
}

#[test]
fn several_games_are_separated() {
    let text = format!("{GAME}/\n{GAME}/\n'nothing more\n");
    assert_eq!(read(&text).map(|games| games.len()), Ok(2));
    assert_eq!(read("").map(|games| games.len()), Ok(0));
}

#[test]
fn errors_name_the_line() {
    for (text, expected) in cases! {
        "PI\n+\n+7775FU\n-3334FU\n" => "line 3: '+7775FU', move 1, is illegal in lnsg";
        "PI\n+\n+7775FU\n" => "line 3: '+7775FU', move 1, is illegal in lnsg";
        "PI\n+\n+7776XX\n" => "line 3: '+7776XX' is not a move";
        "PI\n+\nWHAT\n" => "line 3: 'WHAT' is no line of CSA";
        "hello\n" => "line 1: 'hello' before the position";
        "PI\n" => "line 1: no line '+' or '-' for the side to move";
        "PX\n" => "line 1: 'X' in the position, expected PI, P1 to P9";
        "P1 * -XX\n+" => "line 1: '-XX' in the position, expected ' * '";
        "PI82KA\n" => "line 1: '82KA' in the position, expected squares of the start";
        "P+59OU59FU\n" => "line 1: '59' in the position, expected an empty square";
        "P+00OU\n" => "line 1: 'OU' in the position, expected a piece that can be in hand";
        "P+15FU16FU\n+" => "line 2: impossible position: two black pawns on file 1";
        "P+00HI00HI00HI\n+" => "line 2: impossible position: 3 rooks";
        "P+5９OU\n" => "line 1: '5９OU' in the position, expected groups";
    } {
        let message = message(text);
        assert!(message.starts_with(expected), "{text}: {message}");
    }
}

#[test]
fn what_follows_the_end_is_left_out() {
    let game = "PI\n+\n+7776FU\n%TORYO\n";
    for (rest, omission) in cases! {
        "-3334FU\n" => "line 5: '-3334FU' after the end of the game";
        "%TORYO\n" => "line 5: '%TORYO' after the end of the game";
        "foo\n" => "line 5: 'foo' after the end of the game";
        "V2.2\nN+another\nPI\n+\n+2726FU\n" => "line 5: 'V2.2' after the end of the game";
    } {
        let game = one(&format!("{game}{rest}"));
        assert_eq!(game.line().to_string(), "startpos moves 7g7f", "{rest}");
        assert_eq!(game.players, ["", ""].map(str::to_owned));
        assert_eq!(game.omissions, [omission]);
    }
    let timed = one(&format!("{game}T7\n$END_TIME:2026/11/27\n'*word\n"));
    assert_eq!(timed.closing.time, Some(Duration::from_secs(7)));
    assert_eq!(timed.closing.comments, ["word"]);
    assert_eq!(timed.heading("終了日時"), Some("2026/11/27"));
    assert!(timed.omissions.is_empty());
    // Lines are counted from the beginning of the file.
    let games = read(&format!("{game}/\n{game}foo\n")).expect("two games");
    let expected = ["line 10: 'foo' after the end of the game"];
    assert_eq!(games[1].omissions, expected);
}

#[test]
fn an_illegal_move_keeps_its_time_and_comments() {
    let game = one("PI\n+\n+7776FU\nT5\n-3334FU\nT3\n+1121FU\nT99\n'*oops\n%ILLEGAL_MOVE\nT1\n");
    let times: Vec<_> = game.moves.iter().map(|played| played.time).collect();
    assert_eq!(times, [5, 3].map(|time| Some(Duration::from_secs(time))));
    assert_eq!(game.closing.time, Some(Duration::from_secs(100)));
    assert_eq!(game.closing.comments, ["oops"]);
}

#[test]
fn an_illegal_last_move_ends_the_game() {
    for end in ["", "T3\n", "%TORYO\n", "%ILLEGAL_MOVE\n", "%+ILLEGAL_ACTION\n"] {
        let game = one(&format!("PI\n+\n+7776FU\n-3334FU\n+0055FU\n{end}"));
        let expected = (2, Some(Color::White));
        assert_eq!((game.moves.len(), game.winner()), expected, "{end}");
        assert_eq!(one(&write(&game)).ending, game.ending, "{end}");
    }
}

#[test]
fn words_that_are_not_written_become_comments() {
    for (word, comment, ending) in [
        ("%UNKNOWN", "UNKNOWN", Ending::Unfinished),
        ("%MATTA", "MATTA", Ending::Interrupted),
        ("%MAX_MOVES", "MAX_MOVES", Ending::MaxMoves),
    ] {
        let game = one(&format!("PI\n+\n+7776FU\n{word}\n"));
        assert_eq!((&game.ending, game.moves.len()), (&ending, 1));
        assert_eq!(game.closing.comments, [comment]);
    }
}

#[test]
fn comments_that_look_like_those_of_programs_stay() {
    let end = |word: &str, comment: &str| one(&format!("PI\n+\n%{word}\n'*{comment}\n"));
    assert_eq!(end("TORYO", "checkmate").ending, Ending::Checkmate);
    for comment in ["resignation", "illegal move by nobody", "interrupted"] {
        let game = end("TORYO", comment);
        assert_eq!(game.ending, Ending::Resignation, "{comment}");
        assert_eq!(game.closing.comments, [comment]);
    }
}

#[test]
fn times_have_decimals_or_are_noted() {
    let game =
        one("PI\n+\n+7776FU\nT-5\n-3334FU\nTabc\n+2726FU\nT9000000000000000000\n%TORYO\nT1.9\n");
    assert!(game.moves.iter().all(|played| played.time.is_none()));
    assert_eq!(game.omissions, ["line 4: 'T-5' is no time, and 2 more"]);
    assert_eq!(game.closing.time, Some(Duration::from_millis(1900)));
    let again = one(&write(&game));
    assert_eq!(again.closing, game.closing);
}

#[test]
fn the_number_of_the_first_move_is_lost() {
    let start = Position::from_sfen(&START_SFEN.replace(" 1", " 27")).expect("a position");
    let expected = ["the number of the first move"];
    assert_eq!(losses(&GameRecord::new(start)), expected);
    assert!(losses(&GameRecord::new(Position::startpos())).is_empty());
}

#[test]
fn a_server_may_set_up_pieces_that_can_never_move_but_no_king_to_take() {
    let read = |king| {
        let board = format!("P-{king}OU\nP+21FU15HI59OU\n+\n");
        read_server_position(&board).map_err(|error| error.to_string())
    };
    assert!(read("91").is_ok_and(|game| game.is_some()));
    let taken = read("95").err().unwrap_or_default();
    assert!(taken.contains("is in check"), "{taken}");
}

#[test]
fn fields_of_version_3_have_the_names_of_kif() {
    let fields = "$TIME+:600+0+30\n$TIME-:900+0+30\n$MAX_MOVES:256\n$JISHOGI:27\n\
                  $NOTE:a\\nb\\\\c\n";
    let game = one(&format!("V3.0\n{fields}PI\n+\n"));
    for (name, value) in [
        ("先手持ち時間", "600+0+30"),
        ("後手持ち時間", "900+0+30"),
        ("最大手数", "256"),
        ("持将棋", "27"),
        ("備考", "a\nb\\c"),
    ] {
        assert_eq!(game.heading(name), Some(value), "{name}");
    }
    let text = write(&game);
    assert!(text.contains(fields), "{text}");
    assert!(losses(&game).is_empty());
    for (rest, note) in [("二行\n", "a\n二行"), ("二行\n３行\n$SITE:b\n", "a\n二行\n３行")]
    {
        let game = one(&format!("V3.0\n$NOTE:a\n{rest}PI\n+\n"));
        assert_eq!(game.heading("備考"), Some(note));
    }
    let odd = read("V3.0\n$SITE:a\n二行\nPI\n+\n").expect_err("an unknown line");
    assert!(odd.to_string().starts_with("line 3: '二行'"), "{odd}");
}
