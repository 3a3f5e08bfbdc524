//! Parsing of commands, and the messages of errors.

mod properties;
mod text;

use super::*;

fn errors(line: &str) -> Vec<String> {
    let parsed = ParsedLine::parse(line);
    parsed.errors.iter().map(ToString::to_string).collect()
}

fn go(line: &str) -> GoCommand {
    match ParsedLine::parse(line).command {
        Some(Command::Go(go)) => go,
        other => panic!("{line}: {other:?}"),
    }
}

#[test]
fn plain_commands_are_parsed() {
    for line in "usi isready usinewgame stop quit d moves key eval compiler".split(' ') {
        let found = line.parse::<Command>().map(|command| command.to_string());
        assert_eq!(found, Ok(line.to_owned()));
    }
    assert_eq!(" \tgo \r".parse(), Ok(Command::Go(GoCommand::default())));
    assert_eq!("gameover lose".parse(), Ok(Command::GameOver));
    assert_eq!("perft 5".parse(), Ok(Command::Perft(5)));
    assert_eq!("bench depth 9".parse(), Ok(Command::Bench { depth: Some(9) }));
    let expected = Ok(Command::GetOption(Some("Threads".to_owned())));
    assert_eq!("getoption Threads".parse(), expected);
}

#[test]
fn empty_lines_are_no_commands() {
    for line in ["", " ", "\r", "\t \r"] {
        let parsed = ParsedLine::parse(line);
        assert_eq!((parsed.command, parsed.errors.len()), (None, 0));
        assert!(line.parse::<Command>().is_err());
    }
}

#[test]
fn option_values_keep_their_spaces() {
    let option = |name: &str, value: Option<&str>| Command::SetOption {
        name: name.to_owned(),
        value: value.map(str::to_owned),
    };
    let cases = cases! {
        "setoption name USI_Hash value 256" => option("USI_Hash", Some("256"));
        "setoption name ClearHash" => option("ClearHash", None);
        "setoption name Skill  Level value 3" => option("Skill Level", Some("3"));
        "setoption name EvalFile value C:\\my  nets\\nn.bin \r" =>
            option("EvalFile", Some("C:\\my  nets\\nn.bin"));
        "setoption name EvalDir value" => option("EvalDir", Some(""));
        "setoption name value value x value y" => option("value", Some("x value y"));
    };
    for (line, command) in cases {
        assert_eq!(line.parse(), Ok(command), "{line}");
    }
}

#[test]
fn positions_are_parsed_leniently() {
    let sfen = "4k4/9/9/9/9/9/9/9/4K4 b - 1";
    let position = |start: Start, moves: &[&str]| {
        let moves = moves.iter().map(|&mv| mv.to_owned()).collect();
        Ok(Command::Position(PositionCommand { start, moves }))
    };
    let from_sfen = |moves: &[&str]| position(Start::Sfen(sfen.to_owned()), moves);
    for (line, expected) in cases! {
        "position startpos".to_owned() => position(Start::Startpos, &[]);
        "position startpos moves".to_owned() => position(Start::Startpos, &[]);
        "position startpos moves 7g7f resign".to_owned() => position(Start::Startpos, &["7g7f"]);
        format!("position sfen {sfen} moves 5i5h win") => from_sfen(&["5i5h"]);
        format!("position {sfen}") => from_sfen(&[]);
        format!("position  {sfen}  moves  5i5h") => from_sfen(&["5i5h"]);
    } {
        assert_eq!(line.parse(), expected, "{line}");
    }
}

#[test]
fn go_parameters_are_parsed() {
    let pondering = go("go ponder btime 1000 wtime 2000 byoyomi 300");
    assert!(pondering.ponder);
    let times =
        Times { btime: Some(1000), wtime: Some(2000), byoyomi: Some(300), ..Times::default() };
    assert_eq!(pondering.times, times);
    assert_eq!(go("go mate 5000").mate, Some(MateLimit::Milliseconds(5000)));
    assert_eq!(go("go mate infinite").mate, Some(MateLimit::Infinite));
    assert_eq!(go("go mate").mate, Some(MateLimit::Infinite));
    assert_eq!(go("go perft 4").perft, Some(4));
    let chosen = go("go searchmoves 7g7f 2g2f depth 3");
    let expected = (vec!["7g7f".to_owned(), "2g2f".to_owned()], Some(3));
    assert_eq!((chosen.search_moves, chosen.depth), expected);
    assert_eq!("ponderhit btime 9 wtime 8".parse(), {
        Ok(Command::PonderHit(Times { btime: Some(9), wtime: Some(8), ..Times::default() }))
    });
    assert!(!go("go").has_limit() && !go("go ponder").has_limit() && go("go infinite").has_limit());
}

