//! Sessions without a network: each scenario of a misbehaving server, and random lines.

mod connection;
mod endings;
mod moves;
mod random;
mod resume;

use std::time::{Duration, Instant};

use super::*;
use crate::csa::game::{FinishedGame, ResignRule};
use crate::csa::player::{Content, EngineCommand, Prepared, SearchId, Task};
use crate::records::game::{Ending, Thought};
use crate::types::{Move, Score};
use crate::{csa::clock::Delays, csa::lines::Password, search::Decision};

const HIRATE: &str = "PI\n+";

/// A session with a clock of its own, and everything that it did.
struct Table {
    session: Session,
    now: Instant,
    sent: Vec<String>,
    commands: Vec<EngineCommand>,
    events: Vec<Event>,
    is_closed: bool,
}

fn settings() -> SessionSettings {
    SessionSettings {
        name: "tester".to_owned(),
        game: "fake-60-1".to_owned(),
        password: Password::new("trip"),
        pondering: Pondering::Off,
        sends_comments: true,
        entering_king_rule: None,
        resign: None,
        delays: Delays { usual: Duration::from_millis(120), worst: Duration::from_millis(1120) },
    }
}

impl Table {
    fn new(settings: SessionSettings) -> Self {
        Self::begin(settings, None)
    }

    fn begin(settings: SessionSettings, interrupted: Option<Box<InterruptedGame>>) -> Self {
        let now = Instant::now();
        let (session, actions) = Session::begin(settings, interrupted, now);
        let mut table = Self {
            session,
            now,
            sent: Vec::new(),
            commands: Vec::new(),
            events: Vec::new(),
            is_closed: false,
        };
        table.perform(actions);
        table
    }

    /// A table where a game with this position block has begun, and nothing of it is remembered.
    fn playing(settings: SessionSettings, side: char, position: &str) -> Self {
        let mut table = Self::new(settings);
        table.say("LOGIN:tester OK");
        table.offer(side, position, "");
        table.start();
        table
    }

    fn offer(&mut self, side: char, position: &str, extra: &str) {
        self.say(&format!(
            "BEGIN Game_Summary\nProtocol_Version:1.2\nFormat:Shogi 1.0\nDeclaration:Jishogi 1.1\n\
             Game_ID:id\nName+:black\nName-:white\nYour_Turn:{side}\nTo_Move:+\nMax_Moves:256\n\
             {extra}BEGIN Time\nTime_Unit:1sec\nTotal_Time:60\nByoyomi:1\nEND Time\n\
             BEGIN Position\n{position}\nEND Position\nEND Game_Summary"
        ));
        self.prepared("id", Ok(()));
    }

    fn prepared(&mut self, game: &str, result: Result<(), String>) {
        let game = game.to_owned();
        self.give(Input::Prepared(Prepared { game, result }));
    }

    fn start(&mut self) {
        let last = self.sent.pop();
        assert_eq!(last.as_deref(), Some("AGREE id"), "{:?}", self.events);
        self.sent.clear();
        self.say("START:id");
    }

    fn perform(&mut self, actions: Vec<Action>) {
        for action in actions {
            assert!(!self.is_closed, "nothing happens after the end: {action:?}");
            match action {
                Action::Send(line) => self.sent.push(line.wire()),
                Action::Engine(command) => self.commands.push(command),
                Action::Event(event) => self.events.push(event),
                Action::Close => self.is_closed = true,
            }
        }
    }

    fn give(&mut self, input: Input) {
        let actions = self.session.handle(input, self.now);
        self.perform(actions);
    }

    fn say(&mut self, lines: &str) {
        for line in lines.split('\n') {
            self.give(Input::Line(line.to_owned()));
        }
    }

    /// Lets time pass, with all ticks that are due.
    fn wait(&mut self, milliseconds: u64) {
        let end = self.now + Duration::from_millis(milliseconds);
        while !self.is_closed && self.session.deadline() <= end {
            self.now = self.session.deadline().max(self.now);
            self.give(Input::Tick);
        }
        self.now = end;
    }

    /// The last task of the engine.
    fn task(&self) -> &Task {
        let mut tasks = self.commands.iter().filter_map(|command| match command {
            EngineCommand::Search(task) => Some(&**task),
            _ => None,
        });
        tasks.next_back().expect("a search")
    }

    fn search(&self) -> SearchId {
        self.task().search
    }

    fn report(&mut self, search: SearchId, content: Content) {
        self.give(Input::Report(Report { search, content }));
    }

    fn answer(&mut self, decision: Decision) {
        self.report(self.search(), Content::Answer(Ok(decision)));
    }

    /// The move of a USI text after the moves of the last task.
    fn mv(&self, text: &str) -> Move {
        let position = self.task().line.position();
        let mv = text.parse().ok().and_then(|mv| position.to_move(mv));
        mv.unwrap_or_else(|| panic!("{text} is no move here"))
    }

    /// The engine plays a move on its last task.
    fn think(&mut self, mv: &str) {
        let best = self.mv(mv);
        self.answer(Decision::Move { best, ponder: None });
    }

    /// The engine reports a score and a line on its last task.
    fn consider(&mut self, score: Score, line: &str) {
        let mut position = self.task().line.position();
        let mut pv = Vec::new();
        for text in line.split(' ') {
            let mv = text.parse().ok().and_then(|mv| position.to_move(mv));
            let mv = mv.expect("a move of the line");
            position.do_move(mv);
            pv.push(mv);
        }
        let thought = Thought { score: Some(score), depth: Some(9), nodes: Some(1000), pv };
        self.report(self.search(), Content::Thought(thought));
    }

    /// What was sent since the last call.
    fn taken(&mut self) -> Vec<String> {
        std::mem::take(&mut self.sent)
    }

    /// The finished game, of which there must be one.
    fn finished(&self) -> &FinishedGame {
        let mut finished = self.events.iter().filter_map(|event| match event {
            Event::Finished(finished) => Some(&**finished),
            _ => None,
        });
        let first = finished.next().expect("a finished game");
        assert!(finished.next().is_none(), "only one");
        first
    }

    fn notes(&self) -> Vec<&str> {
        let notes = self.events.iter().filter_map(|event| match event {
            Event::Note(text) => Some(text.as_str()),
            _ => None,
        });
        notes.collect()
    }

    fn stops(&self) -> usize {
        let is_stop = |command: &&EngineCommand| matches!(command, EngineCommand::Stop);
        self.commands.iter().filter(is_stop).count()
    }
}
