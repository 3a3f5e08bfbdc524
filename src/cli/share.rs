//! Arguments that are a share, from 0 to 1.

/// Parses a number from 0 to 1.
///
/// # Errors
/// The text is not such a number.
pub(super) fn parse_share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err(format!(
            "'{text}' is no share, expected a number from 0 to 1"
        )),
    }
}
