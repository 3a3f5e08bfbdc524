//! Tables of cases, for the tests of the crate and for those in `tests`.

/// An array of tuples, a row a line: `given, also given => expected;`. As rustfmt leaves braces of
/// macros alone, a row stays in its line.
macro_rules! cases {
    ($($($given:expr),+ => $expected:expr);+ $(;)?) => {
        [$(($($given,)+ $expected)),+]
    };
}
