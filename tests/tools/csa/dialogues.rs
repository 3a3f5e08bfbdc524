//! Whole dialogues with a server that the test speaks itself.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use super::guest::{Client, Guest, SECRET};
use crate::folder::Folder;
use crate::runner::{SMALL_ENGINE, Text};

const SUMMARY: &str = "BEGIN Game_Summary\nFormat:Shogi 1.0\nGame_ID:game\nName+:tester\n\
    Name-:rival\nYour_Turn:+\nReconnect_Token:token\nBEGIN Time\nTotal_Time:60\nByoyomi:1\n\
    END Time\nBEGIN Position\nPI\n+\nEND Position\nEND Game_Summary\n";

/// A port, a folder, and a client that connects and plays one game with Raicho.
fn quick() -> (TcpListener, Folder, Client) {
    let (listener, folder) = (listen(), Folder::new());
    let client = Client::quick(&listener, &folder);
    (listener, folder, client)
}

fn listen() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").expect("a port")
}

/// A game up to the client's first move.
fn begin_game(listener: &TcpListener) -> (Guest, String) {
    let mut guest = Guest::welcome(listener);
    guest.say(SUMMARY);
    assert_eq!(guest.hear(), "AGREE game");
    guest.say("START:game\n");
    let first = guest.hear_move();
    (guest, first)
}

fn milliseconds(number: u64) {
    sleep(Duration::from_millis(number));
}

#[test]
fn an_interrupted_game_is_resumed() {
    let (listener, folder, client) = quick();
    let (guest, first) = begin_game(&listener);
    drop(guest);
    let mut guest = Guest::accept(&listener);
    let login = format!("LOGIN tester x-60-1,{SECRET} reconnect:game+token");
    assert_eq!(guest.hear(), login);
    guest.say(&format!(
        "LOGIN:tester OK\n{SUMMARY}BEGIN Reconnect_State\nCurrent_Turn:-\nLast_Move:{first}\n\
         END Reconnect_State\n-3334FU,T1\n"
    ));
    let third = guest.hear_move();
    guest.say(&format!("{third},T1\n%TORYO\n#RESIGN\n#WIN\n"));
    assert_eq!(guest.hear(), "LOGOUT");
    guest.say("LOGOUT:completed\n");
    assert!(client.end().0.success());
    assert_eq!(folder.lines("games/games.jsonl"), 1);
    folder.text("games/games.jsonl").must_have("\"result\":\"win\"");
}

#[test]
fn a_wrong_host_blocks_no_later_visit() {
    let (listener, folder) = (listen(), Folder::new());
    // Nobody listens there any more.
    let refusing = listen().local_addr().expect("the port");
    for host in ["no-such-host.invalid", &refusing.to_string()] {
        let words = format!("--host {host} --id tester --out games");
        let mut client = Client::start(&listener, &folder, &words);
        let said = BufReader::new(client.0.stderr.take().expect("a pipe"));
        let mut lines = said.lines().map_while(Result::ok);
        let (place, _) = host.split_once(':').unwrap_or((host, ""));
        assert!(lines.any(|line| line.contains(place)), "the failure is not named");
        assert!(lines.any(|line| line.contains("next login in")), "no next login");
    }
    let client = Client::quick(&listener, &folder);
    Guest::welcome(&listener).play(SUMMARY);
    assert!(client.end().0.success());
    // Now the folder has a game.
    let words = "--host no-such-host.invalid --id tester --out games";
    let (status, printed) = Client::start(&listener, &folder, words).end();
    assert_eq!(status.code(), Some(1));
    printed.must_have("games holds another journal").must_have("no-such-host.invalid");
}

/// All files below a folder.
fn files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let texts = entries.map(|entry| {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            return files(&path);
        }
        let bytes = fs::read(&path).expect("a file");
        vec![String::from_utf8_lossy(&bytes).into_owned()]
    });
    texts.flatten().collect()
}

