//! Any USI engine, driven by a thread of its own: orders come through a channel, so that a program
//! that hangs never holds up the connection.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvError, Sender, TryRecvError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};

use super::{
    Answer, Content, EngineCommand, GameRules, OnWord, PlayerSettings, Prepared, SearchId,
};
use super::{Report, Task, Word};
use crate::types::{Bound, Move};
use crate::usi::client::reply::{BestMove, InfoLine, Reply};
use crate::usi::client::{Client, ClientError, Program, clock_words};
use crate::{position::Position, records::Thought, search::Decision, util::shorten};

/// How often orders are looked for while a search runs.
const ORDER_INTERVAL: Duration = Duration::from_millis(4);
/// Longest time from `stop` to `bestmove`; after that the program is restarted.
const STOP_TIMEOUT: Duration = Duration::from_secs(3);
/// Longest time from `quit` to the end of the process.
const QUIT_TIMEOUT: Duration = Duration::from_secs(2);

/// The thread of a program.
pub(in crate::csa) struct Driver {
    /// `None` once the thread is to end.
    orders: Option<Sender<EngineCommand>>,
    /// Tells the thread not to wait for a slow program.
    is_leaving: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Driver {
    /// Starts the program and waits until it is ready or `is_given_up`.
    pub(super) fn start(
        program: &Program,
        settings: &PlayerSettings,
        on_word: OnWord,
        is_given_up: &dyn Fn() -> bool,
    ) -> Result<Self> {
        let is_leaving = Arc::new(AtomicBool::new(false));
        let mut work = Work {
            program: program.clone(),
            settings: settings.clone(),
            client: None,
            running: None,
            on_word,
            is_leaving: Arc::clone(&is_leaving),
        };
        work.start(is_given_up)?;
        let (orders, received) = mpsc::channel();
        let thread = thread::Builder::new()
            .name("csa-engine".to_owned())
            .spawn(move || work.serve(&received))
            .map_err(|error| anyhow!("no thread for the engine: {error}"))?;
        Ok(Self { orders: Some(orders), is_leaving, thread: Some(thread) })
    }

    pub(super) fn perform(&self, command: EngineCommand) {
        if let Some(orders) = &self.orders {
            // The thread ends only with this channel.
            let _ = orders.send(command);
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.is_leaving.store(true, Ordering::Relaxed);
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The work of the thread.
struct Work {
    program: Program,
    settings: PlayerSettings,
    /// `None` after a failure; the next game starts the program again.
    client: Option<Client>,
    running: Option<Running>,
    on_word: OnWord,
    is_leaving: Arc<AtomicBool>,
}

/// A search that has not answered.
struct Running {
    search: SearchId,
    position: Position,
}

impl Work {
    fn start(&mut self, is_given_up: &dyn Fn() -> bool) -> Result<(), ClientError> {
        let mut client = Client::start(&self.program)?;
        client.handshake(self.settings.ready_timeout, is_given_up)?;
        let ponders = self.settings.ponders.to_string();
        client.set_if_declared("USI_Ponder", &ponders, &self.settings.options)?;
        for (name, value) in &self.settings.options {
            client.set_option(name, (!value.is_empty()).then_some(value.as_str()))?;
        }
        client.ready_as_told(self.settings.ready_timeout, is_given_up)?;
        self.client = Some(client);
        Ok(())
    }

    fn serve(mut self, orders: &Receiver<EngineCommand>) {
        loop {
            let order = if self.running.is_some() {
                orders.try_recv()
            } else {
                orders.recv().map_err(|RecvError| TryRecvError::Disconnected)
            };
            let result = match order {
                Ok(command) => self.perform(command),
                Err(TryRecvError::Empty) => self.receive(),
                Err(TryRecvError::Disconnected) => break,
            };
            if let Err(error) = result {
                self.fail(&error.to_string());
            }
        }
        if let Some(client) = self.client.take() {
            client.quit(QUIT_TIMEOUT);
        }
    }

    fn fail(&mut self, reason: &str) {
        self.client = None;
        match self.running.take() {
            Some(running) => {
                let content = Content::Answer(Err(reason.to_owned()));
                self.report(running.search, content);
            }
            None => (self.on_word)(Word::Note(format!("the engine: {reason}"))),
        }
    }

    fn report(&self, search: SearchId, content: Content) {
        (self.on_word)(Word::Report(Report { search, content }));
    }

    fn perform(&mut self, command: EngineCommand) -> Result<(), ClientError> {
        match command {
            EngineCommand::Prepare(rules) => {
                let result = self.prepare(&rules);
                if result.is_err() {
                    self.client = None;
                }
                (self.on_word)(Word::Prepared(Prepared {
                    game: rules.game,
                    result: result.map_err(|error| error.to_string()),
                }));
                Ok(())
            }
            EngineCommand::Search(task) => self.search(&task),
            EngineCommand::PonderHit { search, .. } => self.ponderhit(search),
            EngineCommand::Stop => match (&mut self.client, &self.running) {
                (Some(client), Some(_)) => client.send("stop").map(drop),
                _ => Ok(()),
            },
            EngineCommand::GameOver(word) => {
                self.stop()?;
                match &mut self.client {
                    Some(client) => client.send(&format!("gameover {word}")).map(drop),
                    None => Ok(()),
                }
            }
        }
    }

    fn prepare(&mut self, rules: &GameRules) -> Result<(), ClientError> {
        self.stop()?;
        let is_leaving = Arc::clone(&self.is_leaving);
        let is_given_up = || is_leaving.load(Ordering::Relaxed);
        if self.client.is_none() {
            self.start(&is_given_up)?;
        }
        let Some(client) = &mut self.client else {
            return Ok(());
        };
        client.discard_pending();
        let max_moves = rules.max_moves.unwrap_or(0).to_string();
        let declaration = rules.declaration.name();
        let set = &self.settings.options;
        client.set_if_declared("MaxMovesToDraw", &max_moves, set)?;
        client.set_if_declared("EnteringKingRule", declaration, set)?;
        client.ready(self.settings.ready_timeout, &is_given_up)?;
        client.send("usinewgame").map(drop)
    }

    fn search(&mut self, task: &Task) -> Result<(), ClientError> {
        self.stop()?;
        let running = Running { search: task.search, position: task.line.position() };
        let side = running.position.side_to_move();
        let search = task.search;
        self.running = Some(running);
        let Some(client) = &mut self.client else {
            self.running = None;
            self.report(search, Content::Answer(Err("it has ended".to_owned())));
            return Ok(());
        };
        client.discard_pending();
        client.send(&format!("position {}", task.line))?;
        let mut go = "go".to_owned();
        if task.ponders {
            go += " ponder";
        }
        if let Some(mut clock) = task.clock {
            // The way through the network is taken off the own main time.
            let own = &mut clock.time[side.index()];
            *own = own.saturating_sub(task.round_trip);
            go = format!("{go} {}", clock_words(&clock, side));
        }
        client.send(&go).map(drop)
    }

    fn ponderhit(&mut self, search: SearchId) -> Result<(), ClientError> {
        match (&mut self.client, &self.running) {
            (Some(client), Some(running)) if running.search == search => {
                client.send("ponderhit").map(drop)
            }
            _ => Ok(()),
        }
    }

    /// Ends a running search and discards its answer.
    fn stop(&mut self) -> Result<(), ClientError> {
        let (Some(client), Some(_)) = (&mut self.client, self.running.take()) else {
            return Ok(());
        };
        let deadline = client.send("stop")? + STOP_TIMEOUT;
        loop {
            let received = client.receive(Some(deadline))?;
            if matches!(Reply::of(&received.line), Reply::BestMove(_)) {
                return Ok(());
            }
            if received.at > deadline {
                return Err(ClientError::TimedOut {
                    waiting_for: "bestmove",
                    duration: STOP_TIMEOUT,
                });
            }
        }
    }

    /// Takes a line of the running search, if one comes soon.
    fn receive(&mut self) -> Result<(), ClientError> {
        let (Some(client), Some(running)) = (&mut self.client, &self.running) else {
            return Ok(());
        };
        let received = match client.receive(Some(Instant::now() + ORDER_INTERVAL)) {
            Err(ClientError::TimedOut { .. }) => return Ok(()),
            received => received?,
        };
        let search = running.search;
        match Reply::of(&received.line) {
            Reply::Info(info) => {
                if let Some(thought) = thought(&info, &running.position) {
                    self.report(search, Content::Thought(thought));
                }
            }
            Reply::BestMove(best) => {
                let answer = answer(best, &running.position);
                self.running = None;
                self.report(search, Content::Answer(answer));
            }
            _ => {}
        }
        Ok(())
    }
}

/// The line of an `info`; `None` if it has no exact score of the best move.
fn thought(info: &InfoLine<'_>, position: &Position) -> Option<Thought> {
    let is_best = info.multipv.is_none_or(|rank| rank == 1);
    let is_exact = matches!(info.bound, None | Some(Bound::Exact));
    let score = info.score.filter(|_| is_best && is_exact)?;
    Some(Thought {
        score: Some(score),
        depth: info.depth,
        nodes: info.nodes,
        pv: position.legal_line(info.pv?),
    })
}

fn answer(best: BestMove<'_>, position: &Position) -> Answer {
    let (best, ponder) = match best {
        BestMove::Move { best, ponder } => (best, ponder),
        BestMove::Resign => return Ok(Decision::Resign),
        BestMove::Win => return Ok(Decision::Win),
        BestMove::Missing => return Err("bestmove without a move".to_owned()),
    };
    let Some(mv) = legal_move(position, best) else {
        let (best, sfen) = (shorten(best), position.to_sfen());
        return Err(format!("illegal move {best} in {sfen}"));
    };
    let mut after = position.clone();
    after.do_move(mv);
    let ponder = ponder.and_then(|text| legal_move(&after, text));
    Ok(Decision::Move { best: mv, ponder })
}

/// The legal move of a USI text.
fn legal_move(position: &Position, text: &str) -> Option<Move> {
    position.legal_move(text.parse().ok()?)
}
