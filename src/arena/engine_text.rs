//! The text that describes an engine on a command line, such as
//! `cmd=./engine,name=new,option.USI_Hash=64,tc=10+0.1`.
//!
//! Parts are separated by commas; a comma inside a value is written `\,`.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::settings::EngineSettings;
use super::time_control::{TimeControl, parse_base_and_increment, parse_duration};
use crate::usi::client::Program;
use crate::util::{free_name, parse_positive};

/// The content of an engine text; parts that are missing have the default of their type.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EngineText {
    /// `cmd=`: the program, optionally followed by arguments.
    pub command: Option<String>,
    /// `name=`: the name in the match.
    pub name: Option<String>,
    /// `args=`: arguments of the program, separated by spaces.
    pub arguments: Vec<String>,
    /// `dir=`: working directory, `None` for that of this process.
    pub directory: Option<PathBuf>,
    /// `env.NAME=`: environment variables, in their order in the text.
    pub environment: Vec<(String, String)>,
    /// `option.NAME=`: USI options, in the order in which they are set.
    pub options: Vec<(String, String)>,
    /// `tc=`, `byoyomi=`, `movetime=`, `nodes=`, `depth=` and `nodes-time=`.
    pub time_control: TimeControl,
}

const KEYS: &str = "expected cmd=PROGRAM, name=NAME, args=WORDS, dir=FOLDER, env.NAME=VALUE, \
    option.NAME=VALUE, tc=BASE+INCREMENT, byoyomi=TIME, movetime=TIME, nodes=N, depth=N or \
    nodes-time=N";

impl FromStr for EngineText {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut engine = Self::default();
        for part in parts(text).iter().filter(|part| !part.trim().is_empty()) {
            let wrong = |expected: String| format!("'{part}' in the engine '{text}': {expected}");
            let (key, value) = part.split_once('=').ok_or_else(|| wrong(KEYS.to_owned()))?;
            engine
                .set(key.trim(), value)
                .map_err(|expected| wrong(expected.unwrap_or_else(|| KEYS.to_owned())))?;
        }
        Ok(engine)
    }
}

impl EngineText {
    /// Sets the field `key`. The error says what was expected, `None` if the key is unknown.
    fn set(&mut self, key: &str, value: &str) -> Result<(), Option<String>> {
        let control = &mut self.time_control;
        match key {
            "cmd" => self.command = Some(value.to_owned()),
            "name" => self.name = Some(value.trim().to_owned()),
            "args" => self.arguments = value.split_whitespace().map(str::to_owned).collect(),
            "dir" => self.directory = Some(PathBuf::from(value)),
            "tc" => {
                (control.base, control.increment) =
                    parse_base_and_increment(value).map_err(Some)?;
            }
            "byoyomi" => control.byoyomi = parse_duration(value).map_err(Some)?,
            "movetime" => control.movetime = Some(parse_duration(value).map_err(Some)?),
            "nodes" => control.nodes = Some(parse_positive(value).map_err(Some)?),
            "depth" => control.depth = Some(parse_positive(value).map_err(Some)?),
            "nodes-time" => control.nodes_time = Some(parse_positive(value).map_err(Some)?),
            _ => match key.split_once('.') {
                Some(("option", name)) if !name.is_empty() => {
                    self.options.retain(|(set, _)| set != name);
                    self.options.push((name.to_owned(), value.to_owned()));
                }
                Some(("env", name)) if !name.is_empty() => {
                    self.environment.push((name.to_owned(), value.to_owned()));
                }
                _ => return Err(None),
            },
        }
        Ok(())
    }

    /// This text, with everything that it leaves out taken from `each`.
    #[must_use]
    pub fn or(mut self, each: &Self) -> Self {
        self.command = self.command.or_else(|| each.command.clone());
        if self.arguments.is_empty() {
            self.arguments.clone_from(&each.arguments);
        }
        self.directory = self.directory.or_else(|| each.directory.clone());
        let own = |list: &[(String, String)], name: &str| list.iter().any(|(set, _)| set == name);
        for (inherited, list) in [
            (&each.options, &mut self.options),
            (&each.environment, &mut self.environment),
        ] {
            let mut all: Vec<_> = inherited
                .iter()
                .filter(|(name, _)| !own(list, name))
                .cloned()
                .collect();
            all.append(list);
            *list = all;
        }
        self.time_control = each.time_control.overridden_by(self.time_control);
        self
    }

    /// The program with its arguments; `None` without a command.
    pub fn program(&self) -> Option<Program> {
        let command = self.command.as_deref()?;
        if command.trim().is_empty() {
            return None;
        }
        let (path, mut arguments) = split_command(command);
        arguments.extend(self.arguments.iter().cloned());
        Some(Program {
            path,
            arguments,
            directory: self.directory.clone(),
            environment: self.environment.clone(),
        })
    }