#[test]
fn the_password_shows_up_nowhere() {
    let (listener, folder, client) = quick();
    let mut guest = Guest::welcome(&listener);
    // What `ps` shows; elsewhere there is no such file.
    if let Ok(line) = fs::read(format!("/proc/{}/cmdline", client.0.id())) {
        let line = String::from_utf8_lossy(&line).into_owned();
        line.must_have("--id").must_lack(SECRET);
    }
    guest.say(&format!("##[ECHO] LOGIN tester x-60-1,{SECRET}\n"));
    guest.play(SUMMARY);
    let (status, printed) = client.end();
    assert!(status.success());
    printed.must_have("won against rival").must_lack(SECRET);
    let files = files(&folder.file("games"));
    assert!(files.len() >= 4, "settings, journal, record, log");
    files.concat().must_lack(SECRET);
    for blanked in ["< ##[ECHO] LOGIN tester x-60-1,****", "> LOGIN tester ****"] {
        files.concat().must_have(blanked);
    }
}

#[cfg(unix)]
#[test]
fn the_engine_and_what_it_starts_get_no_password() {
    let (listener, folder) = (listen(), Folder::new());
    let script = "#!/bin/sh\nenv > environment\nexec \"$@\"\n";
    let wrapper = folder.write("wrapper.sh", script);
    let program = crate::runner::RAICHO;
    folder.write(
        "raicho.toml",
        "[[account]]\nname = \"tester\"\npassword_variable = \"FAKE_PASSWORD\"\n",
    );
    let wrapper = wrapper.display();
    let client = Client::start(
        &listener,
        &folder,
        &format!(
            "--host 127.0.0.1:{{port}} --config raicho.toml --games 1 --out games \
             --engine 'cmd=sh,args={wrapper} {program},{SMALL_ENGINE},option.NodesLimit=500'"
        ),
    );
    Guest::welcome(&listener).play(SUMMARY);
    let (status, printed) = client.end();
    assert!(status.success(), "{printed}");
    let environment = folder.text("environment");
    environment.must_have("PATH=").must_lack(SECRET);
}

#[test]
fn a_password_in_names_is_blanked_in_all_that_is_left() {
    let (listener, folder, client) = quick();
    let summary = SUMMARY.replace("rival", &format!("a{SECRET}"));
    let summary = summary.replace("Game_ID:game", &format!("Game_ID:{SECRET}"));
    let mut guest = Guest::welcome(&listener);
    guest.say(&summary);
    assert_eq!(guest.hear(), format!("AGREE {SECRET}"));
    guest.say(&format!("START:{SECRET}\n"));
    let first = guest.hear_move();
    guest.say(&format!("{first},T1\n%TORYO\n#RESIGN\n#WIN\n"));
    drop(guest);
    let (status, printed) = client.end();
    assert!(status.success());
    printed.must_have("won against a****").must_lack(SECRET);
    files(&folder.file("games")).concat().must_lack(SECRET);
    let names = folder.names("games/csa").concat();
    names.must_have("a____").must_lack(SECRET);
}

#[test]
fn long_names_make_short_file_names() {
    let (listener, folder, client) = quick();
    let summary = SUMMARY.replace("rival", &"雷".repeat(40));
    let summary = summary.replace("Name+:tester", &format!("Name+:{}", "鳥".repeat(40)));
    Guest::welcome(&listener).play(&summary);
    let (status, printed) = client.end();
    assert!(status.success(), "{printed}");
    let names = folder.names("games/csa");
    assert!(names.len() == 1 && names[0].len() <= 200, "{names:?}");
}

/// The server takes the connections and closes them at once.
#[cfg(unix)]
#[test]
fn ctrl_c_ends_while_a_game_is_resumed() {
    let (listener, folder, client) = quick();
    let (guest, _) = begin_game(&listener);
    drop(guest);
    let mut logins = 0;
    let begun = std::time::Instant::now();
    listener.set_nonblocking(true).expect("a listener");
    while begun.elapsed() < Duration::from_secs(6) {
        if let Ok((stream, _)) = listener.accept() {
            logins += 1;
            drop(stream);
        }
        milliseconds(10);
    }
    assert!((1..=3).contains(&logins), "{logins} logins in 6 s");
    client.signal("INT");
    let begun = std::time::Instant::now();
    let (_, printed) = client.end();
    assert!(begun.elapsed() < Duration::from_secs(10), "{printed}");
    assert_eq!(folder.names("games/csa").len(), 1, "as far as it went");
}