#[test]
fn bad_numbers_leave_the_rest_of_a_go() {
    let negative = ParsedLine::parse("go btime -500 wtime +7 byoyomi 99999999999999999999");
    assert_eq!(negative.errors, []);
    let times = go("go btime -500 wtime +7 byoyomi 99999999999999999999").times;
    let expected = (Some(0), Some(7), Some(LONGEST_MILLISECONDS));
    assert_eq!((times.btime, times.wtime, times.byoyomi), expected);

    let rest = GoCommand { depth: Some(4), ..GoCommand::default() };
    for line in ["go btime abc depth 4", "go btime depth 4", "go fast 7 depth 4"] {
        assert_eq!(go(line), rest, "{line}");
    }
    assert_eq!(errors("go fast 7 depth 4").len(), 1);
    for (line, error) in cases! {
        "go btime abc depth 4" => "\"abc\", word 3 of \"go\", expected a number of milliseconds";
        "go btime depth 4" => "nothing, word 3 of \"go\", expected a number of milliseconds";
        "go nodes 0" => "\"0\", word 3 of \"go\", expected a number of nodes from 1";
    } {
        assert_eq!(errors(line), [error]);
    }
}

#[test]
fn a_perft_without_a_depth_is_no_search() {
    for line in ["go perft", "go perft x", "go perft 101 depth 3"] {
        let parsed = ParsedLine::parse(line);
        assert_eq!((parsed.command, parsed.errors.len()), (None, 1), "{line}");
    }
    assert_eq!(go("go perft 2 nodes x").perft, Some(2));
}

#[test]
fn errors_name_word_place_and_expectation() {
    let cases = cases! {
        "hello world" =>
            "unknown command \"hello\", word 1, expected a USI command such as \"usi\" or \"go\" \
             (\"help\" lists them)";
        "position" =>
            "nothing, word 2 of \"position\", expected \"startpos\", \"sfen\" or the board of an \
             SFEN";
        "position sfen moves 7g7f" =>
            "nothing, word 3 of \"position\", expected the board of an SFEN";
        "position startpos 7g7f" =>
            "\"7g7f\", word 3 of \"position\", expected \"moves\" or nothing";
        "setoption Threads 4" => "\"Threads\", word 2 of \"setoption\", expected \"name\"";
        "setoption name" => "nothing, word 3 of \"setoption\", expected the name of an option";
        "perft x" => "\"x\", word 2 of \"perft\", expected a number of plies from 0 to 100";
        "ponderhit now" =>
            "\"now\", word 2 of \"ponderhit\", expected \"btime\", \"wtime\", \"binc\", \"winc\" \
             or \"byoyomi\"";
        "speedtest 4 16" => "\"speedtest\", word 1, is a command of other engines: use \"bench\"";
        "export_net a.nnue" =>
            "\"export_net\", word 1, is a command of other engines: the embedded network is the \
             file nets/raicho.nnue of the source code";
        "gameover ouch" =>
            "\"ouch\", word 2 of \"gameover\", expected \"win\", \"lose\" or \"draw\"";
    };
    for (line, message) in cases {
        assert_eq!(errors(line), [message], "{line}");
        assert!(line.parse::<Command>().is_err(), "{line}");
    }
    let long = format!("{}!", "x".repeat(5000));
    assert!(errors(&long)[0].len() < 200);
}

#[test]
fn errors_know_their_command() {
    for line in ["position", "position sfen", "position startpos ouch"] {
        let command = ParsedLine::parse(line).errors[0].command;
        assert_eq!(command, Some("position"), "{line}");
    }
}
