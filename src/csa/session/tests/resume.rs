//! Resuming a game on a server with reconnect tokens.

use super::*;

const STATE: &str = "BEGIN Reconnect_State\nCurrent_Turn:TURN\nBlack_Time_Remaining_Ms:50000\n\
    White_Time_Remaining_Ms:40000\nLast_Move:LAST\nEND Reconnect_State";

/// The connection is lost after our first move was sent, perhaps after its echo.
fn interrupted(has_echo: bool) -> Box<InterruptedGame> {
    let mut table = Table::new(settings());
    table.say("LOGIN:tester OK");
    table.offer('+', HIRATE, "Reconnect_Token:token\n");
    table.start();
    table.think("7g7f");
    if has_echo {
        table.say("+7776FU,T0");
    }
    table.give(Input::Closed);
    match table.events.pop() {
        Some(Event::Interrupted(interrupted)) => interrupted,
        other => panic!("{other:?}"),
    }
}

fn resume(has_echo: bool, turn: &str, last: &str) -> Table {
    let mut table = Table::begin(settings(), Some(interrupted(has_echo)));
    let expected = ["LOGIN tester fake-60-1,trip reconnect:id+token"];
    assert_eq!(table.taken(), expected);
    table.say("LOGIN:tester OK\nBEGIN Game_Summary\nGame_ID:id\nEND Game_Summary");
    table.say(&STATE.replace("TURN", turn).replace("LAST", last));
    table
}

#[test]
fn the_game_goes_on_where_the_server_has_it() {
    for (has_echo, turn, last, line) in [
        (true, "-", "+7776FU", "startpos moves 7g7f"),
        (false, "-", "+7776FU", "startpos moves 7g7f"),
        (true, "+", "-3334FU", "startpos moves 7g7f 3c3d"),
        (false, "+", "-3334FU,T2", "startpos moves 7g7f 3c3d"),
        (false, "+", "", "startpos"),
    ] {
        let table = resume(has_echo, turn, last);
        let game = table.session.game().expect("the game");
        assert_eq!(game.line().to_string(), line);
        let remaining = [0, 1].map(|side| game.clock().for_search().time[side].as_secs());
        assert_eq!(remaining, [50, 40]);
    }
}

#[test]
fn the_time_to_resume_is_that_of_the_first_loss() {
    let game = interrupted(true);
    let lost = game.lost;
    let mut table = Table::begin(settings(), Some(game));
    assert!(table.session.is_resuming());
    table.wait(5000);
    table.give(Input::Closed);
    assert!(table.is_closed && !table.session.is_resuming());
    let Some(Event::Interrupted(again)) = table.events.pop() else {
        panic!("it can still be resumed");
    };
    assert_eq!(again.lost, lost);
}

#[test]
fn a_game_that_differs_is_given_up() {
    let table = resume(true, "+", "-8384KI");
    assert!(table.is_closed && !table.finished().is_complete);
}

#[test]
fn another_game_is_played_instead() {
    let mut table = Table::begin(settings(), Some(interrupted(true)));
    table.say("LOGIN:tester OK");
    table.sent.clear();
    table.offer('+', HIRATE, "Game_ID:new\n");
    assert!(!table.finished().is_complete);
    table.prepared("new", Ok(()));
    assert_eq!(table.taken(), ["AGREE new"]);
}

#[test]
fn a_refused_resumption_ends_the_game() {
    let mut table = Table::begin(settings(), Some(interrupted(true)));
    table.say("LOGIN:incorrect");
    assert!(table.is_closed && !table.finished().is_complete);
}

#[test]
fn another_lost_connection_tries_again() {
    let mut table = Table::begin(settings(), Some(interrupted(true)));
    table.give(Input::Closed);
    let [Event::Note(note), Event::Interrupted(_)] = &table.events[..] else {
        panic!("{:?}", table.events);
    };
    let expected = "the connection was closed before the login was answered";
    assert_eq!(note, expected);
}
