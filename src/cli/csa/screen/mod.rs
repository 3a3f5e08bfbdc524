//! The full-screen view of running clients: boards, clocks, lines, results.
//!
//! The clients report to [`Shared`]; [`Screen`] shows it and reads keys. Without the view, events
//! are printed as lines. The terminal is given back
//! on every way out: at the end of [`Screen::run`], by the panic hook, and before Ctrl-C ends the
//! program at once.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, IsTerminal as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Paragraph, Wrap};
use ratatui::{DefaultTerminal, Frame};

use super::tally_text;
use crate::csa::journal::{Entry, GameResult, Tally, by_opponent};
use crate::records::notation::japanese::{self, RANKS, on_board, piece_letter};
use crate::types::{Color, File, Hand, Move, Piece, PieceType, Rank, Square};
use crate::{
    cli::output, cli::progress::Interrupt, csa::session::Session, records::csa::move_text,
};
use crate::{csa::run::RunEvent, lang::Lang, position::Position, records::black_score};

/// Time between two pictures, in which the clocks run on.
const INTERVAL: Duration = Duration::from_millis(200);

/// Whether the terminal is ours. The last one who uses it gives it back.
static IS_OPEN: AtomicBool = AtomicBool::new(false);

/// Whether there is a terminal that can show the view.
pub(super) fn is_possible() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal() && !output::is_dumb_terminal()
}

/// Whether the view is on the terminal.
pub(super) fn is_open() -> bool {
    IS_OPEN.load(Ordering::SeqCst)
}

/// Gives the terminal back, if it is ours. May be called from any thread, and more than once.
pub(super) fn close() {
    if IS_OPEN.swap(false, Ordering::SeqCst) {
        // Fails where the terminal is gone; `restore` would panic then.
        let _ = ratatui::try_restore();
    }
}

/// The view on the terminal, which is given back when this is dropped.
pub(super) struct Screen {
    terminal: DefaultTerminal,
    shared: Arc<Shared>,
}

impl Screen {
    /// Takes the terminal for the view.
    ///
    /// # Errors
    /// It cannot be used.
    pub(super) fn open(shared: Arc<Shared>) -> io::Result<Self> {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            close();
            hook(panic);
        }));
        // Set before, so that a failure half-way is undone.
        IS_OPEN.store(true, Ordering::SeqCst);
        match ratatui::try_init() {
            Ok(terminal) => Ok(Self { terminal, shared }),
            Err(error) => {
                close();
                Err(error)
            }
        }
    }

    /// Shows the view until `is_done`, or until the terminal is given back. Where it is closed, the
    /// end is requested.
    ///
    /// # Errors
    /// The terminal cannot be read or written any more.
    pub(super) fn run(
        mut self,
        interrupt: &Interrupt,
        is_done: impl Fn() -> bool,
    ) -> io::Result<()> {
        let mut look = Look::default();
        while is_open() && !is_done() {
            if !io::stdin().is_terminal() {
                interrupt.stop().finish();
                return Ok(());
            }
            self.shared.with(|accounts| {
                look.selected = look.selected.min(accounts.len().saturating_sub(1));
                self.terminal.draw(|frame| draw(frame, accounts, look, Instant::now())).map(drop)
            })?;
            if event::poll(INTERVAL)?
                && let Event::Key(key) = event::read()?
                && key.kind == KeyEventKind::Press
            {
                let count = self.shared.with(|accounts| accounts.len());
                if look.press(key, count) {
                    interrupt.press();
                }
            }
        }
        Ok(())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        close();
    }
}

// --- What the view shows ---

/// Messages that are kept of an account.
const MOST_NOTES: usize = 50;
/// Moves of the line that are kept.
const MOST_MOVES: usize = 24;

/// The accounts, shared between the clients and the view.
#[derive(Debug, Default)]
pub(super) struct Shared(Mutex<Vec<Account>>);

impl Shared {
    pub(super) fn new(accounts: Vec<Account>) -> Self {
        Self(Mutex::new(accounts))
    }

