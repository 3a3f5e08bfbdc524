//! Moves, clocks and pondering.

use super::*;
use crate::types::Color;

fn clock_of(table: &Table) -> [u64; 2] {
    let clock = table.session.game().expect("a game").clock();
    Color::ALL.map(|color| clock.remaining(color).as_millis() as u64)
}

/// A game that begins with these lines of its summary.
fn offered(side: char, lines: &str) -> Table {
    let mut table = Table::new(settings());
    table.say("LOGIN:tester OK");
    table.offer(side, HIRATE, lines);
    table.start();
    table
}

#[test]
fn normal() {
    let mut table = Table::playing(settings(), '+', HIRATE);
    for (ours, echo, theirs) in [("7g7f", "+7776FU", "-3334FU"), ("2g2f", "+2726FU", "-8384FU")] {
        table.wait(1400);
        table.consider(Score::Cp(30), ours);
        table.think(ours);
        assert_eq!(table.taken(), [format!("{echo},'* 30")]);
        table.say(&format!("{echo},T1"));
        table.wait(2000);
        table.say(&format!("{theirs},T2"));
    }
    assert_eq!(clock_of(&table), [58_000, 56_000]);
    table.consider(Score::Cp(30), "2f2e 8d8e 6i7h");
    table.think("2f2e");
    assert_eq!(table.taken(), ["+2625FU,'* 30 -8485FU +6978KI"]);
    table.say("+2625FU,T0\n%TORYO\n#RESIGN\n#WIN");
    assert_eq!(table.taken(), ["LOGOUT"]);
    table.say("LOGOUT:completed");
    assert!(table.is_closed);
    let finished = table.finished();
    assert_eq!(finished.ending, Ending::Resignation);
    assert!(finished.is_complete);
    assert_eq!(finished.notices, "#RESIGN #WIN");
    assert_eq!(finished.game.moves().len(), 5);
}

#[test]
fn white_fischer() {
    let rule = "BEGIN Time-\nTotal_Time:10\nIncrement:2\nEND Time-\n";
    let mut table = offered('-', rule);
    table.wait(1000);
    let is_prepared = |command: &EngineCommand| matches!(command, EngineCommand::Prepare(_));
    assert!(table.commands.iter().all(is_prepared));
    table.say("+7776FU,T1");
    let clock = table.task().clock.expect("a clock");
    let expected = Duration::from_secs(12);
    assert_eq!(clock.time[1], expected, "the first move has its increment");
    table.consider(Score::Cp(30), "3c3d");
    table.think("3c3d");
    let expected = ["-3334FU,'* -30"];
    assert_eq!(table.taken(), expected, "scores are from black's view");
}

#[test]
fn low_clock() {
    let rule = "BEGIN Time+\nTotal_Time:1\nIncrement:1\nEND Time+\n";
    let mut table = offered('+', rule);
    table.wait(1300);
    assert_eq!(table.stops(), 0);
    table.wait(100);
    let why = "an engine that forgets its clock is told to answer";
    assert_eq!(table.stops(), 1, "{why}");
    table.wait(10_000);
    assert_eq!(table.stops(), 1);
}

#[test]
fn late_echo() {
    let mut table = Table::playing(settings(), '+', HIRATE);
    table.think("7g7f");
    assert_eq!(table.taken(), ["+7776FU"]);
    table.wait(3000);
    assert!(table.taken().is_empty());
    table.say("+7776FU,T3");
    assert_eq!(clock_of(&table)[0], 57_000);
    let expected = Duration::from_secs(3);
    assert_eq!(table.session.context.trips.longest(), expected);
    table.say("-3334FU,T0");
    let worst = table.task().delays.worst;
    assert!(worst > Duration::from_secs(3), "it counts as network");
}

#[test]
fn garbage() {
    let junk = "##[CHAT][someone] hello\n\u{1}\u{fffd}\n\n#UNKNOWN\n+\n%%\n'comment\nLOGIN:x\n\
        LOGIN:incorrect\nBEGIN Game_Summary\nEND Game_Summary\nSTART:id\n\
        REJECT:id by x\n+7775FU,T1";
    let mut table = Table::playing(settings(), '+', HIRATE);
    table.say(junk);
    table.think("7g7f");
    table.say(junk);
    table.say("+7776FU,T0");
    table.say(junk);
    table.say("-3334FU,T0");
    table.think("2g2f");
    assert_eq!(table.taken(), ["+7776FU", "+2726FU"]);
    let told = "ignored +7775FU, which is not a legal move here; others are not told";
    assert_eq!(table.notes(), [told]);
}

#[test]
fn split_packets() {
    // The pieces are joined by `LineBuffer`; here the lines end with CR LF.
    let mut buffer = crate::csa::connection::LineBuffer::default();
    let mut table = Table::playing(settings(), '+', HIRATE);
    table.think("7g7f");
    for piece in b"+7776FU,T1\r\n-3334FU,T0\r\n".chunks(3) {
        let mut lines = Vec::new();
        buffer.feed(piece, |line| lines.push(line));
        for line in &lines {
            table.say(line);
        }
    }
    table.think("2g2f");
    assert_eq!(table.taken(), ["+7776FU", "+2726FU"]);
}

#[test]
fn joined_packets() {
    let mut table = Table::playing(settings(), '+', HIRATE);
    table.think("7g7f");
    table.say("+7776FU,T0\n\n-3334FU,T0");
    assert_eq!(table.task().line.to_string(), "startpos moves 7g7f 3c3d");
}

