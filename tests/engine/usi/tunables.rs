//! The numbers of the search as options, which only an executable with the feature `tune` offers.

#[cfg(not(feature = "tune"))]
use crate::runner::raicho;

#[cfg(not(feature = "tune"))]
#[test]
fn ordinary_executable_offers_none_and_says_how_to_build_one() {
    let lines = super::driver::Driver::start_with(&["usi"]).replies("usi");
    assert!(
        lines
            .iter()
            .any(|line| line.starts_with("option name FV_SCALE "))
    );
    assert!(
        !lines.iter().any(|line| line.contains("rfp_margin")),
        "{lines:#?}"
    );
    let said = raicho!("usi --tunables").refused();
    assert!(said.contains("--features tune"), "{said}");
}

#[cfg(feature = "tune")]
mod offered {
    use super::super::driver::{Driver, count};

    const NAME: &str = "rfp_margin_per_depth";
    const DEPTH: &str = "position startpos moves 7g7f 3c3d\ngo depth 8";

    fn start(arguments: &[&str]) -> Driver {
        let mut driver = Driver::start_with(arguments);
        driver.send("setoption name USI_Hash value 2\nsetoption name Threads value 1\nisready");
        driver.until("readyok");
        driver
    }

    /// The nodes of a search to a fixed depth, in a new game.
    fn nodes(driver: &mut Driver) -> String {
        driver.send("isready");
        driver.until("readyok");
        driver.send(DEPTH);
        let lines = driver.until("bestmove ");
        let last = lines.iter().rfind(|line| line.contains(" nodes "));
        let mut words = last.expect("a line with nodes").split(' ');
        words.find(|&word| word == "nodes");
        words.next().expect("a number").to_owned()
    }

    #[test]
    fn each_is_an_option_that_the_search_reads() {
        let mut driver = start(&["usi"]);
        driver.send("usi");
        let lines = driver.until("usiok");
        let option = format!("option name {NAME} type spin default ");
        assert_eq!(count(&lines, &option), 1, "{lines:#?}");
        let default = lines.iter().find_map(|line| {
            let numbers = line.strip_prefix(&option)?;
            numbers.strip_suffix(" min 30 max 200")
        });
        let default = default.expect("a default and the range of the table");
        let before = nodes(&mut driver);
        driver.send(&format!("setoption name {NAME} value 200"));
        let message = format!("getoption {NAME}");
        assert_eq!(driver.replies(&message), [format!("{NAME} = 200")]);
        assert_ne!(nodes(&mut driver), before);
        let errors = driver.replies(&format!("setoption name {NAME} value 201"));
        assert!(
            errors[0].contains("\"201\" for option rfp_margin_per_depth, allowed are 30 to 200"),
            "{errors:?}"
        );
        driver.send(&format!("setoption name {NAME} value {default}"));
        assert_eq!(nodes(&mut driver), before);
    }
}
