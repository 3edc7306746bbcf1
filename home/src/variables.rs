//! What the environment says: the `.env` files of the home under the real environment.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;

use crate::EnvFile;

/// Names and their values from several sources. An empty value counts as not set.
#[derive(Clone, Default)]
pub struct Variables {
    values: BTreeMap<String, String>,
}

impl Variables {
    /// Merges the files, of which a later one wins over an earlier, with the `real` environment, which
    /// wins over them all. An empty value wins over nothing.
    pub fn merge(files: &[&EnvFile], real: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let mut values = BTreeMap::new();
        for file in files {
            values.extend(file.iter().map(|(name, value)| (name.to_owned(), value.to_owned())));
        }
        // Bytes that are no text are kept as U+FFFD: whoever uses the value then shows it as it is wrong.
        let text = |os: OsString| os.to_string_lossy().into_owned();
        let set = real.into_iter().filter(|(_, value)| !value.is_empty());
        values.extend(set.map(|(name, value)| (text(name), text(value))));
        Self { values }
    }

    /// The value of `name`, if it is set.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    /// All that are set, with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.values.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

/// Shows the names alone: the values may be secrets.
impl fmt::Debug for Variables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.values.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt;

    use super::*;

    fn file(text: &str) -> EnvFile {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".env");
        std::fs::write(&path, text).unwrap();
        EnvFile::read(&path).unwrap()
    }

    #[test]
    fn the_real_environment_wins_over_the_files_and_the_later_file_over_the_earlier() {
        let (shared, own) = (file("A=1\nB=1\nC=1\nD=1\n"), file("B=2\nC=2\n"));
        let real = [("C", "3"), ("D", ""), ("E", "")].map(|(n, v)| (n.into(), v.into()));
        let variables = Variables::merge(&[&shared, &own], real);
        let got = ["A", "B", "C", "D", "E"].map(|name| variables.get(name));
        assert_eq!(got, [Some("1"), Some("2"), Some("3"), Some("1"), None]);
    }

    #[test]
    fn bytes_that_are_no_text_hide_nothing() {
        let real = [("A".into(), OsString::from_vec(b"x\xff".to_vec()))];
        assert_eq!(Variables::merge(&[], real).get("A"), Some("x\u{FFFD}"));
    }

    #[test]
    fn its_debug_form_shows_no_value() {
        assert_eq!(format!("{:?}", Variables::merge(&[&file("A=hunter2")], [])), r#"{"A"}"#);
    }
}
