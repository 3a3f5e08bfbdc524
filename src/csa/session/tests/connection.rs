//! Logging in, keeping the connection, losing it, leaving.

use super::*;

#[test]
fn a_server_cannot_fill_the_screen() {
    let mut table = Table::playing(settings(), '+', HIRATE);
    for _ in 0..100_000 {
        table.give(Input::Line("+7775FU,T1".to_owned()));
    }
    assert_eq!(table.notes().len(), 1);

    // Bad offers, each of which is refused with the reason.
    let mut table = Table::new(settings());
    table.say("LOGIN:tester OK");
    for _ in 0..10 * MOST_NOTES {
        table.say("BEGIN Game_Summary\nGame_ID:id\nEND Game_Summary");
    }
    let notes = table.notes();
    assert_eq!(notes.len(), MOST_NOTES as usize);
    let last = notes.last().expect("many");
    assert!(last.ends_with("; no more is told of this connection"));

    // Good ones that the opponent never takes.
    let mut table = Table::new(settings());
    table.say("LOGIN:tester OK");
    while !table.is_closed {
        table.offer('+', HIRATE, "");
        if !table.is_closed {
            table.say("REJECT:id by white");
        }
    }
    let is_offer = |event: &&Event| matches!(event, Event::Offered(_));
    let offers = table.events.iter().filter(is_offer).count();
    assert_eq!(offers, MOST_OFFERS as usize);
}

#[test]
fn a_password_that_the_server_repeats_is_not_shown() {
    let secret = "sesame5678";
    let settings =
        || SessionSettings { password: Password::new(format!("x,{secret}")), ..settings() };
    let mut table = Table::new(settings());
    table.say(&format!("LOGIN:incorrect {}{secret}", "-".repeat(20)));
    let mut other = Table::new(settings());
    other.say("LOGIN:tester OK");
    other.offer('+', HIRATE, &format!("Name-:{secret}\nName+:{secret}\n"));
    other.say(&format!("REJECT:id by {secret}"));
    other.offer('+', &format!("PI\n+\n+{secret}"), "");
    for table in [table, other] {
        let told = format!("{:?}", table.events);
        assert!(told.contains("****") && !told.contains(secret), "{told}");
    }
}

#[test]
fn login_incorrect() {
    let mut table = Table::new(settings());
    assert_eq!(table.taken(), ["LOGIN tester fake-60-1,trip"]);
    table.say("LOGIN:incorrect");
    assert!(table.is_closed);
    assert!(matches!(table.events[..], [Event::LoginRefused { retry_after: None }]));
    let mut table = Table::new(settings());
    table.say("LOGIN:incorrect rate_limited retry_after=60");
    let Some(Event::LoginRefused { retry_after }) = table.events.last() else {
        panic!("{:?}", table.events);
    };
    assert_eq!(*retry_after, Some(Duration::from_mins(1)));
}

#[test]
fn login_silence() {
    let mut table = Table::new(settings());
    table.wait(29_000);
    assert!(!table.is_closed);
    table.wait(2000);
    assert!(table.is_closed);
    assert_eq!(table.taken().len(), 1, "only the login");
}

#[test]
fn keep_alive() {
    let mut table = Table::playing(settings(), '-', HIRATE);
    for _ in 0..5 {
        table.wait(30_000);
        assert!(table.taken().is_empty());
        table.wait(10_000);
        assert_eq!(table.taken(), [""]);
        table.say("");
    }
    assert!(!table.is_closed);
    table.wait(100_000);
    assert!(table.is_closed, "a server that answers nothing is gone");
    assert!(!table.finished().is_complete);
}

/// Of a server that answers no empty lines nothing is heard while a player thinks.
#[test]
fn a_player_who_thinks_long_is_no_dead_server() {
    for side in ['+', '-'] {
        let mut table = Table::playing(settings(), side, HIRATE);
        table.wait(150_000);
        assert!(!table.is_closed, "60 s and byoyomi are left to him");
        table.wait(12_000);
        assert!(table.is_closed);
    }
}

#[test]
fn disconnect_own_turn() {
    let mut table = Table::playing(settings(), '+', HIRATE);
    table.give(Input::Closed);
    assert!(table.is_closed && !table.finished().is_complete);
    assert_eq!(table.finished().notices, "broken off");
    assert_eq!(table.stops(), 1);
}

#[test]
fn disconnect_rival_turn() {
    let mut table = Table::playing(settings(), '-', HIRATE);
    table.give(Input::Closed);
    assert!(table.is_closed);
    // In a record a disconnection would be a loss of the side to move.
    assert_eq!(table.finished().ending, Ending::Interrupted);
}

#[test]
fn disconnect_while_waiting() {
    let mut table = Table::new(settings());
    table.say("LOGIN:tester OK");
    table.give(Input::Closed);
    table.give(Input::Closed);
    assert!(table.is_closed);
    let [Event::LoggedIn, Event::Note(note)] = &table.events[..] else {
        panic!("{:?}", table.events);
    };
    assert_eq!(note, "the connection was closed while waiting for a game");
}

#[test]
fn rejected() {
    let mut table = Table::new(settings());
    table.say("LOGIN:tester OK");
    table.offer('+', HIRATE, "");
    table.say("REJECT:id by rival");
    assert!(matches!(table.events.last(), Some(Event::Rejected(by)) if by == "rival"));
    table.sent.clear();
    table.offer('-', HIRATE, "");
    table.start();
    assert!(table.session.game().is_some());
}

