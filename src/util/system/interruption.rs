//! What interrupts a search.

/// What the page tells a search that occupies the only thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(
    not(target_family = "wasm"),
    expect(
        dead_code,
        reason = "where there are threads, the session signals the search"
    )
)]
pub(crate) enum Interruption {
    /// The search is to end.
    Stop,
    /// The expected move was made.
    PonderHit,
}