    fn with<R>(&self, use_: impl FnOnce(&mut Vec<Account>) -> R) -> R {
        // What a thread left that panicked is good enough for a picture.
        use_(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Notes an event of the account with this number, and prints it where there is no view.
    pub(super) fn show(&self, number: usize, event: &RunEvent<'_>) {
        let time = jiff::Zoned::now().strftime("%H:%M:%S").to_string();
        self.with(|accounts| {
            let Some(account) = accounts.get_mut(number) else {
                return;
            };
            if let Some(text) = account.take(event) {
                if !is_open() {
                    output::eprint_line(format_args!("{time}{} {text}", account.prefix));
                }
                account.note(&time, &text);
            }
        });
    }

    /// The last position of each account that played, for the terminal without the view.
    pub(super) fn last_positions(&self) -> Vec<String> {
        let text = |account: &Account| {
            let game = account.game.as_ref()?;
            let board = account.lang.board(&game.position);
            Some(format!("{}  {}\n{board}\n{}", account.title, game.title, account.state))
        };
        self.with(|accounts| accounts.iter().filter_map(text).collect())
    }

    /// A message to all accounts.
    pub(super) fn say(&self, text: &str) {
        let time = jiff::Zoned::now().strftime("%H:%M:%S").to_string();
        self.with(|accounts| {
            for account in accounts {
                account.note(&time, text);
            }
        });
    }
}

/// An account as the view shows it.
#[derive(Debug, Default)]
pub(super) struct Account {
    /// Its name and where it plays.
    title: String,
    /// Before each line that is printed, where several accounts play.
    prefix: String,
    lang: Lang,
    /// What it does when there is no game.
    state: String,
    /// The running game, or the last one.
    game: Option<View>,
    results: Tally,
    against: BTreeMap<String, Tally>,
    /// Messages, the latest last.
    notes: VecDeque<String>,
}

/// A game as it stands.
#[derive(Debug)]
struct View {
    players: [String; Color::NUM],
    /// The side that we play.
    side: Color,
    position: Position,
    /// Whether the game is over.
    is_over: bool,
    last: Option<Move>,
    /// The number of moves and the last one in words.
    title: String,
    remaining: [Duration; Color::NUM],
    /// The side whose clock runs, and since when.
    running: Option<(Color, Instant)>,
    /// Byoyomi and increment of the side, as a text.
    rules: [String; Color::NUM],
    /// What the engine thinks: the score from black's point of view, and its line.
    score: Option<i32>,
    depth: Option<u32>,
    line: String,
}

impl Account {
    /// An account with the games of its journal so far.
    pub(super) fn new(lang: Lang, title: String, prefix: String, entries: &[Entry]) -> Self {
        Self {
            lang,
            title,
            prefix,
            state: lang.csa_starting(),
            results: Tally::of(entries),
            against: by_opponent(entries),
            ..Self::default()
        }
    }

    /// Takes an event, and returns its line if it has one.
    fn take(&mut self, event: &RunEvent<'_>) -> Option<String> {
        let lang = self.lang;
        Some(match event {
            RunEvent::Note(text) => (*text).to_owned(),
            RunEvent::LoggedIn => {
                self.state = lang.csa_logged_in();
                self.state.clone()
            }
            RunEvent::Offered(summary) => {
                let [black, white] = &summary.players;
                lang.csa_game(&summary.id, black, white)
            }
            RunEvent::Finished(entry) => {
                self.results.add(entry);
                let opponent = self.against.entry(entry.opponent.clone());
                opponent.or_default().add(entry);
                if let Some(game) = &mut self.game {
                    (game.is_over, game.running) = (true, None);
                }
                let ending = lang.ending(&entry.ending);
                let result = result_text(lang, entry.result);
                self.state = lang.csa_between_games(&result, ending);
                let tally = tally_text(lang, &self.results);
                lang.csa_finished(result, &entry.opponent, ending, &entry.notices, tally)
            }
            RunEvent::Moment(session) => {
                if let Some(view) = View::of(session, lang) {
                    self.game = Some(view);
                }
                return None;
            }
            RunEvent::Unwritten(_) => return None,
        })
    }

    fn note(&mut self, time: &str, text: &str) {
        if self.notes.len() == MOST_NOTES {
            self.notes.pop_front();
        }
        self.notes.push_back(format!("{time} {text}"));
    }
}

impl View {
    fn of(session: &Session, lang: Lang) -> Option<Self> {
        let game = session.game()?;
        let position = game.position();
        let thought = session.thought();
        let (score, line) = thought.map_or((None, String::new()), |thought| {
            let side = thought.pv.first().map(|mv| mv.piece().color());
            let score = thought.score.zip(side);
            let moves = &thought.pv[..thought.pv.len().min(MOST_MOVES)];
            let score = score.map(|(score, side)| black_score(score, side));
            (score, line_text(lang, position, moves))
        });
        let rules = |color| {
            let rule = game.clock().rule(color);
            let seconds = |time: Duration| time.as_secs_f64().to_string();
            match (rule.byoyomi.is_zero(), rule.increment.is_zero()) {
                (false, _) => lang.csa_byoyomi(seconds(rule.byoyomi)),
                (true, false) => lang.csa_increment(seconds(rule.increment)),
                (true, true) => String::new(),
            }
        };
        let (moves, last) = (game.moves().len(), position.last_move());
        let mut title = lang.csa_moves(moves);
        if let Some(mv) = last.filter(|_| moves > 0) {
            let mut before = position.clone();
            before.undo_move();
            title = format!("{title} {}", line_text(lang, &before, &[mv]));
        }
        Some(Self {
            players: game.summary().players.clone(),
            side: game.side(),
            position: position.clone(),
            is_over: false,
            last,
            title,
            remaining: Color::ALL.map(|color| game.clock().remaining(color)),
            running: session.turn_since().map(|since| (position.side_to_move(), since)),
            rules: Color::ALL.map(rules),
            score,
            depth: thought.and_then(|thought| thought.depth),
            line,
        })
    }

    /// What is left on the clock of a side; zero in byoyomi.
    fn left(&self, color: Color, now: Instant) -> Duration {
        let used = self
            .running
            .filter(|(runs, _)| *runs == color)
            .map_or(Duration::ZERO, |(_, since)| now.saturating_duration_since(since));
        self.remaining[color.index()].saturating_sub(used)
    }
}

/// Moves as CSA writes them, or in Japanese notation. Those of a search while the opponent thinks
/// begin in another position; they name the squares that they come from.
fn line_text(lang: Lang, position: &Position, moves: &[Move]) -> String {
    let is_legal = |mv: &Move| position.legal_move(mv.to_move16()) == Some(*mv);
    let moves: Vec<String> = match lang {
        Lang::En => moves.iter().map(|&mv| move_text(mv)).collect(),
        Lang::Ja if moves.first().is_some_and(is_legal) => japanese::line(position, moves),
        Lang::Ja => {
            let signed = |mv: &Move| {
                let mark = japanese::mark(mv.piece().color());
                format!("{mark}{}", japanese::with_origin(*mv, None))
            };
            moves.iter().map(signed).collect()
        }
    };
    moves.join(" ")
}

fn result_text(lang: Lang, result: GameResult) -> String {
    match (lang, result) {
        (Lang::En, _) => result.name(),
        (Lang::Ja, GameResult::Win) => "勝ち",
        (Lang::Ja, GameResult::Loss) => "負け",
        (Lang::Ja, GameResult::Draw) => "引き分け",
        (Lang::Ja, GameResult::None) => "勝敗なし",
    }
    .to_owned()
}

// --- Drawing ---

/// Width of the board with its border: nine squares of three columns, and the ranks.
const BOARD_WIDTH: u16 = 32;
/// Height of the board with its border: the files and nine ranks.
const BOARD_HEIGHT: u16 = 12;
/// Height of the results.
const RESULTS_HEIGHT: u16 = 2;

const DIM: Style = Style::new().add_modifier(Modifier::DIM);
const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);
const LAST_MOVE: Style = Style::new().add_modifier(Modifier::REVERSED);

/// How the user wants it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Look {
    /// The account that is shown.
    selected: usize,
    /// Letters in place of kanji.
    has_letters: bool,
    /// The opponent at the bottom.
    is_turned: bool,
}

