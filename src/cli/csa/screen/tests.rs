//! The view on a terminal in memory.

use std::time::Duration;

use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::*;
use crate::csa::player::{Content, EngineCommand, Prepared, Report};
use crate::csa::session::{Action, Input, Pondering, Session, SessionSettings};
use crate::{csa::clock::Delays, csa::lines::Password, csa::run::RunEvent};
use crate::{records::game::Thought, types::Score};

const GAME: &str = "LOGIN:tester OK\nBEGIN Game_Summary\nGame_ID:id\nName+:tester\nName-:rival\n\
    Your_Turn:+\nBEGIN Time\nTotal_Time:300\nIncrement:10\nEND Time\nBEGIN Position\nPI\n+\n\
    END Position\nEND Game_Summary";

/// A session, its clock, and the last command to its engine.
struct Play {
    session: Session,
    now: Instant,
    search: Option<EngineCommand>,
}

impl Play {
    /// A game as black, 300 s and 10 s a move.
    fn begin() -> Self {
        let settings = SessionSettings {
            name: "tester".to_owned(),
            game: "fake-300-10F".to_owned(),
            password: Password::new("trip"),
            pondering: Pondering::Off,
            sends_comments: true,
            entering_king_rule: None,
            resign: None,
            delays: Delays {
                usual: Duration::from_millis(120),
                worst: Duration::from_millis(1120),
            },
        };
        let now = Instant::now();
        let (session, _) = Session::begin(settings, None, now);
        let mut play = Self { session, now, search: None };
        play.say(GAME);
        play.give(Input::Prepared(Prepared { game: "id".to_owned(), result: Ok(()) }));
        play.say("START:id");
        play
    }

    fn give(&mut self, input: Input) {
        for action in self.session.handle(input, self.now) {
            if let Action::Engine(command @ EngineCommand::Search(_)) = action {
                self.search = Some(command);
            }
        }
    }

    fn say(&mut self, lines: &str) {
        for line in lines.split('\n') {
            self.give(Input::Line(line.to_owned()));
        }
    }

    /// The engine thinks that the move is worth so much.
    fn think(&mut self, text: &str, score: i32) {
        let Some(EngineCommand::Search(task)) = &self.search else {
            panic!("no search");
        };
        let mv = text.parse().ok();
        let mv = mv.and_then(|mv| task.line.position().to_move(mv));
        let thought = Thought {
            score: Some(Score::Cp(score)),
            depth: Some(17),
            nodes: Some(1000),
            pv: vec![mv.expect("a move")],
        };
        let report = Report { search: task.search, content: Content::Thought(thought) };
        self.give(Input::Report(report));
    }

    fn shown(&self) -> Shared {
        self.shown_in(Lang::En)
    }

    fn shown_in(&self, lang: Lang) -> Shared {
        let account = Account::new(lang, "tester at host".to_owned(), String::new(), &[]);
        let shared = Shared::new(vec![account]);
        shared.show(0, &RunEvent::LoggedIn);
        shared.show(0, &RunEvent::Moment(&self.session));
        shared
    }
}

/// The rows of a picture. A kanji is followed by a blank for its second column.
fn picture(shared: &Shared, look: Look, now: Instant) -> Vec<String> {
    sized(shared, look, now, (110, 30))
}

fn sized(shared: &Shared, look: Look, now: Instant, size: (u16, u16)) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(size.0, size.1)).expect("a terminal");
    shared.with(|accounts| {
        let drawn = terminal.draw(|frame| draw(frame, accounts, look, now));
        drawn.expect("a picture");
    });
    let buffer = terminal.backend().buffer();
    let cells = buffer.content().iter();
    let symbols: Vec<&str> = cells.map(ratatui::buffer::Cell::symbol).collect();
    let rows = symbols.chunks(usize::from(size.0));
    rows.map(<[&str]>::concat).collect()
}

