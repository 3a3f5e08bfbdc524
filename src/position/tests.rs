//! Tests of the rules, by topic.