#[test]
fn a_record_that_cannot_be_written_is_kept_until_it_can() {
    let (listener, folder) = (listen(), Folder::new());
    // A file stands where the folder of the records should be.
    folder.write("games/csa", "in the way");
    let client = Client::quick(&listener, &folder);
    Guest::welcome(&listener).play(SUMMARY);
    milliseconds(1000);
    folder.remove("games/csa");
    let (status, printed) = client.end();
    assert!(status.success(), "{printed}");
    printed.must_have("a game is not written yet");
    assert_eq!(folder.lines("games/games.jsonl"), 1);
    assert_eq!(folder.names("games/csa").len(), 1);
}

#[cfg(unix)]
#[test]
fn a_record_that_cannot_be_written_to_the_end_is_an_error() {
    let (listener, folder) = (listen(), Folder::new());
    folder.write("games/csa", "in the way");
    let client = Client::quick(&listener, &folder);
    Guest::welcome(&listener).play(SUMMARY);
    milliseconds(500);
    client.signal("INT");
    let (status, printed) = client.end();
    assert!(!status.success());
    // Better there than nowhere.
    printed.must_have("game not written").must_have("%TORYO");
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_while_waiting_for_a_game() {
    let (listener, _folder, client) = quick();
    let mut guest = Guest::welcome(&listener);
    milliseconds(300);
    client.signal("INT");
    assert_eq!(guest.hear(), "LOGOUT");
    guest.say("LOGOUT:completed\n");
    assert!(client.end().0.success());
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_while_the_engine_starts() {
    let (listener, folder) = (listen(), Folder::new());
    let engine = "--engine cmd=sleep,args=300";
    let client = Client::for_one_game(&listener, &folder, engine);
    milliseconds(1000);
    client.signal("INT");
    assert!(client.end().0.success());
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_between_two_connections() {
    let (listener, _folder, client) = quick();
    drop(Guest::accept(&listener));
    milliseconds(500);
    client.signal("INT");
    assert!(client.end().0.success());
}

/// The rival thinks: the first Ctrl-C awaits the end of the game, the second our turn, and the
/// third is meant.
#[cfg(unix)]
#[test]
fn the_third_ctrl_c_records_the_running_game() {
    let (listener, folder, client) = quick();
    let (mut guest, first) = begin_game(&listener);
    guest.say(&format!("{first},T1\n"));
    for _ in 0..3 {
        milliseconds(500);
        client.signal("INT");
    }
    client.end();
    let line = &folder.json("games/games.jsonl")["line"];
    let words = line.as_str().expect("a line").split(' ');
    let expected = "startpos moves 7g7f".split(' ').count();
    assert_eq!(words.count(), expected, "{line}");
    assert_eq!(folder.names("games/csa").len(), 1);
}

#[test]
fn several_accounts_play_at_once() {
    let (listener, folder) = (listen(), Folder::new());
    let port = listener.local_addr().expect("the port").port();
    let account = |name: &str| {
        let threads = if name == "one" { ", Threads = 3" } else { "" };
        format!(
            "[[account]]\nname = \"{name}\"\nhost = \"127.0.0.1:{port}\"\ngame = \"x-60-1\"\n\
             games = 1\nout = \"{}\"\npassword_variable = \"FAKE_PASSWORD\"\n\
             options = {{ USI_Hash = 16, NodesLimit = 500{threads} }}\n",
            folder.path(name)
        )
    };
    folder.write("raicho.toml", ["one", "two", "three"].map(account).concat());
    let words = "--config raicho.toml --account one --account three";
    let client = Client::start(&listener, &folder, words);
    // Both are logged in before either has a game.
    let mut guests = [Guest::accept(&listener), Guest::accept(&listener)];
    let mut names = Vec::new();
    for guest in &mut guests {
        let login = guest.hear();
        let name = login.split(' ').nth(1).unwrap_or_default().to_owned();
        guest.say(&format!("LOGIN:{name} OK\n"));
        names.push(name);
    }
    names.sort();
    assert_eq!(names, ["one", "three"]);
    for guest in &mut guests {
        guest.play(SUMMARY);
    }
    let (status, printed) = client.end();
    assert!(status.success(), "{printed}");
    printed.must_have("each with its own engine: one 3 threads, three ");
    for name in names {
        printed.must_have(format!("{name}: won against rival"));
        assert_eq!(folder.lines(&format!("{name}/games.jsonl")), 1);
    }
    assert!(!folder.has("two"));
}
