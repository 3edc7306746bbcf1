//! A command as a person types it in a chat, such as `/help`.

/// Takes `text` apart into the name of a command and what stands behind it. The name is in small letters, with its slash and
/// without the bot that it may name: `/Help@my_bot` is `/help`. `None` when `text` is a message.
#[must_use]
pub fn slash(text: &str) -> Option<(String, &str)> {
    let text = text.trim();
    if !text.starts_with('/') {
        return None;
    }
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let name = word.split_once('@').map_or(word, |(name, _)| name);
    Some((name.to_lowercase(), rest.trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_counts_in_any_case_and_may_name_a_bot() {
        // The last one has the Kelvin sign, whose small letter is a k.
        for (text, name, rest) in [
            ("/ask what now", "/ask", "what now"),
            (" /ASK@my_bot \n what ", "/ask", "what"),
            ("/help", "/help", ""),
            ("/", "/", ""),
            ("/as\u{212A} what", "/ask", "what"),
        ] {
            assert_eq!(slash(text), Some((name.to_owned(), rest)), "{text}");
        }
        assert_eq!(slash("what is /ask?"), None);
    }
}
