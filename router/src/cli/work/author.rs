//! Who commits: the owner's name and address of their own git settings, so that a commit at the workbench works.

use std::fs;

/// The variables that tell git, where the owner has told git before.
pub(super) fn variables() -> Vec<(String, String)> {
    let Some(home) = std::env::home_dir() else { return Vec::new() };
    let places = [home.join(".gitconfig"), home.join(".config/git/config")];
    let texts = places.iter().filter_map(|place| fs::read_to_string(place).ok());
    let mut variables = vec![("GIT_CONFIG_COUNT".to_owned(), "1".to_owned())];
    // Inside, the folder belongs to another number than git expects where root runs the router.
    variables.push(("GIT_CONFIG_KEY_0".to_owned(), "safe.directory".to_owned()));
    variables.push(("GIT_CONFIG_VALUE_0".to_owned(), "*".to_owned()));
    for (key, value) in texts.flat_map(|text| user(&text)) {
        for who in ["AUTHOR", "COMMITTER"] {
            variables.push((format!("GIT_{who}_{}", key.to_ascii_uppercase()), value.clone()));
        }
    }
    variables
}

/// `name` and `email` of the section `[user]` (git-config(1)).
fn user(text: &str) -> Vec<(String, String)> {
    let mut is_user = false;
    let mut found = Vec::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            is_user = line.eq_ignore_ascii_case("[user]");
        } else if let Some((key, value)) = line.split_once('=').filter(|_| is_user) {
            let (key, value) = (key.trim().to_ascii_lowercase(), value.trim().trim_matches('"'));
            if ["name", "email"].contains(&key.as_str()) && !value.is_empty() {
                found.push((key, value.to_owned()));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_and_address_are_read_and_nothing_else() {
        let text = "[core]\n\tname = x\n[user]\n\tname = \"Ada L\"\n\temail=ada@example.org\n\tsigningkey = k\n[alias]\nname = y\n";
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        assert_eq!(user(text), [pair("name", "Ada L"), pair("email", "ada@example.org")]);
    }
}
