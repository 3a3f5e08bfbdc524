//! Any bytes from a CSA server, in any pieces: no panic, and no line after the end of the session.

#![no_main]

use std::time::{Duration, Instant};

use libfuzzer_sys::fuzz_target;
use raicho::csa::lines::Password;
use raicho::csa::clock::Delays;
use raicho::csa::config::Config;
use raicho::csa::connection::LineBuffer;
use raicho::csa::player::{Content, EngineCommand, Prepared, Report};
use raicho::csa::lines::ServerLine;
use raicho::csa::session::{Action, Input, Pondering, Session, SessionSettings};
use raicho::movegen::legal_moves;
use raicho::search::Decision;

/// Said before the fuzzed lines, so that a game may be played.
const OFFER: &[u8] = b"LOGIN:tester OK\nBEGIN Game_Summary\nProtocol_Version:1.2\n\
    Format:Shogi 1.0\nDeclaration:Jishogi 1.1\nGame_ID:id\nName+:black\nName-:white\n\
    Your_Turn:+\nTo_Move:+\nBEGIN Time\nTotal_Time:60\nByoyomi:1\nEND Time\n\
    BEGIN Position\nPI\n+\nEND Position\nEND Game_Summary\nSTART:id\n";

fn settings(number: u8) -> SessionSettings {
    let pondering = [Pondering::Off, Pondering::AfterEcho, Pondering::Early];
    SessionSettings {
        name: "tester".to_owned(),
        game: String::new(),
        password: Password::new("trip"),
        pondering: pondering[usize::from(number) % 3],
        sends_comments: number & 4 != 0,
        entering_king_rule: None,
        resign: None,
        delays: Delays {
            usual: Duration::from_millis(120),
            worst: Duration::from_millis(1120),
        },
    }
}

/// What the engine says to a command.
fn reply(command: EngineCommand) -> Option<Input> {
    match command {
        EngineCommand::Prepare(rules) => Some(Input::Prepared(Prepared {
            game: rules.game,
            result: Ok(()),
        })),
        EngineCommand::Search(task) if !task.ponders => {
            let best = legal_moves(&task.line.position()).first().copied();
            let decision = best.map_or(Decision::Resign, |best| Decision::Move {
                best,
                ponder: None,
            });
            Some(Input::Report(Report {
                search: task.search,
                content: Content::Answer(Ok(decision)),
            }))
        }
        _ => None,
    }
}

/// Gives an input and those that follow from it; whether the session is still open.
fn give(session: &mut Session, input: Input, now: Instant) -> bool {
    let mut inputs = vec![input];
    while let Some(input) = inputs.pop() {
        let mut is_open = true;
        for action in session.handle(input, now) {
            assert!(is_open, "{action:?} after the end");
            match action {
                Action::Close => is_open = false,
                Action::Engine(command) => inputs.extend(reply(command)),
                Action::Send(line) => assert!(!line.to_string().contains('\n')),
                Action::Event(_) => {}
            }
        }
        if !is_open {
            return false;
        }
    }
    true
}

fuzz_target!(|input: (u8, Vec<&[u8]>)| {
    let (number, pieces) = input;
    let mut now = Instant::now();
    let (mut session, _) = Session::begin(settings(number), None, now);
    let mut buffer = LineBuffer::default();
    let offer = (number & 8 != 0).then_some(OFFER);
    for piece in offer.into_iter().chain(pieces) {
        if let Ok(text) = std::str::from_utf8(piece) {
            let _ = Config::parse(text);
        }
        let mut lines = Vec::new();
        buffer.feed(piece, |line| lines.push(line));
        for line in lines {
            let _ = ServerLine::parse(&line);
            if !give(&mut session, Input::Line(line), now) {
                return;
            }
        }
        now += Duration::from_secs(1);
        if !give(&mut session, Input::Tick, now) {
            return;
        }
    }
    give(&mut session, Input::Closed, now);
});
