//! The configuration file of a client (TOML): servers, accounts, engines. It holds no passwords,
//! only where they come from.

use std::{num::NonZero, path::PathBuf};

use serde::Deserialize;

/// The configuration of a client. What the command line says wins.
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The accounts; the first is used unless another one is named.
    #[serde(rename = "account")]
    pub accounts: Vec<Account>,
}

/// An account, and how it plays. All fields but the name are optional.
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Account {
    /// Name on the server.
    pub name: String,
    /// `HOST` or `HOST:PORT`.
    pub host: Option<String>,
    /// Name of the game, such as `floodgate-300-10F`.
    pub game: Option<String>,
    /// File that holds the password in its first line.
    pub password_file: Option<PathBuf>,
    /// Environment variable that holds the password.
    pub password_variable: Option<String>,
    /// Number of games; without it, for ever.
    pub games: Option<NonZero<u64>>,
    /// Folder for journal, records and log.
    pub out: Option<PathBuf>,
    /// An engine as in `match`: `cmd=…,option.NAME=VALUE`.
    pub engine: Option<String>,
    /// USI options of the engine.
    pub options: toml::Table,
    /// Whether the engine ponders.
    pub ponder: Option<bool>,
    /// Whether scores and lines are sent.
    pub comments: Option<bool>,
    /// A score at or below minus this is bad, in centipawns.
    pub resign_score: Option<u32>,
    /// Own moves in a row with a bad score before the client resigns.
    pub resign_after: Option<NonZero<u32>>,
}

impl Config {
    /// Parses a file.
    ///
    /// # Errors
    /// It is not TOML, or has unknown fields.
    pub fn parse(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| error.to_string())
    }

    /// The account of this name, or the first.
    ///
    /// # Errors
    /// There is none, or several have the name.
    pub fn account(&self, name: Option<&str>) -> Result<&Account, String> {
        let Some(name) = name else {
            let first = self.accounts.first();
            return first.ok_or_else(|| "no [[account]]".to_owned());
        };
        let accounts = self.accounts.iter();
        let named: Vec<&Account> = accounts.filter(|account| account.name == name).collect();
        match named[..] {
            [account] => Ok(account),
            [] => {
                let known = self.accounts.iter().map(|account| account.name.as_str());
                let known = known.collect::<Vec<_>>().join(", ");
                Err(format!("no account {name}, the file has {known}"))
            }
            _ => {
                let count = named.len();
                Err(format!("{count} accounts are named {name}, expected one"))
            }
        }
    }
}

impl Account {
    /// The options as texts.
    ///
    /// # Errors
    /// An option is a table, a list, a date or a fraction.
    pub fn usi_options(&self) -> Result<Vec<(String, String)>, String> {
        let text = |(name, value): (&String, &toml::Value)| {
            let value = match value {
                toml::Value::String(text) => text.clone(),
                toml::Value::Integer(number) => number.to_string(),
                toml::Value::Boolean(is_on) => is_on.to_string(),
                _ => {
                    return Err(format!(
                        "option {name}: expected a text, a whole number, true or false"
                    ));
                }
            };
            Ok((name.clone(), value))
        };
        self.options.iter().map(text).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"
        [[account]]
        name = "raicho"
        host = "wdoor.c.u-tokyo.ac.jp:4081"
        game = "floodgate-300-10F"
        password_file = "raicho.password"
        ponder = true
        [account.options]
        USI_Hash = 1024
        EvalFile = "<embedded>"

        [[account]]
        name = "other"
    "#;

    #[test]
    fn accounts_are_found_by_name() {
        let config = Config::parse(FILE).expect("a good file");
        let first = config.account(None).expect("an account");
        assert_eq!((first.name.as_str(), first.ponder), ("raicho", Some(true)));
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            first.usi_options(),
            Ok(vec![pair("EvalFile", "<embedded>"), pair("USI_Hash", "1024")])
        );
        assert_eq!(config.account(Some("other")).expect("it is there").name, "other");
        let error = config.account(Some("third")).expect_err("no such account");
        assert_eq!(error, "no account third, the file has raicho, other");
    }

    #[test]
    fn faults_are_named() {
        let error = Config::parse("[[account]]\npassword = \"x\"").expect_err("no passwords here");
        assert!(error.contains("password"), "{error}");
        for line in ["games = 0", "resign_after = 0"] {
            assert!(Config::parse(&format!("[[account]]\n{line}")).is_err());
        }
        let twice = "[[account]]\nname = \"a\"\n".repeat(2);
        let twice = Config::parse(&twice).expect("TOML");
        let error = twice.account(Some("a")).expect_err("two accounts");
        assert_eq!(error, "2 accounts are named a, expected one");
        let config = Config::parse("[[account]]\noptions = { A = [1] }").expect("TOML");
        let options = config.accounts[0].usi_options();
        assert!(options.is_err_and(|error| error.starts_with("option A: expected a text")));
        let none = Config::default().account(None).err();
        assert_eq!(none.as_deref(), Some("no [[account]]"));
    }
}
