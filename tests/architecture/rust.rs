//! As much of Rust's grammar as the other files need, on text that rustfmt has laid out.

/// Every path that the text reaches through `crate::` or `super::`, from the crate root, with its
/// line number.
pub(crate) fn crate_paths(module: &[&str], text: &str) -> Vec<(usize, Vec<String>)> {
    let lines = code_lines(text);
    let nested = inline_modules(&lines);
    let mut found = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        for (keyword, position) in ["crate::", "super::"]
            .iter()
            .flat_map(|word| word_positions(line, word).map(move |position| (*word, position)))
        {
            let mut prefix: Vec<String> = Vec::new();
            if keyword == "super::" {
                prefix.extend(module.iter().map(ToString::to_string));
                prefix.extend(nested[index].iter().cloned());
                prefix.pop();
            }
            // A `use` can go on over the next lines.
            let mut rest = line[position + keyword.len()..].to_string();
            for next in &lines[index + 1..] {
                rest.push(' ');
                rest.push_str(next);
                if next.contains(';') {
                    break;
                }
            }
            let mut leaves = Vec::new();
            use_tree(&rest, prefix, &mut leaves);
            found.extend(leaves.into_iter().map(|leaf| (index + 1, leaf.path)));
        }
    }
    found
}

/// The end of one branch of a `use`.
pub(crate) struct Leaf {
    pub(crate) path: Vec<String>,
    /// What `as` calls it.
    pub(crate) alias: Option<String>,
}

impl Leaf {
    /// The name that it brings into scope, `*` for all.
    pub(crate) fn name(&self) -> &str {
        let last = self.path.last().map_or("*", String::as_str);
        self.alias.as_deref().unwrap_or(last)
    }
}

/// Reads one tree such as `a::{b, c::d as e}` from the start of the text and returns what follows
/// it.
pub(crate) fn use_tree<'a>(text: &'a str, mut path: Vec<String>, out: &mut Vec<Leaf>) -> &'a str {
    let mut text = text.trim_start();
    loop {
        if let Some(mut group) = text.strip_prefix('{') {
            loop {
                group = group.trim_start().trim_start_matches(',').trim_start();
                if group.is_empty() || group.starts_with('}') {
                    return group.strip_prefix('}').unwrap_or(group);
                }
                let after = use_tree(group, path.clone(), out);
                group = &after[after.find([',', '}']).unwrap_or(after.len())..];
            }
        }
        let (name, rest) = leading_name(text);
        match name {
            "" => break,
            "self" => {}
            "super" => drop(path.pop()),
            name => path.push(name.to_string()),
        }
        text = rest;
        match text.strip_prefix("::") {
            Some(rest) => text = rest.trim_start(),
            None => break,
        }
    }
    let renamed = text.trim_start().strip_prefix("as ");
    let alias = renamed.map(|renamed| leading_name(renamed).0.to_string());
    out.push(Leaf { path, alias });
    text
}

/// The name at the start of the text, which can be empty, and what follows it.
pub(crate) fn leading_name(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
    text.split_at(end.unwrap_or(text.len()))
}

/// The lines without comments and without the contents of string literals.
pub(crate) fn code_lines(text: &str) -> Vec<String> {
    let code = |line: &str| {
        let mut out = String::new();
        let mut in_string = false;
        let mut characters = line.chars().peekable();
        let mut last = ' ';
        while let Some(character) = characters.next() {
            match character {
                '\\' if in_string => drop(characters.next()),
                '"' if last == '\'' && characters.peek() == Some(&'\'') => {}
                '"' => in_string = !in_string,
                _ if in_string => {}
                '/' if characters.peek() == Some(&'/') => break,
                _ => out.push(character),
            }
            last = character;
        }
        out
    };
    text.lines().map(code).collect()
}

/// For each line, the names of the inline modules around it. Relies on rustfmt: `mod name {` ends
/// at its own indent.
pub(crate) fn inline_modules(lines: &[String]) -> Vec<Vec<String>> {
    let mut open: Vec<(usize, String)> = Vec::new();
    let mut around = Vec::new();
    for line in lines {
        let code = line.trim_start();
        let indent = line.len() - code.len();
        if code.trim_end() == "}" && open.last().is_some_and(|(at, _)| *at == indent) {
            open.pop();
        }
        around.push(open.iter().map(|(_, name)| name.clone()).collect());
        let words: Vec<&str> = code.split_whitespace().collect();
        if let ["mod", name, "{"] | [_, "mod", name, "{"] = words[..] {
            open.push((indent, name.to_string()));
        }
    }
    around
}

/// Where `word` stands in the line and is not the end of a longer name or path.
pub(crate) fn word_positions<'a>(line: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let starts_alone = |position: &usize| {
        let before = line[..*position].chars().next_back();
        before
            .is_none_or(|c| !c.is_alphanumeric() && c != '_' && (c != ':' || !word.ends_with("::")))
    };
    line.match_indices(word)
        .map(|(position, _)| position)
        .filter(starts_alone)
}
