//! Where a name is defined, by how the languages write definitions.

use std::path::Path;
use std::time::Duration;

use regex::Regex;

use super::file::File;
use super::search::Files;

/// How one language writes a definition of `NAME`; the first group is its kind, or it is a function.
struct Language {
    endings: &'static [&'static str],
    forms: &'static [&'static str],
    /// Whether a definition ends where the indentation does, and not at a brace.
    is_indented: bool,
}

const LANGUAGES: [Language; 5] = [
    Language {
        endings: &["c", "h", "cc", "cpp", "hpp"],
        forms: &[
            r"^(struct|enum|union|class)\s+NAME\b[^;]*$",
            r"^#define\s+NAME\b",
            r"^[A-Za-z_][\w\s\*&:<>,]*[\s\*&:]NAME\s*\([^;]*$",
        ],
        is_indented: false,
    },
    Language {
        endings: &["py"],
        forms: &[r"^\s*(class)\s+NAME\b", r"^\s*(?:async\s+)?def\s+NAME\b"],
        is_indented: true,
    },
    Language {
        endings: &["rs"],
        forms: &[
            r"^\s*(?:pub(?:\([^)]*\))?\s+)?(struct|enum|union|trait|type|mod|const|static)\s+NAME\b",
            r#"^\s*(?:pub(?:\([^)]*\))?\s+)?(?:(?:async|const|unsafe|extern|"C")\s+)*fn\s+NAME\b"#,
            r"^\s*(macro)_rules!\s+NAME\b",
        ],
        is_indented: false,
    },
    Language {
        endings: &["js", "mjs", "jsx", "ts", "tsx"],
        forms: &[
            r"^\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?function\s*\*?\s*NAME\b",
            r"^\s*(?:export\s+)?(?:default\s+)?(class|interface|type|enum)\s+NAME\b",
            r"^\s*(?:export\s+)?(?:const|let|var)\s+NAME\s*=\s*(?:async\s*)?(?:function|\([^)]*\)\s*=>|\w+\s*=>)",
        ],
        is_indented: false,
    },
    Language {
        endings: &["go"],
        forms: &[r"^func\s+(?:\([^)]*\)\s*)?NAME\b", r"^(type)\s+NAME\b"],
        is_indented: false,
    },
];

/// The first file and line that define `name`, found in at most `limit`.
///
/// # Errors
/// When no file does, or none was found in time.
pub(super) fn find(project: &Path, name: &str, limit: Duration) -> Result<(String, usize), String> {
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let mut files = Files::of(project, "*", limit)?;
    if is_name {
        for path in files.by_ref() {
            if language(&path).is_none() {
                continue;
            }
            let Ok(file) = File::read(project, &path) else { continue };
            if let Some((_, first, _)) = within(&file, &path, name) {
                return Ok((path, first));
            }
        }
    }
    if let Some(stopped) = files.stopped() {
        return Err(format!(
            "No definition of {name:?} was found: {stopped}. Use search with a glob."
        ));
    }
    Err(format!(
        "No definition of {name:?} was found (C, Python, Rust, JavaScript and Go are looked through)."
    ))
}

/// The kind, the first and the last line of the definition of `name` in `file`.
pub(super) fn within(file: &File, path: &str, name: &str) -> Option<(String, usize, usize)> {
    let language = language(path)?;
    let forms: Vec<Regex> = language
        .forms
        .iter()
        .filter_map(|form| Regex::new(&form.replace("NAME", &regex::escape(name))).ok())
        .collect();
    let lines: Vec<&str> = file.all().collect();
    for (at, line) in lines.iter().enumerate() {
        let Some(found) = forms.iter().find_map(|form| form.captures(line)) else { continue };
        let kind = found.get(1).map_or("function", |kind| kind.as_str());
        let length = match language.is_indented {
            true => indented(&lines[at..]),
            false => braced(&lines[at..]),
        };
        return Some((kind.to_owned(), at + 1, at + length));
    }
    None
}

fn language(path: &str) -> Option<&'static Language> {
    let ending = Path::new(path).extension()?.to_str()?;
    LANGUAGES.iter().find(|language| language.endings.contains(&ending))
}

/// How many lines a definition has that ends with its indentation.
fn indented(lines: &[&str]) -> usize {
    let depth = |line: &str| line.len() - line.trim_start().len();
    let own = lines.first().map_or(0, |line| depth(line));
    let inner = |line: &&str| {
        line.trim().is_empty() || depth(line) > own || line.trim_start().starts_with(')')
    };
    let all = 1 + lines.iter().skip(1).take_while(|line| inner(line)).count();
    let empty = lines[..all].iter().rev().take_while(|line| line.trim().is_empty()).count();
    all - empty
}

/// How many lines a definition has that ends with its brace, or, before any, with a semicolon.
fn braced(lines: &[&str]) -> usize {
    let mut depth = 0_i32;
    for (at, line) in lines.iter().enumerate() {
        let mut quote = None;
        let mut characters = line.chars().peekable();
        while let Some(c) = characters.next() {
            match (quote, c) {
                (Some(_), '\\') => drop(characters.next()),
                (Some(open), c) if c == open => quote = None,
                (Some(_), _) => {}
                (None, '"' | '`') => quote = Some(c),
                // A character, and not the beginning of a lifetime's name.
                (None, '\'') => {
                    let mut ahead = characters.clone();
                    if matches!((ahead.next(), ahead.next()), (Some(_), Some('\''))) {
                        characters = ahead;
                    }
                }
                (None, '/') if characters.peek() == Some(&'/') => break,
                (None, '{') => depth += 1,
                (None, '}') => {
                    depth -= 1;
                    if depth <= 0 {
                        return at + 1;
                    }
                }
                (None, ';') if depth == 0 => return at + 1,
                _ => {}
            }
        }
        // A definition of one line, as `#define` is.
        if depth == 0 && at == 0 && line.starts_with('#') {
            return 1;
        }
    }
    lines.len().min(1)
}
