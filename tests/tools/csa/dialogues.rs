//! Whole dialogues with a server that the test speaks itself.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::time::Duration;

use super::guest::{Client, Guest, SECRET};
use crate::tools::arena::Folder;

const SUMMARY: &str = "BEGIN Game_Summary\nFormat:Shogi 1.0\nGame_ID:game\nName+:tester\n\
    Name-:rival\nYour_Turn:+\nReconnect_Token:token\nBEGIN Time\nTotal_Time:60\nByoyomi:1\n\
    END Time\nBEGIN Position\nPI\n+\nEND Position\nEND Game_Summary\n";

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

fn journal(out: &Path) -> String {
    fs::read_to_string(out.join("games.jsonl")).expect("a journal")
}

#[test]
fn an_interrupted_game_is_resumed() {
    let (listener, folder) = (listen(), Folder::new());
    let client = Client::quick(&listener, &folder.join("games"));
    let out = client.out.clone();
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
    assert_eq!(journal(&out).lines().count(), 1);
    assert!(journal(&out).contains("\"result\":\"win\""));
}

/// All files below a folder.
fn files(folder: &Path) -> Vec<String> {
    let mut texts = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            texts.extend(files(&path));
        } else {
            let bytes = fs::read(&path).expect("a file");
            texts.push(String::from_utf8_lossy(&bytes).into_owned());
        }
    }
    texts
}

#[test]
fn the_password_shows_up_nowhere() {
    let (listener, folder) = (listen(), Folder::new());
    let client = Client::quick(&listener, &folder.join("games"));
    let out = client.out.clone();
    let mut guest = Guest::welcome(&listener);
    // What `ps` shows; elsewhere there is no such file.
    if let Ok(line) = fs::read(format!("/proc/{}/cmdline", client.process.id())) {
        let line = String::from_utf8_lossy(&line).into_owned();
        assert!(line.contains("--id") && !line.contains(SECRET));
    }
    guest.say(&format!("##[ECHO] LOGIN tester x-60-1,{SECRET}\n"));
    guest.play(SUMMARY);
    let (status, printed) = client.end();
    assert!(status.success());
    assert!(printed.contains("won against rival"), "{printed}");
    assert!(!printed.contains(SECRET), "{printed}");
    let files = files(&out);
    assert!(files.len() >= 4, "settings, journal, record, log");
    assert!(files.iter().all(|text| !text.contains(SECRET)));
    let blanked = ["< ##[ECHO] LOGIN tester x-60-1,****", "> LOGIN tester ****"];
    for text in blanked {
        let is_there = files.iter().any(|file| file.contains(text));
        assert!(is_there, "{text}");
    }
}

#[test]
fn a_record_that_cannot_be_written_is_kept_until_it_can() {
    let (listener, folder) = (listen(), Folder::new());
    let out = folder.join("games");
    fs::create_dir_all(&out).expect("a folder");
    // A file stands where the folder of the records should be.
    fs::write(out.join("csa"), "in the way").expect("a file");
    let client = Client::quick(&listener, &out);
    Guest::welcome(&listener).play(SUMMARY);
    std::thread::sleep(Duration::from_secs(1));
    fs::remove_file(out.join("csa")).expect("the file goes");
    let (status, printed) = client.end();
    assert!(status.success(), "{printed}");
    assert!(printed.contains("a game is not written yet"), "{printed}");
    assert_eq!(journal(&out).lines().count(), 1);
    assert_eq!(fs::read_dir(out.join("csa")).expect("records").count(), 1);
}

#[cfg(unix)]
#[test]
fn a_record_that_cannot_be_written_to_the_end_is_an_error() {
    let (listener, folder) = (listen(), Folder::new());
    let out = folder.join("games");
    fs::create_dir_all(&out).expect("a folder");
    fs::write(out.join("csa"), "in the way").expect("a file");
    let client = Client::quick(&listener, &out);
    Guest::welcome(&listener).play(SUMMARY);
    std::thread::sleep(Duration::from_millis(500));
    client.signal("INT");
    let (status, printed) = client.end();
    assert!(!status.success());
    assert!(printed.contains("game not written"), "{printed}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_while_waiting_for_a_game() {
    let (listener, folder) = (listen(), Folder::new());
    let client = Client::quick(&listener, &folder.join("games"));
    let mut guest = Guest::welcome(&listener);
    std::thread::sleep(Duration::from_millis(300));
    client.signal("INT");
    assert_eq!(guest.hear(), "LOGOUT");
    guest.say("LOGOUT:completed\n");
    assert!(client.end().0.success());
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_while_the_engine_starts() {
    let (listener, folder) = (listen(), Folder::new());
    let more = ["--engine", "cmd=sleep,args=300"];
    let client = Client::start(&listener, &folder.join("games"), &more);
    std::thread::sleep(Duration::from_secs(1));
    client.signal("INT");
    assert!(client.end().0.success());
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_between_two_connections() {
    let (listener, folder) = (listen(), Folder::new());
    let client = Client::quick(&listener, &folder.join("games"));
    drop(Guest::accept(&listener));
    std::thread::sleep(Duration::from_millis(500));
    client.signal("INT");
    assert!(client.end().0.success());
}

/// The rival thinks: the first Ctrl-C awaits the end of the game, the second our turn, and the
/// third is meant.
#[cfg(unix)]
#[test]
fn the_third_ctrl_c_records_the_running_game() {
    let (listener, folder) = (listen(), Folder::new());
    let client = Client::quick(&listener, &folder.join("games"));
    let out = client.out.clone();
    let (mut guest, first) = begin_game(&listener);
    guest.say(&format!("{first},T1\n"));
    for _ in 0..3 {
        std::thread::sleep(Duration::from_millis(500));
        client.signal("INT");
    }
    client.end();
    assert!(journal(&out).contains("\"moves\":1"), "{}", journal(&out));
    assert_eq!(fs::read_dir(out.join("csa")).expect("records").count(), 1);
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
            folder.join(name).display()
        )
    };
    let config = folder.join("raicho.toml");
    let text = ["one", "two", "three"].map(account).concat();
    fs::write(&config, text).expect("a file");
    let config = config.to_str().expect("a path");
    let process = std::process::Command::new(env!("CARGO_BIN_EXE_raicho"))
        .args(["csa", "--config", config])
        .args(["--account", "one", "--account", "three"])
        .env("FAKE_PASSWORD", SECRET)
        .stdin(std::process::Stdio::null())
        .stderr(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("the client starts");
    let client = Client {
        process,
        out: folder.join("one"),
    };
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
    assert!(
        printed.contains("each with its own engine: one 3 threads, three "),
        "{printed}"
    );
    for name in names {
        assert!(
            printed.contains(&format!("{name}: won against rival")),
            "{printed}"
        );
        assert_eq!(journal(&folder.join(&name)).lines().count(), 1);
    }
    assert!(!folder.join("two").exists());
}