#[test]
fn games_that_cannot_be_played_are_rejected() {
    let mut table = Table::new(settings());
    table.say("LOGIN:tester OK");
    table.sent.clear();
    table.offer('+', "PI\n+\n+7775FU", "");
    assert_eq!(table.taken(), ["REJECT id"]);
    table.offer('x', HIRATE, "");
    assert_eq!(table.taken(), ["REJECT id"]);
    assert!(!table.is_closed);
}

#[test]
fn an_engine_that_is_not_ready_rejects() {
    let mut table = Table::new(settings());
    table.say("LOGIN:tester OK\nBEGIN Game_Summary\nGame_ID:id\nYour_Turn:+");
    table.say("BEGIN Position\nPI\n+\nEND Position\nEND Game_Summary");
    table.sent.clear();
    table.prepared("id", Err("it died".to_owned()));
    assert_eq!(table.taken(), ["REJECT id"]);
}

#[test]
fn the_user_ends_after_the_game() {
    let mut table = Table::playing(settings(), '+', HIRATE);
    table.give(Input::Wish(Wish::Finish));
    table.think("7g7f");
    assert_eq!(table.taken(), ["+7776FU"], "the game goes on");
    let mut waiting = Table::new(settings());
    waiting.say("LOGIN:tester OK");
    waiting.sent.clear();
    waiting.give(Input::Wish(Wish::Finish));
    assert_eq!(waiting.taken(), ["LOGOUT"]);
}

#[test]
fn the_user_resigns() {
    let mut table = Table::playing(settings(), '+', HIRATE);
    table.give(Input::Wish(Wish::Resign));
    table.think("7g7f");
    assert_eq!(table.taken(), ["%TORYO"]);
    let mut other = Table::playing(settings(), '-', HIRATE);
    other.give(Input::Wish(Wish::Resign));
    assert!(other.taken().is_empty(), "never out of turn");
    other.say("+7776FU,T1");
    assert_eq!(other.taken(), ["%TORYO"]);
    let mut third = Table::playing(settings(), '-', HIRATE);
    third.give(Input::Wish(Wish::Resign));
    third.wait(31_000);
    assert!(third.is_closed, "it does not wait for ever");
}

#[test]
fn a_summary_that_does_not_end_is_not_waited_for() {
    let mut table = Table::new(settings());
    table.say("LOGIN:tester OK\nBEGIN Game_Summary");
    for _ in 0..2 {
        table.wait(14_000);
        table.say("");
    }
    assert!(!table.is_closed);
    table.wait(3000);
    assert!(table.is_closed, "though the server shows signs of life");
}

#[test]
fn a_start_that_does_not_come_is_not_waited_for() {
    let mut table = Table::new(settings());
    table.say("LOGIN:tester OK");
    table.offer('+', HIRATE, "");
    for _ in 0..4 {
        assert!(!table.is_closed);
        table.say("");
        table.wait(61_000);
    }
    assert!(table.is_closed);
}

#[test]
fn a_new_offer_replaces_the_game_that_has_not_started() {
    for is_agreed in [false, true] {
        let mut table = Table::new(settings());
        table.say("LOGIN:tester OK\nBEGIN Game_Summary\nGame_ID:first\nYour_Turn:+");
        table.say("BEGIN Position\nPI\n+\nEND Position\nEND Game_Summary");
        if is_agreed {
            table.prepared("first", Ok(()));
        }
        table.sent.clear();
        table.offer('-', HIRATE, "");
        table.start();
        assert!(table.session.game().is_some());
    }
}

#[test]
fn the_end_of_an_earlier_preparation_is_ignored() {
    let mut table = Table::new(settings());
    table.say("LOGIN:tester OK\nBEGIN Game_Summary\nGame_ID:id\nYour_Turn:+");
    table.say("BEGIN Position\nPI\n+\nEND Position\nEND Game_Summary");
    table.sent.clear();
    table.prepared("before", Ok(()));
    table.prepared("before", Err("it died".to_owned()));
    assert!(table.taken().is_empty());
    table.prepared("id", Ok(()));
    assert_eq!(table.taken(), ["AGREE id"]);
}

#[test]
fn the_user_ends_whatever_is_waited_for() {
    let offered = |state: &str| {
        let mut table = Table::new(settings());
        table.say("LOGIN:tester OK");
        if state != "waiting" {
            table.say("BEGIN Game_Summary\nGame_ID:id\nYour_Turn:+\nBEGIN Position\nPI\n+");
            if state != "reading" {
                table.say("END Position\nEND Game_Summary");
            }
            if state == "agreed" {
                table.prepared("id", Ok(()));
            }
        }
        table.sent.clear();
        table.give(Input::Wish(Wish::Finish));
        table
    };
    assert_eq!(offered("waiting").taken(), ["LOGOUT"]);
    let mut reading = offered("reading");
    reading.say("END Position\nEND Game_Summary");
    assert_eq!(reading.taken(), ["REJECT id", "LOGOUT"]);
    let mut preparing = offered("preparing");
    preparing.prepared("id", Ok(()));
    assert_eq!(preparing.taken(), ["REJECT id", "LOGOUT"]);
    let mut failing = offered("preparing");
    failing.prepared("id", Err("it died".to_owned()));
    assert_eq!(failing.taken(), ["REJECT id", "LOGOUT"]);
    let mut rejected = offered("agreed");
    rejected.say("REJECT:id by rival");
    assert_eq!(rejected.taken(), ["LOGOUT"]);
    let mut started = offered("agreed");
    started.say("START:id");
    started.think("7g7f");
    assert_eq!(started.taken(), ["+7776FU"], "a game that began is played");
    let mut logging_in = Table::new(settings());
    logging_in.give(Input::Wish(Wish::Finish));
    assert!(logging_in.is_closed);
}