impl Look {
    /// Changes what a key asks for. Returns whether it was Ctrl-C, which the terminal does not turn
    /// into a signal here.
    fn press(&mut self, key: KeyEvent, accounts: usize) -> bool {
        match key.code {
            KeyCode::Char('c') => return key.modifiers.contains(KeyModifiers::CONTROL),
            KeyCode::Tab => self.selected = (self.selected + 1) % accounts.max(1),
            KeyCode::Char('k') => self.has_letters = !self.has_letters,
            KeyCode::Char('t') => self.is_turned = !self.is_turned,
            KeyCode::Char(digit @ '1'..='9') => {
                let index = digit as usize - '1' as usize;
                if index < accounts {
                    self.selected = index;
                }
            }
            _ => {}
        }
        false
    }
}

/// Draws everything. The clocks are those of `now`.
fn draw(frame: &mut Frame<'_>, accounts: &[Account], look: Look, now: Instant) {
    let Some(account) = accounts.get(look.selected) else {
        return;
    };
    let tabs = u16::from(accounts.len() > 1);
    let [top, middle, results, notes, keys] = Layout::vertical([
        Constraint::Length(tabs),
        Constraint::Length(BOARD_HEIGHT),
        Constraint::Length(RESULTS_HEIGHT),
        Constraint::Min(0),
        Constraint::Length(1),
    ])
    .areas(frame.area());
    if tabs > 0 {
        frame.render_widget(Paragraph::new(titles(accounts, look.selected)), top);
    }
    if let Some(game) = &account.game {
        draw_game(frame, middle, account, game, look, now);
    } else {
        let block = Block::bordered().title(account.title.as_str());
        frame.render_widget(Paragraph::new(account.state.as_str()).block(block), middle);
    }
    frame.render_widget(Paragraph::new(result_lines(account)), results);
    draw_notes(frame, notes, account);
    let mut help = account.lang.csa_keys();
    if tabs > 0 {
        help += &account.lang.csa_tab_key();
    }
    frame.render_widget(Paragraph::new(help).style(DIM), keys);
}

