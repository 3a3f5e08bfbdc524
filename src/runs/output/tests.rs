//! Tests of output files.

use super::*;

fn place(name: &str) -> PathBuf {
    let name = format!("raicho-output-{}-{name}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

#[test]
fn it_has_its_name_when_it_is_complete() {
    let folder = place("complete");
    let path = folder.join("x");
    let mut file = OutputFile::create(&path).expect("it can be made");
    file.write_all(b"one").expect("it can be written");
    assert!(!path.exists() && folder.join("x.partial").exists());
    file.finish().expect("it can be finished");
    assert_eq!(fs::read(&path).expect("it is there"), b"one");
    drop(OutputFile::create(&path).expect("it can be made again"));
    assert_eq!(fs::read(&path).expect("the old one stays"), b"one");
    assert_eq!(fs::read_dir(&folder).expect("it is there").count(), 1);
    let _ = fs::remove_dir_all(folder);
}

#[test]
fn two_writers_never_share_a_file() {
    let folder = place("shared");
    let path = folder.join("x");
    let mut first = OutputFile::create(&path).expect("it can be made");
    let second = OutputFile::create(&path);
    assert!(matches!(second, Err(OutputError::InUse)), "{second:?}");
    first.write_all(b"first").expect("it can be written");
    first.finish().expect("the second one left it alone");
    assert_eq!(fs::read(&path).expect("it is there"), b"first");
    let _ = fs::remove_dir_all(folder);
}

#[test]
fn what_a_kill_left_is_replaced() {
    let folder = place("killed");
    let path = folder.join("x");
    fs::write(folder.join("x.partial"), "half of").expect("it can be written");
    let mut file = OutputFile::create(&path).expect("nobody writes it");
    file.write_all(b"1").expect("it can be written");
    file.finish().expect("it can be finished");
    assert_eq!(fs::read(&path).expect("it is there"), b"1");
    let _ = fs::remove_dir_all(folder);
}

#[cfg(unix)]
mod links_and_pipes {
    use std::os::unix::fs::{FileTypeExt as _, symlink};
    use std::process::Command;
    use std::thread;

    use super::*;

    fn write(path: &Path, bytes: &[u8]) {
        let mut file = OutputFile::create(path).expect("it can be made");
        file.write_all(bytes).expect("it can be written");
        file.finish().expect("it can be finished");
    }

    fn is_link(path: &Path) -> bool {
        fs::symlink_metadata(path).is_ok_and(|data| data.is_symlink())
    }

    #[test]
    fn links_are_written_through() {
        let folder = place("links");
        let (path, link, chain) = (folder.join("x"), folder.join("link"), folder.join("chain"));
        let below = folder.join("below");
        fs::create_dir(&below).expect("a folder can be made");
        symlink("below/../x", &link).expect("a link can be made");
        symlink(&link, &chain).expect("a link can be made");
        assert!(!would_replace(&chain), "nothing is there yet");
        for bytes in [b"one", b"two"] {
            write(&chain, bytes);
            assert_eq!(fs::read(&path).expect("the file is there"), bytes);
            assert!(is_link(&link) && is_link(&chain) && !is_link(&path));
            assert!(would_replace(&chain) && !is_stream(&chain));
        }
        // Not finished: neither the link nor the file changes.
        let mut file = OutputFile::create(&link).expect("it can be made");
        assert!(matches!(OutputFile::create(&path), Err(OutputError::InUse)));
        file.write_all(b"three").expect("it can be written");
        drop(file);
        assert_eq!(fs::read(&link).expect("the file is there"), b"two");
        assert_eq!(fs::read_dir(&folder).expect("it is there").count(), 4);
        let _ = fs::remove_dir_all(folder);
    }

    #[test]
    fn a_circle_of_links_is_an_error() {
        let folder = place("circle");
        let (one, other) = (folder.join("one"), folder.join("other"));
        symlink(&one, &other).expect("a link can be made");
        symlink(&other, &one).expect("a link can be made");
        let error = OutputFile::create(&one).expect_err("nowhere to write to");
        assert!(error.to_string().contains("40 links"), "{error}");
        let _ = fs::remove_dir_all(folder);
    }

    #[test]
    fn a_pipe_is_written_as_it_is() {
        let folder = place("pipe");
        let (pipe, link) = (folder.join("pipe"), folder.join("link"));
        let made = Command::new("mkfifo").arg(&pipe).status();
        assert!(made.expect("mkfifo runs").success());
        symlink("pipe", &link).expect("a link can be made");
        for path in [&pipe, &link] {
            assert!(is_stream(path) && !would_replace(path));
            let reader = thread::spawn({
                let pipe = pipe.clone();
                move || fs::read(pipe).expect("it can be read")
            });
            let mut file = OutputFile::create(path).expect("it can be opened");
            file.write_all(b"through").expect("it can be written");
            file.sync().expect("nothing to do");
            let refused = file.overwrite(0, b"T").expect_err("out of order");
            assert!(refused.to_string().contains("pipe"), "{refused}");
            file.finish().expect("it can be finished");
            assert_eq!(reader.join().expect("it reads"), b"through");
        }
        assert!(OutputFile::resume(&pipe, 1).is_err());
        let data = fs::symlink_metadata(&pipe).expect("it is there");
        assert!(data.file_type().is_fifo() && is_link(&link));
        assert_eq!(fs::read_dir(&folder).expect("it is there").count(), 2);
        let _ = fs::remove_dir_all(folder);
    }

    #[test]
    fn a_pipe_that_is_not_finished_stays() {
        let folder = place("dropped-pipe");
        let pipe = folder.join("pipe");
        let made = Command::new("mkfifo").arg(&pipe).status();
        assert!(made.expect("mkfifo runs").success());
        let reader = thread::spawn({
            let pipe = pipe.clone();
            move || fs::read(pipe).expect("it can be read")
        });
        drop(OutputFile::create(&pipe).expect("it can be opened"));
        assert_eq!(reader.join().expect("it reads"), b"");
        let data = fs::symlink_metadata(&pipe).expect("it is still there");
        assert!(data.file_type().is_fifo());
        let _ = fs::remove_dir_all(folder);
    }
}
