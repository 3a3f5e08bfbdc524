//! The headings of CSA (`$SITE:`) and their names in KIF, which a record keeps.

/// Fields besides those that a record has members for; the last ones are of version 3.
const FIELDS: &[(&str, &str)] = &[
    ("SITE", "場所"),
    ("OPENING", "戦型"),
    ("END_TIME", "終了日時"),
    ("TIME", "持ち時間"),
    ("TIME+", "先手持ち時間"),
    ("TIME-", "後手持ち時間"),
    ("MAX_MOVES", "最大手数"),
    ("JISHOGI", "持将棋"),
    (NOTE, "備考"),
];

/// The field in which `\n` stands for a line end and `\\` for `\`.
const NOTE: &str = "NOTE";

/// The heading of a record for a field; a field of another program keeps its name.
pub(super) fn heading(field: &str) -> &str {
    let known = FIELDS.iter().find(|(name, _)| *name == field);
    known.map_or(field, |(_, heading)| heading)
}

/// The field for a heading of a record, if there is one.
pub(super) fn field_name(heading: &str) -> Option<&str> {
    let known = FIELDS.iter().find(|(_, name)| *name == heading);
    let is_field = |letter: u8| letter.is_ascii_uppercase() || matches!(letter, b'_' | b'+' | b'-');
    let own = Some(heading).filter(|name| !name.is_empty() && name.bytes().all(is_field));
    known.map(|(field, _)| *field).or(own)
}

/// The value of a heading for that of a field.
pub(super) fn decoded(field: &str, value: &str) -> String {
    if field != NOTE {
        return value.to_owned();
    }
    let mut text = String::new();
    let mut letters = value.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('n') => text.push('\n'),
                Some(other) => text.push(other),
                None => text.push('\\'),
            },
            _ => text.push(letter),
        }
    }
    text
}

/// The value of a field for that of a heading.
pub(super) fn encoded(field: &str, value: &str) -> String {
    if field == NOTE {
        value.replace('\\', "\\\\").replace('\n', "\\n")
    } else {
        value.to_owned()
    }
}
