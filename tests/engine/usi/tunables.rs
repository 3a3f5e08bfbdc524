//! The numbers of the search as options, which only an executable with the feature `tune` offers.

#[cfg(feature = "tune")]
use super::driver::nodes_of;
use super::driver::{Driver, must_count};
use crate::runner::Text;
#[cfg(not(feature = "tune"))]
use crate::runner::raicho;

#[cfg(not(feature = "tune"))]
#[test]
fn ordinary_executable_offers_none_and_says_how_to_build_one() {
    let lines = Driver::ready_with("usi").replies("usi");
    must_count(&lines, 1, "option name FV_SCALE ");
    lines.join("\n").must_lack("rfp_margin");
    raicho!("usi --tunables").refuses("--features tune");
}

#[cfg(feature = "tune")]
#[test]
fn each_is_an_option_that_the_search_reads() {
    const NAME: &str = "rfp_margin_per_depth";
    let nodes = |driver: &mut Driver| {
        driver.is_ready();
        nodes_of(driver, "position startpos moves 7g7f 3c3d\ngo depth 8")
    };
    let mut driver = Driver::ready_with("usi --tunables");
    let lines = driver.ask("usi", "usiok");
    let option = format!("option name {NAME} type spin default ");
    must_count(&lines, 1, &option);
    let default = lines.iter().find_map(|line| {
        let numbers = line.strip_prefix(&option)?;
        numbers.strip_suffix(" min 30 max 200")
    });
    let default = default.expect("a default and the range of the table");
    let before = nodes(&mut driver);
    driver.set(NAME, 200);
    let expected = [format!("{NAME} = 200")];
    assert_eq!(driver.replies(&format!("getoption {NAME}")), expected);
    assert_ne!(nodes(&mut driver), before);
    let errors = driver.replies(&format!("setoption name {NAME} value 201"));
    errors[0].must_have(format!("\"201\" for option {NAME}, allowed are 30 to 200"));
    driver.set(NAME, default);
    assert_eq!(nodes(&mut driver), before);
}
