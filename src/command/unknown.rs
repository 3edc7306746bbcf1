//! A first word that is no subcommand.

use std::process::ExitCode;

/// The exit code of a command line that can't be understood, as clap has it.
const USAGE: u8 = 2;

/// Says that `word` is no subcommand, and what may be meant.
pub(super) fn refuse(word: &str, known: impl Iterator<Item = &'static str>) -> ExitCode {
    home::say_on_stderr!("error: {}", refusal(word, known));
    ExitCode::from(USAGE)
}

fn refusal(word: &str, known: impl Iterator<Item = &'static str>) -> String {
    let help = home::command("--help");
    match home::nearest(word, known) {
        Some(near) => {
            let meant = home::command(near);
            format!(
                "there is no command {word:?}; did you mean `{meant}`? `{help}` lists all of them"
            )
        }
        None => {
            let say = home::command(&format!("-p {word:?}"));
            format!(
                "there is no command {word:?}; `{help}` lists all of them; `{say}` says it to the agent"
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_command_is_named() {
        let said = |word| refusal(word, ["agent", "router", "stop"].into_iter());
        let (router, help) = (home::command("router"), home::command("--help"));
        let say = home::command("-p \"weather\"");
        assert_eq!(
            said("ruoter"),
            format!(
                "there is no command \"ruoter\"; did you mean `{router}`? `{help}` lists all of them"
            )
        );
        assert_eq!(
            said("weather"),
            format!(
                "there is no command \"weather\"; `{help}` lists all of them; `{say}` says it to the agent"
            )
        );
    }
}
