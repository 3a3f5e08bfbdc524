//! Random lines, answers and pauses: no panic, no move out of turn, every game ends once.

use rand::{Rng as _, RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::records::csa::{legal_move, move_text};
use crate::{movegen::legal_moves, position::Position, types::Color};

/// Lines of a usual run; in the test of every build, and in the long one.
const LINES: u64 = 20_000;
const MANY_LINES: u64 = 10_000_000;

/// Lines that end a game.
const ENDS: [&str; 6] = ["#RESIGN", "#WIN", "#LOSE", "#TIME_UP", "#CHUDAN", "#MAX_MOVES"];

/// Follows the lines both ways as a server would, and knows whose turn it is.
struct Oracle {
    position: Option<Position>,
    side: Color,
    /// A move of the client that is not echoed.
    sent: Option<String>,
    is_over: bool,
}

impl Oracle {
    /// Checks what the client sent.
    fn check(&mut self, lines: &[String]) {
        for line in lines {
            if !line.starts_with(['+', '-', '%']) {
                continue;
            }
            let position = self.position.as_ref().expect("a game is played");
            assert!(!self.is_over, "{line} after the end");
            assert!(self.sent.is_none(), "{line} after {:?}", self.sent);
            assert_eq!(position.side_to_move(), self.side, "{line} out of turn");
            let text = line.split(',').next().unwrap_or(line);
            let is_legal = line.starts_with('%') || legal_move(position, text).is_some();
            assert!(is_legal, "{line} is illegal in {}", position.to_sfen());
            self.sent = Some(text.to_owned());
        }
    }

    /// Notes what the server said.
    fn note(&mut self, line: &str) {
        let Some(position) = &mut self.position else {
            return;
        };
        if ENDS.contains(&line) {
            self.is_over = true;
        } else if !self.is_over
            && let ServerLine::Move { text, .. } = ServerLine::parse(line)
            && let Some(mv) = legal_move(position, &text)
        {
            position.do_move(mv);
            self.sent = None;
        }
    }
}

fn server_line(random: &mut ChaCha8Rng, oracle: &Oracle) -> String {
    const WORDS: [&str; 24] = [
        "",
        "+",
        "%%",
        "#UNKNOWN",
        "LOGIN:tester OK",
        "LOGIN:incorrect",
        "LOGOUT:completed",
        "BEGIN Game_Summary",
        "END Game_Summary",
        "START:id",
        "REJECT:id by x",
        "%TORYO",
        "%KACHI",
        "%CHUDAN",
        "##[CHAT] x",
        "BEGIN Position",
        "END Position",
        "Game_ID:id",
        "+7776FU,T1",
        "-3334FU,T0",
        "+0055KA",
        "P1",
        "BEGIN Reconnect_State",
        "END Reconnect_State",
    ];
    match random.random_range(0..100) {
        0 => ENDS[random.random_range(0..ENDS.len())].to_owned(),
        1..20 => WORDS[random.random_range(0..WORDS.len())].to_owned(),
        20..25 => {
            let bytes: Vec<u8> = (0..random.random_range(0..20)).map(|_| random.random()).collect();
            String::from_utf8_lossy(&bytes).into_owned()
        }
        _ => match (&oracle.sent, &oracle.position) {
            (Some(sent), _) if random.random_range(0..4) > 0 => format!("{sent},T1"),
            (_, Some(position)) => {
                let moves = legal_moves(position);
                let mv = moves.get(random.random_range(0..moves.len().max(1)));
                mv.map_or_else(String::new, |&mv| format!("{},T0", move_text(mv)))
            }
            _ => String::new(),
        },
    }
}

fn answer(random: &mut ChaCha8Rng, table: &mut Table) {
    let tasks: Vec<&Task> = table
        .commands
        .iter()
        .filter_map(|command| match command {
            EngineCommand::Search(task) => Some(&**task),
            _ => None,
        })
        .collect();
    let Some(task) = tasks.get(random.random_range(0..tasks.len().max(1))) else {
        return;
    };
    let (search, position) = (task.search, task.line.position());
    let moves = legal_moves(&position);
    let best = moves.get(random.random_range(0..moves.len().max(1))).copied();
    let answer = match (random.random_range(0..30), best) {
        (0, _) | (_, None) => Ok(Decision::Resign),
        (1, _) => Ok(Decision::Win),
        (2, _) => Err("a fault".to_owned()),
        (_, Some(best)) => {
            let mut after = position;
            after.do_move(best);
            let ponder = legal_moves(&after).first().copied();
            Ok(Decision::Move { best, ponder })
        }
    };
    table.report(search, Content::Answer(answer));
}

/// One session up to its end; returns the number of lines.
fn session(random: &mut ChaCha8Rng) -> u64 {
    let pondering = [Pondering::Off, Pondering::AfterEcho, Pondering::Early];
    let settings =
        SessionSettings { pondering: pondering[random.random_range(0..3)], ..settings() };
    let side = if random.random() { '+' } else { '-' };
    let mut table = Table::playing(settings, side, HIRATE);
    let mut oracle = Oracle {
        position: Some(Position::startpos()),
        side: if side == '+' { Color::Black } else { Color::White },
        sent: None,
        is_over: false,
    };
    let mut lines = 0;
    while !table.is_closed {
        let before = table.session.game().is_some();
        match random.random_range(0..10) {
            0..6 => {
                let line = server_line(random, &oracle);
                table.say(&line);
                oracle.note(&line);
                lines += 1;
            }
            6..9 => answer(random, &mut table),
            _ => table.wait(u64::from(random.next_u32() % 3000)),
        }
        let sent = table.taken();
        if before {
            oracle.check(&sent);
        } else {
            let acts = sent.iter().any(|line| line.starts_with(['+', '-', '%']));
            assert!(!acts, "{sent:?} without a game");
        }
        if random.random_range(0..300) == 0 {
            table.give(Input::Closed);
        }
        let excess = table.commands.len().saturating_sub(8);
        table.commands.drain(..excess);
    }
    table.finished();
    lines
}

fn many_sessions(lines: u64) {
    let mut random = ChaCha8Rng::seed_from_u64(40);
    let mut done = 0;
    while done < lines {
        done += session(&mut random);
    }
}

#[test]
fn random_lines_are_survived() {
    many_sessions(LINES);
}

#[test]
#[ignore = "ten million lines take minutes"]
fn ten_million_random_lines_are_survived() {
    many_sessions(MANY_LINES);
}
