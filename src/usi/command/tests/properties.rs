//! Commands survive a round trip through text, and no text makes the parser panic.

use proptest::prelude::*;

use super::super::*;

fn word() -> impl Strategy<Value = String> {
    "[1-9a-zA-Z*+/]{1,12}".prop_filter("no keyword", |word| {
        let keywords = "moves resign win startpos sfen value name btime wtime binc winc byoyomi \
            ponder infinite movetime depth nodes perft mate searchmoves";
        keywords.split(' ').all(|keyword| keyword != word)
    })
}

fn words_up_to(count: usize) -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(word(), 0..count)
}

fn number() -> impl Strategy<Value = Option<u64>> {
    prop::option::of(1..=LONGEST_MILLISECONDS)
}

fn plies(range: std::ops::RangeInclusive<u32>) -> impl Strategy<Value = Option<u32>> {
    prop::option::of(range)
}

fn times() -> impl Strategy<Value = Times> {
    (number(), number(), number(), number(), number())
        .prop_map(|(btime, wtime, binc, winc, byoyomi)| Times { btime, wtime, binc, winc, byoyomi })
}

fn go_command() -> impl Strategy<Value = GoCommand> {
    let mate = prop_oneof![
        Just(None),
        Just(Some(MateLimit::Infinite)),
        (0..=LONGEST_MILLISECONDS).prop_map(|limit| Some(MateLimit::Milliseconds(limit))),
    ];
    let numbers = (number(), plies(1..=1000), number(), plies(0..=100));
    let flags = (any::<bool>(), any::<bool>());
    (flags, times(), numbers, mate, words_up_to(4)).prop_map(
        |((ponder, infinite), times, (movetime, depth, nodes, perft), mate, search_moves)| {
            GoCommand { ponder, times, movetime, depth, nodes, infinite, mate, perft, search_moves }
        },
    )
}

fn position_command() -> impl Strategy<Value = PositionCommand> {
    let sfen = prop::collection::vec(word(), 1..5).prop_map(|fields| Start::Sfen(fields.join(" ")));
    let start = prop_oneof![Just(Start::Startpos), sfen];
    (start, words_up_to(6)).prop_map(|(start, moves)| PositionCommand { start, moves })
}

fn command() -> impl Strategy<Value = Command> {
    let name = prop::collection::vec(word(), 1..3).prop_map(|words| words.join(" "));
    let option = (name, prop::option::of("([!-~]( {1,3}[!-~]){0,5})?"))
        .prop_map(|(name, value)| Command::SetOption { name, value });
    let plain = prop::sample::select(vec![
        Command::Usi,
        Command::IsReady,
        Command::UsiNewGame,
        Command::Stop,
        Command::GameOver,
        Command::Quit,
        Command::Draw,
        Command::Moves,
        Command::Key,
        Command::Eval,
        Command::Compiler,
        Command::Help,
    ]);
    prop_oneof![
        plain,
        option,
        position_command().prop_map(Command::Position),
        go_command().prop_map(Command::Go),
        times().prop_map(Command::PonderHit),
        plies(1..=1000).prop_map(|depth| Command::Bench { depth }),
        (0..=100_u32).prop_map(Command::Perft),
        prop::option::of(word()).prop_map(Command::GetOption),
    ]
}

proptest! {
    #[test]
    fn commands_round_trip(command in command()) {
        let text = command.to_string();
        prop_assert_eq!(text.parse::<Command>(), Ok(command));
    }

    #[test]
    fn any_text_is_read_without_panic(line in ".*") {
        let _ = ParsedLine::parse(&line);
    }

    #[test]
    fn what_is_kept_of_a_broken_line_is_a_whole_command(
        keyword in prop::sample::select(vec!["go", "position", "setoption", "ponderhit",
        "gameover", "bench", "perft"]),
        rest in prop::collection::vec(prop_oneof![
            prop::sample::select(vec![
                "moves", "startpos", "sfen", "value", "name", "btime", "wtime", "byoyomi",
                "infinite", "depth",
                "nodes", "mate", "searchmoves", "ponder", "win", "-5", "7g7f", "-", "",
            ]).prop_map(str::to_owned),
            "\\PC{0,8}",
            any::<i64>().prop_map(|number| number.to_string()),
        ], 0..8),
    ) {
        let parsed = ParsedLine::parse(&format!("{keyword} {}", rest.join(" ")));
        prop_assert!(parsed.command.is_some() || !parsed.errors.is_empty());
        if let Some(command) = parsed.command {
            prop_assert_eq!(command.to_string().parse::<Command>(), Ok(command));
        }
    }
}
