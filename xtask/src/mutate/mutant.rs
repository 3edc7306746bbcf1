//! A control, and how it is switched off.

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use xshell::Shell;

use super::suite::{self, Suite};

/// The controls of the wall, and those of the pages.
const FILES: [&str; 2] = ["tests/hostile/mutants.toml", "tests/page/mutants.toml"];

/// One control of the wall or of a page.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Mutant {
    /// What it holds back, in words.
    pub(crate) control: String,
    /// The rule of the wall that it belongs to, if it is the wall's.
    pub(crate) rule: Option<u8>,
    /// Where it stands.
    pub(crate) file: String,
    /// Its text, which must stand there once.
    pub(crate) find: String,
    /// What stands there when it is off.
    pub(crate) replace: String,
    /// What is run: the hostile suite, unless a test is named.
    #[serde(default)]
    pub(crate) suite: Suite,
    /// The classes of cases of the hostile suite that must notice.
    #[serde(default)]
    pub(crate) classes: Vec<String>,
    /// The cases that must notice, by words of their names.
    #[serde(default)]
    pub(crate) cases: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Mutants {
    mutant: Vec<Mutant>,
}

impl Mutant {
    /// All of them.
    ///
    /// # Errors
    /// When a file can't be read.
    pub(crate) fn read_all(sh: &Shell) -> Result<Vec<Self>> {
        let mut all = Vec::new();
        for file in FILES {
            let mutants: Mutants = toml::from_str(&sh.read_file(file)?).context(file)?;
            all.extend(mutants.mutant);
        }
        Ok(all)
    }

    /// Whether one of the picks is its place (a rule's number, or `page`) or stands in its words.
    pub(crate) fn is_picked(&self, picks: &[String]) -> bool {
        let place = self.place();
        let is = |pick: &String| {
            let is_words = pick.parse::<u8>().is_err();
            *pick == place || (is_words && self.control.contains(pick.as_str()))
        };
        picks.is_empty() || picks.iter().any(is)
    }

    /// `text` with the control switched off.
    ///
    /// # Errors
    /// When the control does not stand there exactly once.
    pub(crate) fn applied_to(&self, text: &str) -> Result<String> {
        let (control, file) = (&self.control, &self.file);
        let count = text.matches(&self.find).count();
        ensure!(count == 1, "{control:?}: its text stands {count} times in {file}, not once");
        ensure!(self.find != self.replace, "{control:?}: it changes nothing");
        Ok(text.replacen(&self.find, &self.replace, 1))
    }

    /// Its rule's number, or a word for the pages.
    pub(crate) fn place(&self) -> String {
        self.rule.map_or_else(|| "page".to_owned(), |rule| rule.to_string())
    }

    /// What the suite is started with.
    pub(crate) fn arguments(&self) -> Vec<String> {
        suite::arguments(&self.classes, &self.cases)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::path::Path;

    use super::*;

    #[test]
    fn every_control_stands_where_its_mutant_says() {
        let sh = Shell::new().unwrap();
        sh.change_dir(Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap());
        let mutants = Mutant::read_all(&sh).unwrap();
        let mut wrong = Vec::new();
        for mutant in &mutants {
            let applied = sh.read_file(&mutant.file).map_err(Into::into);
            wrong.extend(applied.and_then(|text| mutant.applied_to(&text)).err());
            for class in &mutant.classes {
                assert!(sh.path_exists(format!("tests/hostile/cases/{class}.toml")), "{class}");
            }
            assert!(!mutant.arguments().is_empty(), "{}: it names no cases", mutant.control);
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
        let picked = |picks: [&str; 1]| {
            let picks = picks.map(str::to_owned);
            mutants.iter().filter(|mutant| mutant.is_picked(&picks)).count()
        };
        let of_pages = mutants.iter().filter(|mutant| mutant.rule.is_none()).count();
        assert_eq!((picked(["page"]), picked(["strangers make room"])), (of_pages, 1));
        let names: HashSet<&String> = mutants.iter().map(|mutant| &mutant.control).collect();
        assert_eq!(names.len(), mutants.len(), "two controls have the same words");
    }
}
