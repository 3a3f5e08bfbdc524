//! The headings of CSA (`$SITE:`) and their names in KIF, which a record keeps.

/// Fields of version 2.2 besides those that a record has members for.
const FIELDS: &[(&str, &str)] = &[
    ("SITE", "場所"),
    ("OPENING", "戦型"),
    ("END_TIME", "終了日時"),
];

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
