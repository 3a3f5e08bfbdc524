//! The page: template, styles, script and data in one text.

use std::fmt::Write as _;

use super::{Language, Page};
use crate::analysis::graph::escaped;

const TEMPLATE: &str = include_str!("assets/page.html");
const STYLES: &str = concat!(
    include_str!("assets/page.css"),
    include_str!("assets/panels.css"),
);
/// What a page with the engine may do besides: run it, in a worker that the page writes itself.
const ALLOWED_TO_ENGINE: &str = " 'wasm-unsafe-eval' blob:; worker-src blob:";
/// Free moves and live lines, after [`SCRIPT`].
const ENGINE_SCRIPT: &str = include_str!("assets/engine.js");
/// Each file uses only those before it.
const SCRIPT: &str = concat!(
    include_str!("assets/words.js"),
    include_str!("assets/rules.js"),
    include_str!("assets/board.js"),
    include_str!("assets/graph.js"),
    include_str!("assets/panels.js"),
    include_str!("assets/match.js"),
    include_str!("assets/page.js"),
);

impl Page {
    /// The page as HTML.
    pub fn html(&self) -> String {
        self.html_with(None)
    }

    /// The page as HTML with `engine`, the script with the engine that `web/build.sh` makes.
    pub fn html_with(&self, engine: Option<&str>) -> String {
        let lang = match self.lang {
            Language::Ja => "ja",
            Language::En => "en",
        };
        // Parts in the order of the template, so that no text of the data is taken for a mark.
        let mut html = String::new();
        let mut rest = TEMPLATE;
        for (mark, text) in [
            ("{{lang}}", lang.to_owned()),
            (
                "{{allowed}}",
                engine.map_or_else(String::new, |_| ALLOWED_TO_ENGINE.to_owned()),
            ),
            ("{{title}}", escaped(&self.title)),
            ("{{styles}}", STYLES.to_owned()),
            ("{{data}}", json_text(self)),
            (
                "{{engine}}",
                engine.map_or_else(String::new, |engine| {
                    format!("<script>\n{engine}</script>\n")
                }),
            ),
            (
                "{{script}}",
                SCRIPT.to_owned() + engine.map_or("", |_| ENGINE_SCRIPT),
            ),
        ] {
            let Some((before, after)) = rest.split_once(mark) else {
                unreachable!("the template has {mark}");
            };
            html.push_str(before);
            html.push_str(&text);
            rest = after;
        }
        html.push_str(rest);
        html
    }
}

/// The JSON of a value, for a `script` element: nothing in it ends the element or opens a comment.
pub fn json_text(value: &impl serde::Serialize) -> String {
    // Numbers, texts, lists and structs of them: they always have a JSON.
    let json = serde_json::to_string(value).unwrap_or_default();
    let mut safe = String::with_capacity(json.len());
    for letter in json.chars() {
        match letter {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                // Writing to a string cannot fail.
                let _ = write!(safe, "\\u{:04x}", letter as u32);
            }
            letter => safe.push(letter),
        }
    }
    safe
}