fn has(rows: &[String], text: &str) -> bool {
    rows.iter().any(|row| row.contains(text))
}

fn assert_has(rows: &[String], texts: &[&str]) {
    for text in texts {
        assert!(has(rows, text), "no \"{text}\" in\n{}", rows.join("\n"));
    }
}

#[test]
fn board_clocks_score_and_opponent_are_shown() {
    let mut play = Play::begin();
    play.think("7g7f", 42);
    let rows = picture(&play.shown(), Look::default(), play.now);
    let texts = [
        "v香 v桂 v銀 v金 v玉 v金 v銀 v桂 v香  一",
        " 香  桂  銀  金  玉  金  銀  桂  香  九",
        "> 5:00  ▲ tester",
        "  5:00  △ rival",
        "+10 s a move",
        "score of black +42  depth 17",
        "+7776FU",
        "against rival  0 won",
        "logged in",
        "in hand: -",
    ];
    assert_has(&rows, &texts);
    let above = rows.iter().position(|row| row.contains("△"));
    assert!(above < rows.iter().position(|row| row.contains("▲")));
}

#[test]
fn the_clock_of_the_side_to_move_runs() {
    let mut play = Play::begin();
    let shared = play.shown();
    let later = play.now + Duration::from_secs(75);
    let rows = picture(&shared, Look::default(), later);
    assert_has(&rows, &["> 3:45  ▲", "  5:00  △"]);
    play.say("+7776FU,T9\n-3334FU,T1\n+8822UM,T0");
    let rows = picture(&play.shown(), Look::default(), later);
    let texts = ["> 3:54  △", "  5:11  ▲", "move 3 +8822UM", "in hand: 角"];
    assert_has(&rows, &texts);
    let never = play.now + Duration::from_secs(10_000);
    assert_has(&picture(&play.shown(), Look::default(), never), &["> 0:00"]);
}

/// The line of the journal of a game that was won.
fn won() -> Entry {
    let text = r##"{"game": "id", "started": "2026-11-25T07:30:00",
        "opponent": "rival", "side": "black", "result": "win", "ending": "resignation",
        "notices": "#RESIGN #WIN", "is_complete": true, "line": "startpos", "seconds": [0, 0],
        "scores": [], "record": "a.csa"}"##;
    serde_json::from_str(text).expect("a line of a journal")
}

#[test]
fn the_view_may_be_japanese() {
    let mut play = Play::begin();
    play.think("7g7f", 42);
    // A blank follows each kanji.
    let rows = |play: &Play| {
        let rows = picture(&play.shown_in(Lang::Ja), Look::default(), play.now);
        rows.iter().map(|row| row.replace(' ', "")).collect::<Vec<String>>()
    };
    let texts = [
        "評価値（先手）+42深さ17",
        "▲７六歩",
        "持駒：なし",
        "1手10秒加算",
        "成績0勝0敗0分",
        "rival戦0勝0敗0分",
        "k：漢字／英字、t：盤面反転",
        "ログインしました",
    ];
    assert_has(&rows(&play), &texts);
    play.say("+7776FU,T9\n-3334FU,T1\n+8822UM,T0\n-3122GI,T0");
    assert_has(&rows(&play), &["4手目△同　銀", "持駒：角"]);
    // While the opponent thinks, a line that begins later names where its moves come from.
    let position = Position::startpos();
    let mut later = position.clone();
    let answer = later.to_move("7g7f".parse().expect("a move")).expect("it is legal");
    later.do_move(answer);
    let reply = later.to_move("3c3d".parse().expect("a move")).expect("it is legal");
    assert_eq!(line_text(Lang::Ja, &position, &[reply]), "△３四歩(33)");
    assert_eq!(line_text(Lang::Ja, &later, &[reply]), "△３四歩");
}