/// The accounts in one line, the shown one marked.
fn titles(accounts: &[Account], selected: usize) -> Line<'_> {
    let title = |(index, account): (usize, &Account)| {
        let style = if index == selected { LAST_MOVE } else { DIM };
        let turn = match &account.game {
            Some(game) if game.running.is_some_and(|(color, _)| color == game.side) => "*",
            Some(_) => "+",
            None => "",
        };
        [Span::styled(format!(" {}{turn} {} ", index + 1, account.title), style), Span::raw(" ")]
    };
    accounts.iter().enumerate().flat_map(title).collect()
}

fn draw_game(
    frame: &mut Frame<'_>,
    area: Rect,
    account: &Account,
    game: &View,
    look: Look,
    now: Instant,
) {
    let [left, right] =
        Layout::horizontal([Constraint::Length(BOARD_WIDTH), Constraint::Min(0)]).areas(area);
    // Our side is below, unless the board is turned.
    let own = game.side;
    let below = if look.is_turned { !own } else { own };
    let lang = account.lang;
    let board = Paragraph::new(board_lines(game, below, look))
        .block(Block::bordered().title(game.title.as_str()));
    frame.render_widget(board, left);
    let mut lines = player_lines(lang, game, !below, look, now);
    lines.push(if game.is_over {
        Line::styled(account.state.as_str(), BOLD)
    } else {
        Line::default()
    });
    let depth = game.depth.map(|depth| format!("  {}", lang.for_depth(depth)));
    lines.push(match game.score {
        Some(score) => Line::from(vec![
            Span::raw(lang.csa_score()),
            Span::styled(format!("{score:+}"), BOLD),
            Span::raw(depth.unwrap_or_default()),
        ]),
        None => Line::default(),
    });
    lines.push(Line::from(game.line.as_str()));
    let block = Block::bordered().title(account.title.as_str());
    let [above, bottom] =
        Layout::vertical([Constraint::Min(0), Constraint::Length(2)]).areas(block.inner(right));
    frame.render_widget(block, right);
    frame.render_widget(Paragraph::new(lines).wrap(Wrap { trim: false }), above);
    frame.render_widget(Paragraph::new(player_lines(lang, game, below, look, now)), bottom);
}

