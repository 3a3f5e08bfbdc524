//! The rights that a client drops on Linux (Landlock) where Raicho itself is the engine: it listens
//! to strangers for weeks, and needs little.

use std::path::Path;

/// Gives up to write outside of these folders, to start programs, and to connect to other ports
/// than these and that of name servers. What the kernel does not know stays allowed.
#[cfg(target_os = "linux")]
pub(super) fn enter(folders: &[&Path], ports: &[u16]) {
    match confine(folders, ports) {
        Ok(status) => log::info!("sandbox: {:?}", status.ruleset),
        Err(error) => log::warn!("no sandbox: {error}"),
    }
}

#[cfg(target_os = "linux")]
fn confine(
    folders: &[&Path],
    ports: &[u16],
) -> Result<landlock::RestrictionStatus, landlock::RulesetError> {
    use landlock::{
        ABI, AccessFs, AccessNet, NetPort, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _,
        path_beneath_rules,
    };
    /// The first one that knows the network.
    const VERSION: ABI = ABI::V4;
    /// Of name servers.
    const DNS: u16 = 53;
    let write = AccessFs::from_write(VERSION);
    let mut rules = Ruleset::default()
        .handle_access(write | AccessFs::Execute)?
        .handle_access(AccessNet::ConnectTcp | AccessNet::BindTcp)?
        .create()?
        .add_rules(path_beneath_rules(folders, write))?
        .add_rules(path_beneath_rules(["/dev/tty", "/dev/null"], AccessFs::WriteFile))?;
    for &port in ports.iter().chain([&DNS]) {
        rules = rules.add_rule(NetPort::new(port, AccessNet::ConnectTcp))?;
    }
    rules.restrict_self()
}

#[cfg(not(target_os = "linux"))]
pub(super) fn enter(_folders: &[&Path], _ports: &[u16]) {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::io::ErrorKind;
    use std::net::{TcpListener, TcpStream};
    use std::process::Command;
    use std::{fs, thread};

    use landlock::RulesetStatus;

    use super::*;
    use crate::util::TestFolder;

    #[test]
    fn little_is_left_to_a_client() {
        let folder = TestFolder::new();
        let (inside, outside) = (folder.file("inside"), folder.file("outside"));
        fs::create_dir(&inside).expect("a folder");
        fs::write(&outside, "old").expect("a file");
        let servers = [0; 2].map(|_| TcpListener::bind("127.0.0.1:0").expect("a port"));
        let [server, other] = servers.each_ref().map(TcpListener::local_addr);
        let (server, other) = (server.expect("an address"), other.expect("an address"));
        // Rights are those of a thread.
        let work = move || {
            let status = confine(&[&inside], &[server.port()]).expect("no error");
            if status.ruleset != RulesetStatus::FullyEnforced {
                println!("skipped: the kernel has no Landlock of this version");
                return;
            }
            fs::write(inside.join("record"), "new").expect("it may");
            assert_eq!(fs::read_to_string(&outside).expect("it may read"), "old");
            let denied =
                |kind: Option<ErrorKind>| assert_eq!(kind, Some(ErrorKind::PermissionDenied));
            denied(fs::write(&outside, "new").err().map(|error| error.kind()));
            denied(Command::new("/bin/true").spawn().err().map(|error| error.kind()));
            TcpStream::connect(server).expect("it may");
            denied(TcpStream::connect(other).err().map(|error| error.kind()));
        };
        thread::spawn(work).join().expect("all is as it should be");
    }
}
