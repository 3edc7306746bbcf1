//! `/export [NUMBER] md|html|json`: writes a conversation down for other programs and people.

use std::sync::Arc;

use async_trait::async_trait;
use journal::Form;
use protocol::Reads;

use super::perform::{At, Perform, Read};

#[derive(Debug, PartialEq, Eq)]
struct Export {
    /// Of those that were put away; none for the one that is open.
    number: Option<u64>,
    form: Form,
}

const USAGE: &str =
    "say how: /export md, /export html or /export json; a number before it means one of /sessions";

pub(super) fn read(rest: &str) -> Read {
    Ok(Arc::new(wish(rest).ok_or(USAGE)?))
}

fn wish(rest: &str) -> Option<Export> {
    let words: Vec<&str> = rest.split_whitespace().collect();
    let (number, form) = match words.as_slice() {
        [] => (None, "md"),
        [form] if form.parse::<u64>().is_err() => (None, *form),
        [number] => (Some(number.parse().ok()?), "md"),
        [number, form] => (Some(number.parse().ok()?), *form),
        _ => return None,
    };
    let form = Form::named(form)?;
    Some(Export { number, form })
}

#[async_trait]
impl Perform for Export {
    async fn perform(&self, at: At<'_>) {
        let files = &at.session.files;
        let open = files.chat.read().number;
        let chat = match self.number.filter(|number| Some(*number) != open) {
            None => at.session.chat(),
            Some(number) => files.chats().read(number),
        };
        let Some(chat) = chat else {
            return at.notice(
                "there is no such conversation, or nothing was said in it; /sessions lists them",
            );
        };
        let number =
            self.number.or(open).map_or_else(|| "open".to_owned(), |number| number.to_string());
        let name = format!("conversation-{number}.{}", self.form.ending());
        match files.write_output(
            &name,
            self.form.write(&chat.title, &chat.events).as_bytes(),
            Reads::BOTH,
        ) {
            Ok(()) => at.text(format!(
                "{} lines, in {}",
                chat.events.len(),
                files.output().join(name).display()
            )),
            Err(error) => at.notice(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_and_a_form_are_read() {
        let right = |number, form| Some(Export { number, form });
        assert_eq!(wish(""), right(None, Form::Markdown));
        assert_eq!(wish("html"), right(None, Form::Html));
        assert_eq!(wish("3 JSON"), right(Some(3), Form::Json));
        assert_eq!(wish("3"), right(Some(3), Form::Markdown));
        assert_eq!([wish("pdf"), wish("x md"), wish("1 md 2")], [None, None, None]);
    }
}
