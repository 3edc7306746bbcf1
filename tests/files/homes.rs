//! Where the home is, and what is written there.

use super::*;

/// Where a program works that this script, in which it is `$1`, starts with these options.
fn place(user: &TempHome, script: &str, options: &str, variables: &[(&str, &str)]) -> String {
    let script = format!("{script} agent config max_steps 20 {options}");
    let mut shell = Chat::start("sh", &["-c", &script, "sh", SAFECLAW], user.root(), variables);
    assert!(shell.end().success(), "{}", shell.stderr());
    let said = shell.stdout();
    let path = said.trim().rsplit(' ').next().unwrap();
    path.strip_suffix("/agent/config.json").unwrap().to_owned()
}

#[test]
fn each_way_to_name_one_wins_over_the_next() {
    let (user, named) = (TempHome::new(), TempHome::new());
    let root = user.root().display().to_string();
    let elsewhere = named.root().display().to_string();
    let script = "mkdir -p here/workspace here/router && cd here && \"$1\"";
    let named_by_variable = [("SAFECLAW_HOME", elsewhere.as_str())];
    let option = format!("--home '{root}/option'");
    assert_eq!(place(&user, script, &option, &named_by_variable), format!("{root}/option"));
    assert_eq!(place(&user, script, "", &named_by_variable), elsewhere);
    assert_eq!(place(&user, script, "", &[("SAFECLAW_HOME", "")]), format!("{root}/here"));
    assert_eq!(place(&user, "\"$1\"", "", &[]), format!("{root}/.local/share/safeclaw"));
    let data = format!("{elsewhere}/data");
    let chosen = place(&user, "\"$1\"", "", &[("XDG_DATA_HOME", &data)]);
    assert_eq!(chosen, format!("{data}/safeclaw"));
}

#[test]
fn a_file_is_no_home() {
    let home = TempHome::new();
    home.put("file", "");
    let script = "exec \"$1\" --home file";
    let mut chat = Chat::start("sh", &["-c", script, "sh", SAFECLAW], home.root(), &[]);
    assert_eq!(chat.wait().code(), Some(1));
    chat.expect_on_stderr("is not a folder: give --home (or SAFECLAW_HOME) a folder");
}

#[test]
fn what_is_missing_is_written_and_no_secrets_file_is_made() {
    let home = TempHome::new();
    chat(&home).ask("/status", "workspace:");
    for file in [
        "agent/config.json",
        "router/config.json",
        "router/policy.toml",
        "router/skills/create_post/skill.toml",
        "workspace/PROMPT.md",
        "workspace/SOUL.md",
        "workspace/agent_action.json",
    ] {
        assert!(!home.text(file).is_empty(), "{file}");
    }
    assert!(!home.env_file().exists() && !home.router_env().exists());
}