#[test]
fn the_last_position_stays() {
    let mut play = Play::begin();
    play.say("+7776FU,T9");
    for (lang, state, title, other) in [
        (Lang::En, "won by resignation, between games", "move 1 +7776FU", "tester at host"),
        (Lang::Ja, "勝ち（投了）。次の対局を待っています", "1手目 ▲７六歩", "後手番"),
    ] {
        let shared = play.shown_in(lang);
        shared.show(0, &RunEvent::Finished(&won()));
        let later = play.now + Duration::from_secs(75);
        let rows = picture(&shared, Look::default(), later);
        assert_has(&rows, &["v香 v桂", "  5:00  △"]);
        let rows: Vec<String> = rows.iter().map(|row| row.replace(' ', "")).collect();
        assert_has(&rows, &[&state.replace(' ', ""), &title.replace(' ', "")]);
        let [last] = &shared.last_positions()[..] else {
            panic!("one account played");
        };
        for text in [state, title, other] {
            assert!(last.contains(text), "{last}");
        }
    }
}

#[test]
fn letters_and_the_other_side_can_be_asked_for() {
    let play = Play::begin();
    let look = Look { has_letters: true, is_turned: true, selected: 0 };
    let rows = picture(&play.shown(), look, play.now);
    let letters = " l  n  s  g  k  g  s  n  l  a";
    assert_has(&rows, &[" 1  2  3 ", letters, "black tester"]);
    let ours = rows.iter().position(|row| row.contains("black tester"));
    assert!(ours < rows.iter().position(|row| row.contains("white rival")));
}

#[test]
fn several_accounts_have_a_line_of_titles() {
    let accounts =
        ["first", "second"].map(|name| Account::new(Lang::En, name.to_owned(), String::new(), &[]));
    let shared = Shared::new(accounts.into());
    shared.show(1, &RunEvent::Note("a message"));
    let look = Look { selected: 1, ..Look::default() };
    let rows = picture(&shared, look, Instant::now());
    let texts = ["1 first", "2 second", "a message", "starting", "Tab"];
    assert_has(&rows, &texts);
    let rows = picture(&shared, Look::default(), Instant::now());
    assert!(!has(&rows, "a message"));
    shared.show(2, &RunEvent::Note("nobody"));
    shared.say("to all");
    let rows = picture(&shared, Look::default(), Instant::now());
    assert_has(&rows, &["to all"]);
}

#[test]
fn small_terminals_and_many_messages_are_survived() {
    let play = Play::begin();
    let shared = play.shown();
    for number in 0..1000 {
        shared.show(0, &RunEvent::Note(&format!("message {number}")));
    }
    for size in [(1, 1), (10, 3), (31, 12), (80, 24), (300, 100)] {
        sized(&shared, Look::default(), play.now, size);
    }
    let rows = picture(&shared, Look::default(), play.now);
    assert_has(&rows, &["message 999"]);
    shared.with(|accounts| assert_eq!(accounts[0].notes.len(), 50));
}

#[test]
fn keys_change_the_look() {
    let mut look = Look::default();
    let mut press = |code, modifiers| {
        let is_interrupt = look.press(KeyEvent::new(code, modifiers), 2);
        (is_interrupt, look.selected, look.has_letters, look.is_turned)
    };
    let none = KeyModifiers::NONE;
    let control = press(KeyCode::Char('c'), KeyModifiers::CONTROL);
    assert_eq!(control, (true, 0, false, false));
    for (code, expected) in [
        (KeyCode::Char('c'), (false, 0, false, false)),
        (KeyCode::Char('2'), (false, 1, false, false)),
        (KeyCode::Char('0'), (false, 1, false, false)),
        (KeyCode::Char('3'), (false, 1, false, false)),
        (KeyCode::Tab, (false, 0, false, false)),
        (KeyCode::Char('k'), (false, 0, true, false)),
        (KeyCode::Char('t'), (false, 0, true, true)),
    ] {
        assert_eq!(press(code, none), expected, "{code:?}");
    }
}
