//! Plays games on a server for as long as asked: logs in, plays, writes the records, logs in again.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use std::{io, sync::Arc, thread};

use anyhow::bail;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::connection::{Connection, Received};
use super::journal::{DialogueLog, Entry, Journal, record_of};
use super::player::{OnWord, Player, PlayerSettings, Word};
use super::session::{Action, Event, Input, InterruptedGame, Session, SessionSettings, Wish};
use super::{game::FinishedGame, lines::ClientLine, lines::Summary};
use crate::runs::{FolderError, Stop};
use crate::{records::GameRecord, usi::client::ClientError};

/// Where and how to play.
#[derive(Clone, Debug)]
pub struct RunSettings {
    /// Name or address of the server.
    pub host: String,
    /// TCP port of the server.
    pub port: u16,
    /// How to log in and play.
    pub session: SessionSettings,
    /// Which engine plays, and how.
    pub player: PlayerSettings,
    /// Number of games to finish; `None` for ever. Games that are broken off do not count.
    pub games: Option<u64>,
}

/// What happens, for whoever watches.
#[derive(Debug)]
pub enum RunEvent<'a> {
    /// Something that the user may want to know.
    Note(&'a str),
    /// The server let us in.
    LoggedIn,
    /// A game is offered.
    Offered(&'a Summary),
    /// A game was finished or given up; this is its line of the journal.
    Finished(&'a Entry),
    /// A moment of the session; comes at least ten times a second.
    Moment(&'a Session),
    /// The record of a game that could not be written to its file.
    Unwritten(&'a GameRecord),
}

/// Plays until the number of games is reached or `stop` is requested: after the running game, or by
/// resigning it.
///
/// # Errors
/// The engine does not start or refuses an option, or the login or the records fail. A lost
/// connection is not an error, and neither is a full disk that has space again within minutes: no
/// game begins until the records of the earlier ones are written.
pub fn run(
    settings: &RunSettings,
    journal: Journal,
    stop: &Stop,
    watch: &dyn Fn(RunEvent<'_>),
) -> anyhow::Result<()> {
    match Runner::start(settings, journal, stop, watch) {
        Ok(mut runner) => runner.play_games(),
        // The user did not want to wait for the engine.
        Err(error) => match error.downcast_ref() {
            Some(ClientError::GivenUp(_)) => Ok(()),
            _ => Err(error),
        },
    }
}

/// A connection that lasted this long was good.
const GOOD_CONNECTION: Duration = Duration::from_mins(1);
/// A game that was not resumed for this long is given up. Servers wait for some 30 s.
const RESUME_TIMEOUT: Duration = Duration::from_mins(1);
/// Tries to write a record in a row, a pause before each but the first, until the run ends; five
/// pauses are some 90 s.
const MOST_WRITES: u32 = 6;
/// How often a request to stop is looked for.
const GLANCE: Duration = Duration::from_millis(100);

/// What comes to the loop, from the socket or from the engine.
enum Incoming {
    Socket { connection: u64, received: Received },
    Engine(Word),
}

type Envelope = (Incoming, Instant);

/// A game whose record is not written, and when it started.
type Unwritten = (Box<FinishedGame>, jiff::Zoned);

/// What all connections of a run share: the engine, the log, the records of the games.
struct Runner<'a> {
    settings: &'a RunSettings,
    player: Player,
    log: DialogueLog,
    stop: &'a Stop,
    watch: &'a dyn Fn(RunEvent<'_>),
    sender: Sender<Envelope>,
    incoming: Receiver<Envelope>,
    /// Number of lines of the socket that wait in `incoming`.
    waiting: Arc<AtomicUsize>,
    /// Number of connections so far.
    connections: u64,
    pauses: Pauses,
    has_logged_in: bool,
    /// A game to resume.
    interrupted: Option<Box<InterruptedGame>>,
    /// Whether the end was requested while it was played: it is resumed all the same.
    was_to_finish: bool,
    /// Games whose records are still to be written.
    unwritten: Vec<Unwritten>,
    /// Tries in a row that did not write a record, and the last error, which is told once.
    failed_writes: u32,
    write_error: String,
    /// Number of games that were finished and written.
    finished: u64,
    journal: Journal,
}

impl<'a> Runner<'a> {
    /// Starts the engine, unless `stop` is requested before it is ready.
    fn start(
        settings: &'a RunSettings,
        journal: Journal,
        stop: &'a Stop,
        watch: &'a dyn Fn(RunEvent<'_>),
    ) -> anyhow::Result<Self> {
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
            was_to_finish: false,
            journal,
            unwritten: Vec::new(),
            failed_writes: 0,
            write_error: String::new(),
            finished: 0,
        })
    }

    fn play_games(&mut self) -> anyhow::Result<()> {
        while !self.is_done() {
            let cause =
                if self.write_records().is_ok() { self.connect()? } else { Cause::Unwritten };
            self.give_up_old_game();
            if !self.is_done() {
                let pause = self.pauses.next(cause, SystemTime::now());
                let what = match cause {
                    Cause::Lost | Cause::Refused => Some("next login"),
                    Cause::Unwritten => Some("the next try to write the records"),
                    Cause::Resuming => Some("next login, to resume the game,"),
                    Cause::Played => None,
                };
                if let Some(what) = what {
                    self.note(&format!("{what} in {:.0} s", pause.as_secs_f64()));
                }
                self.wait(pause);
            }
        }
        if let Some(interrupted) = self.interrupted.take() {
            self.record(Box::new(interrupted.give_up()));
        }
        let Err(error) = self.write_records() else {
            return Ok(());
        };
        let mut games = Vec::new();
        for (finished, started) in &self.unwritten {
            games.push(finished.game.summary().id.as_str());
            let record = record_of(finished, started, &self.settings.session.password);
            (self.watch)(RunEvent::Unwritten(&record));
        }
        let games = self.log.blanked(&games.join(", "));
        bail!("{games} not written: {error}")
    }

    fn is_done(&self) -> bool {
        // The game that was interrupted is the running one.
        let goes_on = self.interrupted.is_some() && self.was_to_finish && !self.stop.is_abort();
        let is_enough = |games| self.finished >= games;
        self.stop.is_requested() && !goes_on
            || self.settings.games.is_some_and(is_enough)
            || self.failed_writes >= MOST_WRITES
    }

    fn wait(&self, pause: Duration) {
        let end = Instant::now() + pause;
        while !self.is_done() {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            thread::sleep(left.min(GLANCE));
        }
    }

    fn note(&mut self, text: &str) {
        self.log.note('-', text);
        let text = self.log.blanked(text);
        (self.watch)(RunEvent::Note(&text));
    }

    /// The next input of a connection, if one comes in time.
    fn receive(&mut self, wait: Duration) -> Option<Envelope> {
        let envelope = self.incoming.recv_timeout(wait).ok()?;
        if let Incoming::Socket { connection, .. } = envelope.0
            && connection == self.connections
        {
            // Counted by the thread that reads the socket.
            let _ = self
                .waiting
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| count.checked_sub(1));
        }
        Some(envelope)
    }

    // --- Connections ---

    /// One connection, from the login to its end; returns the cause of the pause after it.
    fn connect(&mut self) -> anyhow::Result<Cause> {
        let connection = match self.open() {
            Some(Ok(connection)) => connection,
            Some(Err(error)) => {
                let (host, port) = (&self.settings.host, self.settings.port);
                self.note(&format!("{host}:{port}: {error}"));
                return Ok(Cause::Lost);
            }
            // The user does not want to wait.
            None => return Ok(Cause::Lost),
        };
        let interrupted = self.interrupted.take();
        let began = Instant::now();
        let cause = Visit::pay(self, connection, interrupted, began)?;
        if began.elapsed() >= GOOD_CONNECTION {
            self.pauses.note_good_connection();
        }
        Ok(cause)
    }

    /// Opens a connection on a thread of its own, because to look up a name and to connect can take
    /// long; `None` if the user wants to leave before that.
    fn open(&mut self) -> Option<io::Result<Connection>> {
        self.connections += 1;
        let (number, sender) = (self.connections, self.sender.clone());
        let on_received = move |received, at| {
            let incoming = Incoming::Socket { connection: number, received };
            // Fails only at the end of the run.
            let _ = sender.send((incoming, at));
        };
        self.waiting = Arc::default();
        let waiting = Arc::clone(&self.waiting);
        let (host, port) = (self.settings.host.clone(), self.settings.port);
        let (opened, result) = mpsc::channel();
        let connect = move || {
            // Fails if nobody waits any more; the connection is closed then.
            let _ = opened.send(Connection::open(&host, port, waiting, on_received));
        };
        let thread = thread::Builder::new().name("csa-connect".to_owned());
        if let Err(error) = thread.spawn(connect) {
            return Some(Err(error));
        }
        loop {
            match result.recv_timeout(GLANCE) {
                Ok(result) => return Some(result),
                Err(RecvTimeoutError::Timeout) if self.is_done() => return None,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Some(Err(io::Error::other("the connecting thread ended")));
                }
            }
        }
    }

    fn give_up_old_game(&mut self) {
        let is_old = |game: &mut Box<InterruptedGame>| game.lost.elapsed() > RESUME_TIMEOUT;
        if let Some(game) = self.interrupted.take_if(is_old) {
            self.record(Box::new(game.give_up()));
        }
    }

    // --- Records ---

    /// Writes the record of a game now, or later if that fails.
    fn record(&mut self, finished: Box<FinishedGame>) {
        let started = jiff::Zoned::now() - finished.game.started().elapsed();
        self.unwritten.push((finished, started));
        // The note says why; it is tried again before the next login and at the end.
        let _ = self.write_records();
    }

    fn write_records(&mut self) -> Result<(), FolderError> {
        while let Some((finished, started)) = self.unwritten.first() {
            let password = &self.settings.session.password;
            match self.journal.add(finished, started, password) {
                Ok(entry) => {
                    self.finished += u64::from(finished.is_complete);
                    self.unwritten.remove(0);
                    (self.failed_writes, self.write_error) = (0, String::new());
                    self.announce(&entry);
                }
                Err(error) => {
                    self.failed_writes += 1;
                    let text = error.to_string();
                    if text != self.write_error {
                        self.note(&format!("a game is not written yet: {text}"));
                        self.write_error = text;
                    }
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    fn announce(&mut self, entry: &Entry) {
        let text = format!("{} against {}: {}", entry.game, entry.opponent, entry.notices);
        self.log.note('-', &text);
        (self.watch)(RunEvent::Finished(entry));
    }
}

/// One connection: carries inputs to its session, and performs what the session asks for.
struct Visit<'a, 'b> {
    runner: &'a mut Runner<'b>,
    session: Session,
    began: Instant,
    connection: Option<Connection>,
    cause: Cause,
}

impl<'a, 'b> Visit<'a, 'b> {
    /// From the login to the end of the connection; returns the cause of the pause after it.
    fn pay(
        runner: &'a mut Runner<'b>,
        connection: Connection,
        interrupted: Option<Box<InterruptedGame>>,
        began: Instant,
    ) -> anyhow::Result<Cause> {
        let settings = runner.settings.session.clone();
        let (session, actions) = Session::begin(settings, interrupted, began);
        let mut visit =
            Self { runner, session, began, connection: Some(connection), cause: Cause::Lost };
        visit.perform(actions)?;
        visit.serve()?;
        Ok(visit.cause)
    }

    fn serve(&mut self) -> anyhow::Result<()> {
        let mut wish = Wish::PlayOn;
        while !self.session.is_closed() {
            let stop = self.runner.stop;
            let wished = match (stop.is_requested(), stop.is_abort()) {
                (_, true) => Wish::Resign,
                (true, false) => Wish::Finish,
                (false, false) => Wish::PlayOn,
            };
            let now = Instant::now();
            let is_resuming = self.session.is_resuming() && !self.runner.was_to_finish;
            if stop.is_given_up() || stop.is_requested() && is_resuming {
                self.give(Input::Closed, now)?;
            } else if wished != wish {
                wish = wished;
                self.give(Input::Wish(wish), now)?;
            } else if now >= self.session.deadline() {
                self.give(Input::Tick, now)?;
            }
            let wait = self.session.deadline().saturating_duration_since(now);
            if let Some((incoming, at)) = self.runner.receive(wait.min(GLANCE)) {
                self.take(incoming, at)?;
            }
            (self.runner.watch)(RunEvent::Moment(&self.session));
        }
        Ok(())
    }

    fn take(&mut self, incoming: Incoming, at: Instant) -> anyhow::Result<()> {
        let input = match incoming {
            Incoming::Socket { connection, .. } if connection != self.runner.connections => {
                return Ok(());
            }
            Incoming::Socket { received, .. } => match received {
                Received::Line(line) => {
                    self.runner.log.note('<', &line);
                    Input::Line(line)
                }
                Received::Closed(error) => {
                    if let Some(error) = error {
                        self.runner.note(&format!("cannot receive: {error}"));
                    }
                    Input::Closed
                }
            },
            Incoming::Engine(Word::Prepared(prepared)) => Input::Prepared(prepared),
            Incoming::Engine(Word::Report(report)) => Input::Report(report),
            Incoming::Engine(Word::Note(text)) => {
                self.runner.note(&text);
                return Ok(());
            }
        };
        self.give(input, at)
    }

    fn give(&mut self, input: Input, at: Instant) -> anyhow::Result<()> {
        let actions = self.session.handle(input, at);
        self.perform(actions)
    }

    fn perform(&mut self, actions: Vec<Action>) -> anyhow::Result<()> {
        for action in actions {
            match action {
                Action::Send(line) => self.send(&line),
                Action::Engine(command) => self.runner.player.perform(command),
                Action::Event(event) => self.event(event)?,
                Action::Close => self.connection = None,
            }
        }
        Ok(())
    }

    fn send(&mut self, line: &ClientLine) {
        let Some(connection) = &mut self.connection else {
            return;
        };
        let result = connection.send(&line.wire());
        self.runner.log.note('>', &line.to_string());
        if let Err(error) = result {
            self.runner.note(&format!("cannot send: {error}"));
            let incoming = Incoming::Socket {
                connection: self.runner.connections,
                received: Received::Closed(None),
            };
            // The runner itself holds the receiver.
            let _ = self.runner.sender.send((incoming, Instant::now()));
        }
    }

    fn event(&mut self, event: Event) -> anyhow::Result<()> {
        let runner = &mut *self.runner;
        match event {
            Event::LoggedIn => {
                runner.has_logged_in = true;
                (runner.watch)(RunEvent::LoggedIn);
            }
            Event::LoginRefused { retry_after: None } if !runner.has_logged_in => {
                let (host, name) = (&runner.settings.host, &runner.settings.session.name);
                bail!(
                    "{host} refuses the login of {name}: wrong password, or the name is logged in \
                    already"
                );
            }
            Event::LoginRefused { retry_after } => {
                runner.note("the server refused the login");
                if let Some(wait) = retry_after {
                    runner.pauses.note_retry_after(wait);
                }
                self.cause = Cause::Refused;
            }
            Event::Offered(mut summary) => {
                summary.id = runner.log.blanked(&summary.id);
                (runner.watch)(RunEvent::Offered(&summary));
            }
            Event::Rejected(by) => runner.note(&format!("game rejected by {by}")),
            Event::Finished(finished) => {
                if finished.is_complete {
                    self.cause = Cause::Played;
                }
                runner.record(finished);
            }
            Event::Interrupted(interrupted) => {
                // Where it was not played on this connection, a request to end ends the tries.
                if interrupted.lost >= self.began {
                    runner.was_to_finish = runner.stop.is_requested();
                }
                runner.interrupted = Some(interrupted);
                self.cause = Cause::Resuming;
            }
            Event::Note(text) => runner.note(&text),
        }
        Ok(())
    }
}

// --- Pauses ---

/// Pause after a game.
const AFTER_GAME: Duration = Duration::from_millis(1500);
/// First and longest pause before a game is resumed: servers wait for some 30 s.
const FIRST_RESUMING: Duration = Duration::from_millis(1500);
const LONGEST_RESUMING: Duration = Duration::from_secs(10);
/// First and longest pause after a lost connection.
const FIRST_RETRY: Duration = Duration::from_secs(3);
const LONGEST_RETRY: Duration = Duration::from_mins(5);
/// First and longest pause after a refused login: servers block accounts that try too often.
const FIRST_AFTER_REFUSAL: Duration = Duration::from_mins(1);
const LONGEST_AFTER_REFUSAL: Duration = Duration::from_mins(15);
/// Longest time that a server may ask to wait.
const LONGEST_ASKED: Duration = Duration::from_hours(1);
/// Each pause is this much of the planned one, in percent.
const RANDOM_PERCENT: std::ops::RangeInclusive<u32> = 75..=125;
/// floodgate pairs the players that wait at the full and at the half hour.
const ROUND: Duration = Duration::from_mins(30);
/// To be logged in this long before a round.
const BEFORE_ROUND: Duration = Duration::from_secs(45);

/// Why there is a pause.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cause {
    /// A game has ended.
    Played,
    /// The connection was lost, or there was none.
    Lost,
    /// The server refused the login.
    Refused,
    /// A game is to be resumed.
    Resuming,
    /// A record could not be written.
    Unwritten,
}

/// The pauses of a run.
#[derive(Debug)]
pub(super) struct Pauses {
    /// Whether the rounds of floodgate matter.
    has_rounds: bool,
    /// Lost connections and refusals since the last game.
    losses: u32,
    refusals: u32,
    resumptions: u32,
    /// How long the server asked to wait, when it refused the login.
    asked: Option<Duration>,
    random: ChaCha8Rng,
}

impl Pauses {
    /// The pauses of a client that plays this game, such as `floodgate-300-10F`.
    pub(super) fn new(game: &str, seed: u64) -> Self {
        Self {
            has_rounds: game.starts_with("floodgate-"),
            losses: 0,
            refusals: 0,
            resumptions: 0,
            asked: None,
            random: ChaCha8Rng::seed_from_u64(seed),
        }
    }

    /// The connection lasted a while: pauses after lost connections begin anew.
    pub(super) fn note_good_connection(&mut self) {
        (self.losses, self.resumptions) = (0, 0);
    }

    /// The server refused the login and asked to wait this long.
    pub(super) fn note_retry_after(&mut self, wait: Duration) {
        self.asked = Some(wait.min(LONGEST_ASKED));
    }

    /// The pause that begins at `now`.
    pub(super) fn next(&mut self, cause: Cause, now: SystemTime) -> Duration {
        let planned = match cause {
            Cause::Played => {
                (self.losses, self.refusals, self.resumptions) = (0, 0, 0);
                AFTER_GAME
            }
            Cause::Resuming => grown(FIRST_RESUMING, LONGEST_RESUMING, &mut self.resumptions),
            Cause::Lost | Cause::Unwritten => grown(FIRST_RETRY, LONGEST_RETRY, &mut self.losses),
            Cause::Refused => grown(FIRST_AFTER_REFUSAL, LONGEST_AFTER_REFUSAL, &mut self.refusals),
        };
        let pause = planned * self.random.random_range(RANDOM_PERCENT) / 100;
        let pause = pause.max(self.asked.take().unwrap_or_default());
        if self.has_rounds && cause == Cause::Lost { before_round(pause, now) } else { pause }
    }
}

/// Doubles with each failure.
fn grown(first: Duration, longest: Duration, failures: &mut u32) -> Duration {
    let doublings = (*failures).min(16);
    *failures += 1;
    first.saturating_mul(1 << doublings).min(longest)
}

/// Shortens a pause that would end too late for the next round.
fn before_round(pause: Duration, now: SystemTime) -> Duration {
    let since_epoch = now.duration_since(UNIX_EPOCH).unwrap_or_default();
    let into_round = since_epoch.as_millis() % ROUND.as_millis();
    let to_round = ROUND.saturating_sub(Duration::from_millis(into_round as u64));
    match to_round.checked_sub(BEFORE_ROUND) {
        Some(left) if left >= FIRST_RETRY => pause.min(left),
        _ => pause,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minutes: u64, seconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(1_000_000 * 3600 + minutes * 60 + seconds)
    }

    #[test]
    fn pauses_grow_to_a_limit_and_begin_anew_after_a_game() {
        let mut pauses = Pauses::new("test-60-1", 1);
        let mut planned = 3;
        for _ in 0..20 {
            let pause = pauses.next(Cause::Lost, at(0, 0)).as_secs_f64();
            let share = pause / f64::from(planned);
            assert!((0.75..=1.25).contains(&share), "{pause} of {planned}");
            planned = (planned * 2).min(300);
        }
        assert!(pauses.next(Cause::Played, at(0, 0)) >= Duration::from_secs(1));
        assert!(pauses.next(Cause::Lost, at(0, 0)) < Duration::from_secs(4));
        pauses.next(Cause::Lost, at(0, 0));
        pauses.note_good_connection();
        assert!(pauses.next(Cause::Lost, at(0, 0)) < Duration::from_secs(4));
    }

    #[test]
    fn a_server_that_drops_every_connection_is_not_flooded() {
        let mut pauses = Pauses::new("test-60-1", 3);
        let mut next = |cause| pauses.next(cause, at(0, 0)).as_secs_f64();
        assert!((1.1..1.9).contains(&next(Cause::Resuming)));
        next(Cause::Resuming);
        for _ in 0..20 {
            assert!((4.5..12.6).contains(&next(Cause::Resuming)));
        }
    }

    #[test]
    fn a_refused_login_is_not_tried_again_soon() {
        let mut pauses = Pauses::new("test-60-1", 2);
        let first = pauses.next(Cause::Refused, at(0, 0));
        assert!(first >= Duration::from_secs(45));
        for _ in 0..10 {
            assert!(pauses.next(Cause::Refused, at(0, 0)) >= first);
        }
        let mut pauses = Pauses::new("test-60-1", 2);
        pauses.note_retry_after(Duration::from_mins(7));
        let pause = pauses.next(Cause::Refused, at(0, 0));
        assert_eq!(pause, Duration::from_mins(7));
        assert!(pauses.next(Cause::Refused, at(0, 0)) < pause);
    }

    #[test]
    fn rounds_are_not_missed() {
        let long = Duration::from_mins(5);
        assert_eq!(before_round(long, at(10, 0)), long);
        assert_eq!(before_round(long, at(26, 0)), Duration::from_secs(195));
        assert_eq!(before_round(long, at(57, 0)), Duration::from_secs(135));
        // Too late for this round.
        assert_eq!(before_round(long, at(29, 30)), long);
    }
}
