//! `raicho analyze`: positions and whole games for people.

mod arguments;
mod board;
mod games;
mod inputs;
mod live;
mod outputs;
mod position;
mod report;
mod table;

use std::time::Duration;

use anyhow::ensure;

use crate::lang::Lang;
pub(super) use arguments::Arguments;
use inputs::Inputs;
pub(super) use position::set_position;

pub(super) fn run(arguments: &Arguments, lang: Lang) -> anyhow::Result<()> {
    ensure!(
        arguments.work.shard().is_whole(),
        "--shard is not for this command: give each machine some of the files"
    );
    match inputs::find(arguments)? {
        Inputs::Positions(source) => position::run(arguments, &source, lang),
        Inputs::Games(games, broken) => games::run(arguments, games, &broken, lang),
    }
}

pub(super) fn parse_time(text: &str) -> Result<Duration, String> {
    let (number, milliseconds) = match (text.strip_suffix("ms"), text.strip_suffix('s')) {
        (Some(number), _) => (number, 1.0),
        (None, Some(number)) => (number, 1000.0),
        (None, None) => (text, 1.0),
    };
    let expected = "expected milliseconds, or a number with a unit such as 2.5s or 500ms";
    let number: f64 = number.trim().parse().map_err(|_| expected)?;
    Duration::try_from_secs_f64(number * milliseconds / 1000.0).map_err(|_| expected.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_milliseconds_unless_they_say_otherwise() {
        assert_eq!(parse_time("250"), Ok(Duration::from_millis(250)));
        assert_eq!(parse_time("1.5s"), Ok(Duration::from_millis(1500)));
        assert_eq!(parse_time("40ms"), Ok(Duration::from_millis(40)));
        assert!(
            parse_time("-1").is_err() && parse_time("soon").is_err() && parse_time("infs").is_err()
        );
    }
}
