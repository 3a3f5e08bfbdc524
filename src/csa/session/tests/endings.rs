//! Ends of games.

use super::*;
use crate::csa::lines::ServerVerdict;
use crate::types::{Color, EnteringKingRule};

/// A position that black has won by declaration.
const DECLARABLE: &str = "P1+OU+KI+KI+GI * +RY * +RY * \nP2+KI+GI+KE * +UM * +FU+FU * \n\
    P3 *  *  *  *  *  *  *  *  * \nP4 *  *  *  *  *  *  *  *  * \nP5 *  *  *  *  *  *  *  *  * \n\
    P6 *  *  *  *  *  *  *  *  * \nP7 *  *  *  *  *  *  * -FU-FU\nP8-FU-FU-FU-FU-FU-FU-FU * -KA\n\
    P9 * -GI-KI * -OU * -KE-GI-KY\nP+00KY00KY00KE00FU00FU00FU\nP-00KY00KE00FU00FU00FU00FU\n+";

/// After black's first move and its echo.
fn waiting() -> Table {
    let mut table = Table::playing(settings(), '+', HIRATE);
    table.think("7g7f");
    table.say("+7776FU,T0");
    table.sent.clear();
    table
}

#[test]
fn resign_with_time() {
    let mut table = waiting();
    table.say("%TORYO,T3\n#RESIGN\n#WIN");
    assert_eq!(table.finished().ending, Ending::Resignation);
    let found = table.finished().verdict.map(|verdict| verdict as u8);
    assert_eq!(found, Some(0));
}

#[test]
fn time_up() {
    let mut table = Table::playing(settings(), '+', HIRATE);
    table.say("#TIME_UP");
    assert_eq!(table.stops(), 1);
    table.think("7g7f");
    table.say("#LOSE");
    table.think("7g7f");
    assert_eq!(table.taken(), ["LOGOUT"]);
    assert_eq!(table.finished().ending, Ending::TimeUp);
}

#[test]
fn result_crosses_move() {
    let mut table = Table::playing(settings(), '+', HIRATE);
    table.think("7g7f");
    table.say("#TIME_UP\n#LOSE");
    assert_eq!(table.taken(), ["+7776FU", "LOGOUT"]);
    assert_eq!(table.finished().ending, Ending::TimeUp);
    assert!(table.finished().game.moves().is_empty(), "the server has no such move");
}

#[test]
fn told_illegal() {
    let mut table = Table::playing(settings(), '+', HIRATE);
    table.think("7g7f");
    table.say("#ILLEGAL_MOVE\n#LOSE");
    let text = "+7776FU".to_owned();
    assert_eq!(table.finished().ending, Ending::IllegalMove { text });
}

#[test]
fn chudan() {
    let mut table = waiting();
    table.say("%CHUDAN\n#CHUDAN");
    assert!(table.taken().is_empty() && table.is_closed);
    assert_eq!(table.finished().ending, Ending::Interrupted);
}

#[test]
fn rival_declares() {
    let mut table = waiting();
    table.say("%KACHI\n#JISHOGI\n#LOSE");
    assert_eq!(table.finished().ending, Ending::Declaration);
}

#[test]
fn client_declares() {
    let mut table = Table::playing(settings(), '+', DECLARABLE);
    assert_eq!(table.taken(), ["%KACHI"], "without a search");
    table.say("%KACHI\n#JISHOGI\n#WIN");
    assert_eq!(table.finished().ending, Ending::Declaration);
}

/// A false declaration loses the game.
#[test]
fn without_a_rule_nothing_is_declared_unless_the_user_names_one() {
    let begin = |settings, extra| {
        let mut table = Table::new(settings);
        table.say("LOGIN:tester OK");
        table.offer('+', DECLARABLE, extra);
        table.start();
        table
    };
    let mut table = begin(settings(), "Declaration:\n");
    assert!(table.taken().is_empty());
    assert_eq!(table.notes().len(), 1);
    let of_user =
        SessionSettings { entering_king_rule: Some(EnteringKingRule::CsaRule27), ..settings() };
    assert_eq!(begin(of_user, "Declaration:\n").taken(), ["%KACHI"]);
    let rule = "Declaration:Jishogi 1.1\nEntering_King_Rule:NoEnteringKing\n";
    assert!(begin(settings(), rule).taken().is_empty());
}

