//! What the terminal of this process shows, by its environment.

use home::EnvFile;
use words::{CONSOLE, Words};

use super::environment;

/// Whether styles may be shown on a terminal: NO_COLOR says no (no-color.org), and so does a terminal that is dumb.
pub fn shows_styles() -> bool {
    let environment = environment(&EnvFile::default());
    let is_set = environment.get("NO_COLOR").is_some_and(|value| !value.is_empty());
    !is_set && environment.get("TERM").is_some_and(|term| term != "dumb")
}

/// Whether a terminal shows more letters than those of ASCII: it is not dumb, and the locale is one of UTF-8.
pub fn shows_unicode() -> bool {
    let environment = environment(&EnvFile::default());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(|name| {
        environment.get(name).filter(|value| !value.is_empty()).map(str::to_ascii_lowercase)
    });
    let is_utf8 = locale.is_some_and(|it| it.contains("utf-8") || it.contains("utf8"));
    is_utf8 && environment.get("TERM") != Some("dumb")
}

/// The words of the console in the language of the messages: the first of LC_ALL, LC_MESSAGES and LANG that says one.
pub fn words() -> &'static Words {
    let environment = environment(&EnvFile::default());
    let names = ["LC_ALL", "LC_MESSAGES", "LANG"];
    let said = names.into_iter().filter_map(|name| environment.get(name));
    CONSOLE.wanted(said.filter(|language| !language.is_empty()).take(1))
}

/// Whether a screen reader reads the terminal: nothing moves there, and no line is drawn anew.
pub fn reads_aloud() -> bool {
    is_on("SAFECLAW_SCREEN_READER", false)
}

/// Whether the terminal may show something that moves.
pub fn shows_motion() -> bool {
    !reads_aloud() && environment(&EnvFile::default()).get("TERM") != Some("dumb")
}

/// Whether the terminal is told when somebody is wanted.
pub fn rings() -> bool {
    is_on("SAFECLAW_BELL", true) && shows_motion()
}

/// Whether a variable is neither `0` nor `off`; `unset` when it says nothing.
fn is_on(name: &str, unset: bool) -> bool {
    let environment = environment(&EnvFile::default());
    match environment.get(name) {
        None | Some("") => unset,
        Some(value) => !matches!(value, "0" | "off"),
    }
}
