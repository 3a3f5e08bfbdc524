//! Any bytes as teacher data of each binary format: errors, or records whose positions can be
//! visited and that are written and read back.

#![no_main]

use libfuzzer_sys::fuzz_target;
use raicho::records::teacher::{Format, TeacherReader, TeacherWriter};

const FORMATS: [Format; 8] = [
    Format::Psv,
    Format::Hcpe,
    Format::Psum,
    Format::Tree,
    Format::Hcpe3,
    Format::Pack,
    Format::Hcp,
    Format::Sfen,
];

fuzz_target!(|input: (u8, &[u8])| {
    let (number, bytes) = input;
    let format = FORMATS[usize::from(number) % FORMATS.len()];
    let mut writer = TeacherWriter::new(Vec::new(), format);
    let mut good = 0;
    for record in TeacherReader::new(bytes, format).flatten() {
        let mut positions = 0;
        record.for_each_position(|_, _| positions += 1);
        record.for_each_sample(|_| ());
        assert_eq!(positions, record.positions());
        good += u64::from(writer.write(&record).is_ok());
    }
    let (written, _) = writer.finish().expect("a vector takes everything");
    let read = TeacherReader::new(&written[..], format).filter(Result::is_ok);
    assert_eq!(read.count() as u64, good, "{format:?}");
});
