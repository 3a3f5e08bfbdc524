//! The lines of a CSA client.
//!
//! A line that acts in a game can only be made by a `Turn`. The password is part of
//! `ClientLine::wire` only; `Display` and `Debug` blank it.

use std::{borrow::Cow, fmt, iter};

use super::turn::OwnAction;

/// Stands for a password.
const BLANK: &str = "****";
/// Shortest password that is blanked in what others say.
const SHORTEST_BLANKED: usize = 4;

/// A secret text. It is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(String);

impl Password {
    /// The password with this text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Whether it begins with the name of a game of shogi-server, as in `name-60-1,trip`.
    pub fn names_a_game(&self) -> bool {
        self.0.split_once(',').is_some_and(|(game, _)| is_game_name(game))
    }

    /// The text with the password blanked where it occurs: as a whole, and each of its parts
    /// between commas but the name of a game. What has few characters is not looked for: it occurs
    /// in ordinary words.
    pub(super) fn blanked<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let game = self.0.split(',').next().filter(|_| self.names_a_game());
        let secret = game.map_or(self.0.as_str(), |game| &self.0[game.len() + 1..]);
        let parts = secret.split(',').filter(|&part| part != secret);
        let mut text = Cow::Borrowed(text);
        for part in iter::once(secret).chain(parts) {
            if part.len() >= SHORTEST_BLANKED && text.contains(part) {
                text = Cow::Owned(text.replace(part, BLANK));
            }
        }
        text
    }

    /// The secret itself, for the connection only.
    pub(super) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(BLANK)
    }
}

/// Whether a text is the name of a game of shogi-server, as in `floodgate-300-10F`.
pub fn is_game_name(text: &str) -> bool {
    let mut parts = text.rsplit('-');
    let (clock, total) = (parts.next(), parts.next());
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let clock = clock.map(|clock| clock.trim_end_matches('F'));
    clock.is_some_and(is_number) && total.is_some_and(is_number) && parts.next().is_some()
}

/// A line to the server.
#[derive(PartialEq, Eq, Debug)]
pub enum ClientLine {
    /// `LOGIN name password`.
    Login {
        /// The name of the account.
        name: String,
        /// The game that the password begins with on shogi-server; empty for none.
        game: String,
        /// The password.
        password: Password,
        /// Resumes a game: `reconnect:GAMEID+TOKEN`.
        reconnect: Option<String>,
    },
    /// `LOGOUT`.
    Logout,
    /// `AGREE game`.
    Agree(String),
    /// `REJECT game`.
    Reject(String),
    /// A move, a resignation or a declaration.
    Act(OwnAction),
    /// An empty line, which keeps the connection alive.
    Blank,
}

impl ClientLine {
    /// The line as sent, without its line end.
    pub(super) fn wire(&self) -> String {
        match self {
            Self::Login { password, .. } => self.text(password.reveal()),
            _ => self.to_string(),
        }
    }

    fn text(&self, secret: &str) -> String {
        match self {
            Self::Login { name, game, reconnect, .. } => {
                let comma = if game.is_empty() { "" } else { "," };
                let reconnect = reconnect.as_ref().map(|game| format!(" reconnect:{game}"));
                let reconnect = reconnect.unwrap_or_default();
                format!("LOGIN {name} {game}{comma}{secret}{reconnect}")
            }
            Self::Logout => "LOGOUT".to_owned(),
            Self::Agree(game) => format!("AGREE {game}"),
            Self::Reject(game) => format!("REJECT {game}"),
            Self::Act(action) => action.to_string(),
            Self::Blank => String::new(),
        }
    }
}

/// The line with the password blanked.
impl fmt::Display for ClientLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(BLANK))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_password_is_only_on_the_wire() {
        let mut login = ClientLine::Login {
            name: "raicho".to_owned(),
            game: "floodgate-300-10F".to_owned(),
            password: Password::new("secret"),
            reconnect: None,
        };
        assert_eq!(login.wire(), "LOGIN raicho floodgate-300-10F,secret");
        assert_eq!(login.to_string(), "LOGIN raicho floodgate-300-10F,****");
        assert!(!format!("{login:?}").contains("secret"));
        if let ClientLine::Login { game, reconnect, .. } = &mut login {
            game.clear();
            *reconnect = Some("id+token".to_owned());
        }
        assert_eq!(login.wire(), "LOGIN raicho secret reconnect:id+token");
    }

    #[test]
    fn a_password_that_a_server_repeats_is_blanked() {
        let password = Password::new("floodgate-300-10F,a,secret");
        assert_eq!(
            password.blanked("##[ERROR] LOGIN x floodgate-300-10F,a,secret"),
            "##[ERROR] LOGIN x floodgate-300-10F,****"
        );
        assert_eq!(Password::new("OK").blanked("LOGIN:x OK"), "LOGIN:x OK");
        for secret in ["sesame,", "sesame,open", ",sesame", "a-60-1,sesame,", "sesame,a,b"] {
            let text = Password::new(secret).blanked("LOGIN x sesame").into_owned();
            assert_eq!(text, "LOGIN x ****", "{secret}");
            let text = format!("LOGIN x {secret}");
            let text = Password::new(secret).blanked(&text).into_owned();
            assert!(!text.contains("sesame"), "{secret}: {text}");
        }
    }

    #[test]
    fn games_before_the_password_are_known() {
        for (text, expected) in [
            ("floodgate-300-10F,trip", true),
            ("x-y-60-1,a,b", true),
            ("trip", false),
            ("a-60,trip", false),
            ("60-1,trip", false),
        ] {
            assert_eq!(Password::new(text).names_a_game(), expected, "{text}");
        }
    }

    #[test]
    fn other_lines_have_no_secrets() {
        assert_eq!(ClientLine::Agree("id".to_owned()).wire(), "AGREE id");
        assert_eq!(ClientLine::Reject("id".to_owned()).wire(), "REJECT id");
        assert_eq!(ClientLine::Logout.wire(), "LOGOUT");
        assert_eq!(ClientLine::Blank.wire(), "");
    }
}