#[test]
fn a_resignation_needs_no_answer() {
    let mut table = Table::playing(settings(), '+', HIRATE);
    table.answer(Decision::Resign);
    assert_eq!(table.taken(), ["%TORYO"]);
    table.give(Input::Closed);
    let finished = table.finished();
    assert_eq!(finished.ending, Ending::Resignation);
    assert_eq!(finished.notices, "resigned");
    assert!(finished.is_complete && finished.verdict == Some(ServerVerdict::Lose));
}

#[test]
fn a_false_declaration_is_not_sent() {
    let mut table = Table::playing(settings(), '+', HIRATE);
    table.answer(Decision::Win);
    assert_eq!(table.taken(), ["%TORYO"]);
    assert_eq!(table.notes().len(), 1);
}

#[test]
fn max_moves() {
    let mut table = waiting();
    table.say("#MAX_MOVES\n#CENSORED");
    assert_eq!(table.finished().ending, Ending::MaxMoves);
    assert!(table.finished().is_complete);
}

#[test]
fn perpetual() {
    let mut table = waiting();
    table.say("#OUTE_SENNICHITE\n#WIN");
    let loser = Color::White;
    assert_eq!(table.finished().ending, Ending::PerpetualCheck { loser });
}

#[test]
fn server_closes_after_game() {
    let mut table = waiting();
    table.say("%TORYO\n#RESIGN\n#WIN");
    table.give(Input::Closed);
    assert!(table.is_closed);
    assert_eq!(table.finished().ending, Ending::Resignation);
}

/// A new game on the same connection is not played: the client logs out after every game.
fn next_game_is_not_played(end: &str, side: char) {
    let mut table = waiting();
    table.say(end);
    table.offer(side, HIRATE, "");
    table.say("START:id");
    assert_eq!(table.taken(), ["LOGOUT"]);
    table.say("LOGOUT:completed");
    assert!(table.is_closed && table.finished().is_complete);
}

#[test]
fn rematch() {
    next_game_is_not_played("#SENNICHITE\n#DRAW", '-');
}

#[test]
fn swapped_colours() {
    next_game_is_not_played("%TORYO\n#RESIGN\n#WIN", '-');
    next_game_is_not_played("%TORYO\n#RESIGN\n#WIN", '+');
}

#[test]
fn a_result_that_does_not_come_is_not_waited_for() {
    let mut table = waiting();
    table.say("#RESIGN");
    table.wait(11_000);
    assert_eq!(table.taken(), ["LOGOUT"]);
    assert!(table.finished().is_complete && table.finished().verdict.is_none());
    table.wait(3000);
    assert!(table.is_closed);
}

#[test]
fn bad_scores_resign_in_time() {
    let rule = ResignRule { score: 2000, moves: 2 };
    let settings = SessionSettings { resign: Some(rule), ..settings() };
    let mut table = Table::playing(settings, '+', HIRATE);
    table.consider(Score::Cp(-3000), "7g7f");
    table.think("7g7f");
    table.say("+7776FU,T0\n-3334FU,T0");
    table.consider(Score::Mate(-4), "2g2f");
    table.think("2g2f");
    assert_eq!(table.taken(), ["+7776FU,'* -3000", "%TORYO"]);
}

#[test]
fn an_illegal_answer_resigns() {
    let mut table = Table::playing(settings(), '+', HIRATE);
    let best = table.mv("7g7f");
    let position = table.task().line.position();
    assert!(position.legal(best));
    table.say("+7776FU,T0\n-3334FU,T0");
    table.answer(Decision::Move { best, ponder: None });
    assert_eq!(table.taken(), ["%TORYO"]);
    let part = "7g7f is illegal";
    assert!(table.notes()[1].contains(part), "{:?}", table.notes());
}
