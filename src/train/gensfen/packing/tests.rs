//! Tests of how games become bytes.

use super::*;

#[test]
fn reasons_have_the_codes_of_the_format() {
    use EnteringKingRule as Rule;
    for (ending, rule, code) in [
        (Reason::Mate, Rule::CsaRule27, 0),
        (Reason::Adjudication, Rule::CsaRule27, 0),
        (Reason::Repetition, Rule::CsaRule27, 1),
        (Reason::MaxPly, Rule::CsaRule27, 2),
        (Reason::PerpetualCheck, Rule::CsaRule27, 6),
        (Reason::Declaration, Rule::CsaRule24, 10),
        (Reason::Declaration, Rule::CsaRule24Handicap, 10),
        (Reason::Declaration, Rule::CsaRule27, 12),
        (Reason::Declaration, Rule::CsaRule27Handicap, 12),
        (Reason::Declaration, Rule::TryRule, 13),
    ] {
        assert_eq!(reason(ending, rule).0, code, "{ending} by {}", rule.name());
    }
}
