//! What all connections of a run share: the engine, the log, the records of the games.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::{Duration, Instant, SystemTime};

use super::happening::{Happening, RunSettings};
use crate::csa::connection::Received;
use crate::csa::dialogue::DialogueLog;
use crate::csa::journal::{Entry, Journal};
use crate::csa::outcome::FinishedGame;
use crate::csa::pauses::Pauses;
use crate::csa::player::{OnWord, Player, PlayerError, Word};
use crate::csa::session::InterruptedGame;
use crate::runs::{FolderError, Stop};

/// How often the user's wish is looked at.
pub(super) const GLANCE: Duration = Duration::from_millis(100);
/// What comes to the loop.
pub(super) enum Incoming {
    Socket { connection: u64, received: Received },
    Engine(Word),
}

pub(super) type Envelope = (Incoming, Instant);

/// A game whose record is not written, and when it started.
pub(super) type Unwritten = (Box<FinishedGame>, jiff::Zoned);

pub(super) struct Runner<'a> {
    pub(super) settings: &'a RunSettings,
    pub(super) player: Player,
    pub(super) log: DialogueLog,
    pub(super) stop: &'a Stop,
    pub(super) watch: &'a dyn Fn(Happening<'_>),
    pub(super) sender: Sender<Envelope>,
    pub(super) incoming: Receiver<Envelope>,
    /// Number of lines of the socket that wait in `incoming`.
    pub(super) waiting: Arc<AtomicUsize>,
    /// Number of connections so far.
    pub(super) connections: u64,
    pub(super) pauses: Pauses,
    pub(super) has_logged_in: bool,
    /// A game to resume, and when its connection was lost.
    pub(super) interrupted: Option<(Box<InterruptedGame>, Instant)>,
    /// Games whose records are still to be written.
    pub(super) unwritten: Vec<Unwritten>,
    /// Number of games that were finished and written.
    pub(super) finished: u64,
    journal: Journal,
}

impl<'a> Runner<'a> {
    /// Starts the engine, unless `stop` is requested before it is ready.
    pub(super) fn start(
        settings: &'a RunSettings,
        journal: Journal,
        stop: &'a Stop,
        watch: &'a dyn Fn(Happening<'_>),
    ) -> Result<Self, PlayerError> {
        let (sender, incoming) = mpsc::channel::<Envelope>();
        let words = sender.clone();
        let on_word: OnWord = Box::new(move |word| {
            // Fails only at the end of the run.
            let _ = words.send((Incoming::Engine(word), Instant::now()));
        });
        let seed = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .map_or(0, |since| since.as_nanos() as u64);
        let is_given_up = || stop.is_requested();
        let password = settings.session.password.clone();
        Ok(Self {
            settings,
            player: Player::start(&settings.player, on_word, &is_given_up)?,
            log: DialogueLog::new(&journal.path().join("log"), password),
            stop,
            watch,
            sender,
            incoming,
            waiting: Arc::default(),
            connections: 0,
            pauses: Pauses::new(&settings.session.game, seed),
            has_logged_in: false,
            interrupted: None,
            journal,
            unwritten: Vec::new(),
            finished: 0,
        })
    }

    pub(super) fn note(&mut self, text: &str) {
        self.log.note('-', text);
        (self.watch)(Happening::Note(text));
    }

    /// The next input of a connection, if one comes in time.
    pub(super) fn receive(&mut self, wait: Duration) -> Option<Envelope> {
        let envelope = self.incoming.recv_timeout(wait).ok()?;
        if let Incoming::Socket { connection, .. } = envelope.0
            && connection == self.connections
        {
            // Counted by the thread that reads the socket.
            let _ = self
                .waiting
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| {
                    count.checked_sub(1)
                });
        }
        Some(envelope)
    }

    // --- Records ---

    /// Writes the record of a game now, or later if that fails.
    pub(super) fn record(&mut self, finished: Box<FinishedGame>) {
        let started = jiff::Zoned::now() - finished.game.started().elapsed();
        self.unwritten.push((finished, started));
        // The note says why; it is tried again before the next login and at the end.
        let _ = self.write_records();
    }

    pub(super) fn write_records(&mut self) -> Result<(), FolderError> {
        while let Some((finished, started)) = self.unwritten.first() {
            match self.journal.add(finished, started) {
                Ok(entry) => {
                    self.finished += u64::from(finished.is_complete);
                    self.unwritten.remove(0);
                    self.announce(&entry);
                }
                Err(error) => {
                    self.note(&format!("a game is not written yet: {error}"));
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    fn announce(&mut self, entry: &Entry) {
        let text = format!(
            "{} against {}: {}",
            entry.game, entry.opponent, entry.notices
        );
        self.log.note('-', &text);
        (self.watch)(Happening::Finished(entry));
    }
}