/// Name, clock and hand of a player.
fn player_lines(
    lang: Lang,
    game: &View,
    color: Color,
    look: Look,
    now: Instant,
) -> Vec<Line<'static>> {
    let seconds = game.left(color, now).as_secs();
    let runs = game.running.is_some_and(|(running, _)| running == color);
    let (mark, style) = if runs { ("> ", BOLD) } else { ("  ", Style::new()) };
    let side = match (color, look.has_letters) {
        (color, false) => japanese::mark(color).to_string(),
        (Color::Black, true) => "black".to_owned(),
        (Color::White, true) => "white".to_owned(),
    };
    let clock = format!("{}:{:02}", seconds / 60, seconds % 60);
    let name = &game.players[color.index()];
    let hand = hand_text(lang, game.position.hand(color), look.has_letters);
    vec![
        Line::from(vec![
            Span::styled(format!("{mark}{clock}"), style),
            Span::raw(format!("  {side} {name}  ")),
            Span::styled(game.rules[color.index()].clone(), DIM),
        ]),
        Line::from(format!("  {}", lang.csa_hand(hand))),
    ]
}

/// `歩3 角` or `3P B`; `-` or なし for none.
fn hand_text(lang: Lang, hand: Hand, has_letters: bool) -> String {
    let held = PieceType::HAND.into_iter().filter(|&kind| hand.count(kind) > 0);
    let text: String = held
        .map(|kind| match (has_letters, hand.count(kind)) {
            (true, 1) => kind.letter().to_string(),
            (true, count) => format!("{count}{}", kind.letter()),
            (false, 1) => piece_letter(kind).to_string(),
            (false, count) => format!("{}{count}", piece_letter(kind)),
        })
        .collect::<Vec<_>>()
        .join(" ");
    match lang {
        _ if !text.is_empty() => text,
        Lang::En => "-".to_owned(),
        Lang::Ja => lang.none(),
    }
}

/// The files, then the ranks. White's pieces have a `v` before them, or are in lower case.
fn board_lines(game: &View, below: Color, look: Look) -> Vec<Line<'static>> {
    let is_turned = below == Color::White;
    let mut files: Vec<File> = File::ALL.into_iter().rev().collect();
    let mut ranks: Vec<Rank> = Rank::ALL.into_iter().collect();
    if is_turned {
        files.reverse();
        ranks.reverse();
    }
    let numbers = files.iter().map(|file| format!(" {} ", file.index() + 1));
    let mut lines = vec![Line::styled(numbers.collect::<String>(), DIM)];
    let changed = game.last.map(|last| (last.to(), last.from()));
    for rank in ranks {
        let square = |file: &File| {
            let square = Square::new(*file, rank);
            let is_changed = changed.is_some_and(|(to, from)| to == square || from == Some(square));
            let style = if is_changed { LAST_MOVE } else { Style::new() };
            Span::styled(square_text(game.position.piece_on(square), look), style)
        };
        let mut spans: Vec<Span<'static>> = files.iter().map(square).collect();
        let name = if look.has_letters {
            rank.to_char().to_string()
        } else {
            RANKS[rank.index()].to_string()
        };
        spans.push(Span::styled(format!(" {name}"), DIM));
        lines.push(Line::from(spans));
    }
    lines
}

/// The text of a square, three columns wide.
fn square_text(piece: Option<Piece>, look: Look) -> String {
    match (piece, look.has_letters) {
        (None, _) => " . ".to_owned(),
        (Some(piece), true) => format!("{:>2} ", piece.to_string()),
        // A kanji is two columns wide.
        (Some(piece), false) => on_board(piece),
    }
}

fn result_lines(account: &Account) -> Vec<Line<'static>> {
    let lang = account.lang;
    let mut lines = vec![Line::from(vec![
        Span::styled(lang.csa_results(), DIM),
        Span::raw(tally_text(lang, &account.results)),
    ])];
    if let Some(game) = &account.game {
        let opponent = &game.players[(!game.side).index()];
        let tally = account.against.get(opponent).copied().unwrap_or_default();
        lines.push(Line::from(vec![
            Span::styled(lang.csa_against(opponent), DIM),
            Span::raw(tally_text(lang, &tally)),
        ]));
    }
    lines
}

fn draw_notes(frame: &mut Frame<'_>, area: Rect, account: &Account) {
    let first = account.notes.len().saturating_sub(usize::from(area.height));
    let notes = account.notes.iter().skip(first);
    let lines: Vec<Line<'_>> = notes.map(|note| Line::from(note.as_str())).collect();
    frame.render_widget(Paragraph::new(lines).style(DIM), area);
}
