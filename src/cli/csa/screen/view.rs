//! Draws the view.

use std::time::Instant;

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Paragraph, Wrap};

use super::{Account, View};
use crate::cli::csa::tally_text;
use crate::records::csa::move_text;
use crate::records::notation::japanese::{RANKS, piece_letter};
use crate::types::{Color, File, Hand, Piece, PieceType, Rank, Square};

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
pub(super) struct Look {
    /// The account that is shown.
    pub(super) selected: usize,
    /// Letters in place of kanji.
    pub(super) has_letters: bool,
    /// The opponent at the bottom.
    pub(super) is_turned: bool,
}

/// Draws everything. The clocks are those of `now`.
pub(super) fn draw(frame: &mut Frame<'_>, accounts: &[Account], look: Look, now: Instant) {
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
        frame.render_widget(Paragraph::new(account.state).block(block), middle);
    }
    frame.render_widget(Paragraph::new(result_lines(account)), results);
    draw_notes(frame, notes, account);
    let mut help = String::from("k kanji or letters, t turn, Ctrl-C end after the game");
    if tabs > 0 {
        help.push_str(", Tab next account");
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
        [
            Span::styled(format!(" {}{turn} {} ", index + 1, account.title), style),
            Span::raw(" "),
        ]
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
    let below = if look.is_turned {
        !game.side
    } else {
        game.side
    };
    let mut title = format!("move {}", game.moves);
    if let Some(last) = game.last {
        title = format!("{title} {}", move_text(last));
    }
    let board =
        Paragraph::new(board_lines(game, below, look)).block(Block::bordered().title(title));
    frame.render_widget(board, left);
    let mut lines = player_lines(game, !below, look, now);
    lines.push(Line::default());
    let depth = game.depth.map(|depth| format!("  depth {depth}"));
    lines.push(match game.score {
        Some(score) => Line::from(vec![
            Span::raw("score of black "),
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
    frame.render_widget(Paragraph::new(player_lines(game, below, look, now)), bottom);
}

/// Name, clock and hand of a player.
fn player_lines(game: &View, color: Color, look: Look, now: Instant) -> Vec<Line<'static>> {
    let seconds = game.left(color, now).as_secs();
    let runs = game.running.is_some_and(|(running, _)| running == color);
    let (mark, style) = if runs {
        ("> ", BOLD)
    } else {
        ("  ", Style::new())
    };
    let side = match (color, look.has_letters) {
        (Color::Black, false) => "☗",
        (Color::White, false) => "☖",
        (Color::Black, true) => "black",
        (Color::White, true) => "white",
    };
    let clock = format!("{}:{:02}", seconds / 60, seconds % 60);
    let name = &game.players[color.index()];
    let hand = hand_text(game.board.hand(color), look.has_letters);
    vec![
        Line::from(vec![
            Span::styled(format!("{mark}{clock}"), style),
            Span::raw(format!("  {side} {name}  ")),
            Span::styled(game.rules[color.index()].clone(), DIM),
        ]),
        Line::from(format!("  in hand: {hand}")),
    ]
}

/// `歩3 角` or `3P B`; `-` for none.
fn hand_text(hand: Hand, has_letters: bool) -> String {
    let held = PieceType::HAND
        .into_iter()
        .filter(|&kind| hand.count(kind) > 0);
    let text: String = held
        .map(|kind| match (has_letters, hand.count(kind)) {
            (true, 1) => kind.letter().to_string(),
            (true, count) => format!("{count}{}", kind.letter()),
            (false, 1) => piece_letter(kind).to_string(),
            (false, count) => format!("{}{count}", piece_letter(kind)),
        })
        .collect::<Vec<_>>()
        .join(" ");
    if text.is_empty() {
        "-".to_owned()
    } else {
        text
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
            Span::styled(square_text(game.board.piece_on(square), look), style)
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
        (Some(piece), false) => {
            let mark = match piece.color() {
                Color::Black => ' ',
                Color::White => 'v',
            };
            format!("{mark}{}", piece_letter(piece.kind()))
        }
    }
}

fn result_lines(account: &Account) -> Vec<Line<'static>> {
    let mut lines = vec![Line::from(vec![
        Span::styled("results  ", DIM),
        Span::raw(tally_text(&account.results)),
    ])];
    if let Some(game) = &account.game {
        let opponent = &game.players[(!game.side).index()];
        let tally = account.against.get(opponent).copied().unwrap_or_default();
        lines.push(Line::from(vec![
            Span::styled(format!("against {opponent}  "), DIM),
            Span::raw(tally_text(&tally)),
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