#[test]
fn buoy() {
    let position = "PI\n+\n+7776FU,T1\n-3334FU,T1\n+2726FU,T1";
    let mut table = Table::playing(settings(), '-', position);
    let expected = "startpos moves 7g7f 3c3d 2g2f";
    assert_eq!(table.task().line.to_string(), expected);
    table.think("8c8d");
    assert_eq!(table.taken(), ["-8384FU"]);
}

#[test]
fn handicap() {
    let mut table = Table::playing(settings(), '-', "PI82HI22KA\n-");
    table.think("3c3d");
    assert_eq!(table.taken(), ["-3334FU"]);
}

#[test]
fn sennichite_quirk() {
    let shuffle = "+2838HI,T1\n-8272HI,T1\n+3828HI,T1\n-7282HI,T1\n".repeat(3);
    let position = format!("PI\n+\n{}", shuffle.trim_end());
    let mut table = Table::playing(settings(), '+', &position);
    table.think("2h3h");
    assert_eq!(table.taken(), ["+2838HI"]);
    table.say("+2838HI,T0\n#SENNICHITE\n#DRAW");
    assert_eq!(table.finished().ending, Ending::Repetition);
}

#[test]
fn minutes() {
    let rule = "BEGIN Time+\nTime_Unit:1min\nTotal_Time:1\nEND Time+\n";
    let mut table = offered('+', rule);
    let clock = table.task().clock.expect("a clock");
    assert_eq!(clock.time[0], Duration::from_mins(1));
    let expected = (Duration::ZERO, Duration::ZERO);
    assert_eq!((clock.byoyomi[0], clock.increment[0]), expected);
    table.wait(12_300);
    table.think("7g7f");
    table.say("+7776FU,T12");
    assert_eq!(clock_of(&table)[0], 48_000, "seconds, whatever the unit is");
}

#[test]
fn milliseconds() {
    let rule = "BEGIN Time+\nTime_Unit:1msec\nTotal_Time:3000\nIncrement:300\nEND Time+\n";
    let mut table = offered('+', rule);
    table.wait(450);
    table.think("7g7f");
    table.say("+7776FU,T452");
    assert_eq!(clock_of(&table)[0], 2848);
}

#[test]
fn two_time_blocks() {
    let rules = "BEGIN Time+\nTotal_Time:2\nByoyomi:1\nEND Time+\n\
        BEGIN Time-\nTotal_Time:600\nByoyomi:60\nEND Time-\n";
    let table = offered('+', rules);
    let clock = table.task().clock.expect("a clock");
    assert_eq!(clock.time.map(|time| time.as_secs()), [2, 600]);
    assert_eq!(clock.byoyomi.map(|time| time.as_secs()), [1, 60]);
}

#[test]
fn unknown_fields() {
    let lines = "X-Note: a line: with colons\nJishogi_Rule:27\nName-:fake rival 竜\n";
    let table = offered('+', lines);
    let expected = "fake rival 竜";
    assert_eq!(table.session.game().expect("a game").opponent(), expected);
}

// --- Pondering ---

fn pondering(pondering: Pondering) -> Table {
    let settings = SessionSettings { pondering, ..settings() };
    let mut table = Table::playing(settings, '+', HIRATE);
    let best = table.mv("7g7f");
    let ponder = Some(after(&table, best, "3c3d"));
    table.answer(Decision::Move { best, ponder });
    table.sent.clear();
    table
}

fn after(table: &Table, first: Move, text: &str) -> Move {
    let mut position = table.task().line.position();
    position.do_move(first);
    let mv = text.parse().ok().and_then(|mv| position.to_move(mv));
    mv.expect("a move")
}

#[test]
fn a_hit_goes_on_with_the_same_search() {
    let mut table = pondering(Pondering::Early);
    let task = table.task();
    let is_early = task.ponders && task.clock.is_none();
    assert!(is_early, "at once, before the clocks are known");
    let ponder = task.search;
    table.consider(Score::Cp(40), "2g2f");
    table.say("+7776FU,T0");
    table.wait(2100);
    table.say("-3334FU,T2");
    let hit = table.commands.last();
    assert!(matches!(hit, Some(EngineCommand::PonderHit { search, clock })
        if *search == ponder && clock.time[1] == Duration::from_secs(58)));
    table.think("2g2f");
    let expected = ["+2726FU,'* 40"];
    assert_eq!(table.taken(), expected, "what was thought before counts");
}

#[test]
fn pondering_after_the_echo_knows_the_clocks() {
    let mut table = pondering(Pondering::AfterEcho);
    assert!(!table.task().ponders);
    table.wait(1100);
    table.say("+7776FU,T1");
    let task = table.task();
    assert!(task.ponders);
    assert_eq!(task.clock.map(|clock| clock.time[0].as_secs()), Some(59));
}

#[test]
fn ponder_miss_storm() {
    let mut table = pondering(Pondering::Early);
    let ponder = table.search();
    // The stopped search answers late, and twice.
    let reply = Ok(Decision::Move { best: table.mv("2g2f"), ponder: None });
    table.say("+7776FU,T0\n-8384FU,T0");
    assert_ne!(table.search(), ponder);
    table.report(ponder, Content::Answer(reply.clone()));
    table.report(ponder, Content::Answer(reply));
    assert!(table.taken().is_empty());
    table.think("2g2f");
    assert_eq!(table.taken(), ["+2726FU"]);
}

#[test]
fn an_answer_before_the_hit_is_not_sent() {
    let mut table = pondering(Pondering::Early);
    let ponder = table.search();
    table.say("+7776FU,T0");
    table.think("2g2f");
    assert!(table.taken().is_empty());
    table.say("-3334FU,T0");
    assert_ne!(table.search(), ponder, "the turn begins with a new search");
    table.answer(Decision::Resign);
    assert_eq!(table.taken(), ["%TORYO"]);
}