    /// The settings of the engines. Engines without a name are named after their program, with a
    /// number where necessary.
    ///
    /// # Errors
    /// The message says which engine has no command or no time control, or which name occurs twice.
    pub fn engines(texts: &[Self]) -> Result<Vec<EngineSettings>, String> {
        let mut engines: Vec<EngineSettings> = Vec::new();
        for (index, text) in texts.iter().enumerate() {
            let number = index + 1;
            let program = text
                .program()
                .ok_or_else(|| format!("engine {number} has no command, expected cmd=PROGRAM"))?;
            if text.time_control.is_empty() {
                let command = text.command.as_deref().unwrap_or_default();
                return Err(format!(
                    "engine {number} ({command}) has no time control (--tc 0+0 is none), \
                    expected --tc, --nodes, --depth, byoyomi= or movetime="
                ));
            }
            if text.time_control.nodes_time.is_some() && !text.time_control.has_clock() {
                return Err(format!(
                    "engine {number} has nodes-time= without a clock, expected --tc or byoyomi= too"
                ));
            }
            let is_taken = |name: &str| engines.iter().any(|engine| engine.name == name);
            let name = match &text.name {
                Some(name) if is_taken(name) => {
                    return Err(format!("two engines have the name {name}"));
                }
                Some(name) if !name.is_empty() => name.clone(),
                _ => {
                    let path = &program.path;
                    let stem = path.file_stem().unwrap_or(path.as_os_str());
                    free_name(&stem.to_string_lossy(), is_taken)
                }
            };
            engines.push(EngineSettings {
                name,
                program,
                options: text.options.clone(),
                time_control: text.time_control,
            });
        }
        Ok(engines)
    }
}

/// Splits a command into the program and its arguments, unless the whole command is a file.
fn split_command(command: &str) -> (PathBuf, Vec<String>) {
    if Path::new(command).exists() {
        return (PathBuf::from(command), Vec::new());
    }
    let mut words = command.split_whitespace();
    let program = words.next().unwrap_or(command);
    (PathBuf::from(program), words.map(str::to_owned).collect())
}

/// Splits at commas that are not preceded by a backslash.
fn parts(text: &str) -> Vec<String> {
    let (mut parts, mut part) = (Vec::new(), String::new());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' if characters.peek() == Some(&',') => part.extend(characters.next()),
            ',' => parts.push(std::mem::take(&mut part)),
            _ => part.push(character),
        }
    }
    parts.push(part);
    parts
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn every_part_is_read() {
        let engine: EngineText =
            "cmd=./engine,name=new,args=--quiet x,dir=/tmp,env.A=b,option.EvalDir=a\\,b=c,\
             option.Threads=2,tc=10+0.1,byoyomi=500ms"
                .parse()
                .unwrap();
        assert_eq!(engine.command.as_deref(), Some("./engine"));
        assert_eq!(engine.name.as_deref(), Some("new"));
        assert_eq!(engine.arguments, ["--quiet", "x"]);
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(engine.environment, [pair("A", "b")]);
        assert_eq!(
            engine.options,
            [pair("EvalDir", "a,b=c"), pair("Threads", "2")]
        );
        assert_eq!(engine.time_control.base, Duration::from_secs(10));
        assert_eq!(engine.time_control.byoyomi, Duration::from_millis(500));
    }

    #[test]
    fn errors_name_the_part() {
        for (text, part) in [
            ("cmd=a,hash=3", "'hash=3'"),
            ("cmd=a,oops", "'oops'"),
            ("cmd=a,nodes=0", "'nodes=0'"),
            ("cmd=a,tc=1+x", "'x' is no time"),
            ("cmd=a,option.=1", "'option.=1'"),
        ] {
            let error = text.parse::<EngineText>().unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn what_is_not_said_comes_from_each() {
        let each: EngineText = "option.Threads=1,option.USI_Hash=16,nodes=5000"
            .parse()
            .unwrap();
        let own: EngineText = "cmd=x,option.Threads=2".parse().unwrap();
        let engine = own.or(&each);
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            engine.options,
            [pair("USI_Hash", "16"), pair("Threads", "2")]
        );
        assert_eq!(engine.time_control.nodes, Some(5000));
    }

    #[test]
    fn names_differ_and_commands_are_needed() {
        let text = |text: &str| text.parse::<EngineText>().unwrap();
        let engines = EngineText::engines(&[text("cmd=bin/a,depth=1"), text("cmd=bin/a,depth=2")]);
        let names: Vec<String> = engines.unwrap().into_iter().map(|e| e.name).collect();
        assert_eq!(names, ["a", "a-2"]);
        assert!(EngineText::engines(&[text("name=a,depth=1")]).is_err());
        assert!(EngineText::engines(&[text("cmd=a")]).is_err());
        assert!(
            EngineText::engines(&[text("cmd=a,name=x,depth=1"), text("cmd=b,name=x,depth=1")])
                .is_err()
        );
    }
}
