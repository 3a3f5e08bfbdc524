//! Tests of the lines of a process.

use super::*;

fn lines(bytes: &[u8]) -> Vec<String> {
    let mut reader = LineReader::new(bytes);
    std::iter::from_fn(|| reader.next_line()).collect()
}

#[test]
fn lines_are_split_as_any_system_writes_them() {
    assert_eq!(
        lines(b"\xef\xbb\xbfid name A\r\n\r\n\nusiok"),
        ["id name A", "", "", "usiok"]
    );
    assert_eq!(lines(b"caf\xe9\n"), ["caf\u{fffd}"]);
    assert_eq!(lines(b""), Vec::<String>::new());
    let colours = b"id name \x1b[31mRed\x07\xc2\x9b2J\tname\r\n";
    assert_eq!(lines(colours), ["id name [31mRed2J\tname"]);
}

#[test]
fn long_lines_are_cut() {
    let mut bytes = vec![b'x'; 3 * LONGEST_LINE + 5];
    bytes.extend_from_slice(b"\nnext\n");
    let lines = lines(&bytes);
    assert_eq!(lines.len(), 2);
    assert_eq!((lines[0].len(), lines[1].as_str()), (LONGEST_LINE, "next"));
}
