//! The agent's commands as Telegram offers and writes them.

use teloxide_core::types::BotCommand;

use mind::slash::TABLE;

/// The commands as they are offered: each name once, with what it does first.
pub(super) fn offered() -> Vec<BotCommand> {
    let mut offered: Vec<BotCommand> = Vec::new();
    for entry in TABLE {
        let name = entry.name().trim_start_matches('/');
        if offered.iter().all(|command| command.command != name) {
            offered.push(BotCommand::new(name, entry.about));
        }
    }
    offered
}

/// What a message means to the agent: a command may name its bot, as groups do, and `/start` is what Telegram says when
/// a chat is opened: a customer is greeted then, and so is whoever has just joined. `None` when it is meant for another bot.
pub(super) fn meant(text: &str, bot: &str, is_greeted: bool) -> Option<String> {
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    let (word, whose) = word.split_once('@').unwrap_or((word, bot));
    if !text.starts_with('/') {
        return Some(text.to_owned());
    }
    if !whose.eq_ignore_ascii_case(bot) {
        return None;
    }
    Some(if word.eq_ignore_ascii_case("/start") && !is_greeted {
        "/help".to_owned()
    } else {
        format!("{word}{rest}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_offered_once() {
        let offered = offered();
        let names: Vec<&str> = offered.iter().map(|command| command.command.as_str()).collect();
        assert!(names.contains(&"help") && names.contains(&"stop"), "{names:?}");
        for entry in TABLE {
            let name = entry.name().trim_start_matches('/');
            assert_eq!(names.iter().filter(|other| **other == name).count(), 1, "{name}");
        }
    }

    #[test]
    fn a_command_may_name_its_bot() {
        let meant = |text| meant(text, "safe_bot", false);
        assert_eq!(meant("/help@Safe_Bot").as_deref(), Some("/help"));
        assert_eq!(meant("/forget@safe_bot a b").as_deref(), Some("/forget a b"));
        assert_eq!(meant("/help@other_bot"), None);
        assert_eq!(meant("/start abc").as_deref(), Some("/help"));
        assert_eq!(meant("mail a@b.example").as_deref(), Some("mail a@b.example"));
    }
}
