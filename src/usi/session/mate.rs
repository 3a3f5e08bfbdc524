//! `go mate`.

use std::time::Duration;

use super::Session;
use crate::engine::{MateAnswer, MateReport};
use crate::usi::command::MateLimit;
use crate::usi::response::Response;
use crate::util::system::Instant;

impl Session {
    /// Starts the mate solver. After a refused position the answer is `timeout`: nothing is known.
    pub(super) fn search_mate(&mut self, limit: MateLimit, read_at: Instant, is_refused: bool) {
        if is_refused {
            self.output.send(&Response::Checkmate(MateAnswer::Timeout));
            return;
        }
        let time = match limit {
            MateLimit::Infinite => None,
            MateLimit::Milliseconds(milliseconds) => Some(Duration::from_millis(milliseconds)),
        };
        let output = self.output.clone();
        let report = move |report| {
            output.send(&match report {
                MateReport::Info(info) => Response::MateInfo(info),
                MateReport::Note(text) => Response::Note(text),
                MateReport::Done(answer) => Response::Checkmate(answer),
            });
        };
        self.engine.go_mate(read_at, time, Box::new(report));
    }
}
