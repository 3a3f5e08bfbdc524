//! The folder of a run of `raicho spsa` after a kill between two writes.

use std::fs;

use serde_json::Value;

use super::spsa::{Folder, SKILL, engine, output_of, resume, run_in};

const ONE: [&str; 4] = ["--param", SKILL, "--iterations", "1"];

#[test]
fn settings_without_a_state_are_no_run() {
    let folder = Folder::new("half");
    fs::create_dir_all(folder.join("run")).expect("a folder");
    fs::write(folder.join("run/tuning.json"), "{").expect("a file");
    output_of(run_in(
        &folder,
        &engine("tuned"),
        &[&ONE[..], &["--resume"]].concat(),
    ));
    assert!(folder.text("run/spsa.json").contains("\"begun\": 1"));
}

/// An iteration without a result is played again, so its faults are not faults of the run.
#[test]
fn faults_of_unfinished_iterations_are_forgotten() {
    let folder = Folder::new("faults-again");
    output_of(run_in(&folder, &engine("tuned"), &ONE));
    let mut state: Value = serde_json::from_str(&folder.text("run/spsa.json")).expect("JSON");
    state["unfinished"] = vec![1].into();
    fs::write(folder.join("run/spsa.json"), state.to_string()).expect("a file");
    let fault = "{\"iteration\":1,\"game\":1,\"side\":\"plus\",\"reason\":\"hang\",\
                 \"detail\":\"\",\"values\":[]}\n";
    fs::write(folder.join("run/faults.jsonl"), fault).expect("a file");
    let output = output_of(resume(&folder, &[]));
    let said = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(
        said.contains("1 of 1 iteration") && !said.contains("lost by a fault"),
        "{said}"
    );
    assert_eq!(folder.text("run/faults.jsonl"), "");
}
