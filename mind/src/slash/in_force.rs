//! How a model is asked at the moment, as `/model` shows it.

use model::{Held, InForce, Way, Why};
use when::{about, ago};

use super::model::grouped;

/// A line for the way, one for the window and one for pictures.
pub(super) fn lines(holds: &InForce) -> String {
    let (way, window, sees) =
        (way(&holds.way, holds.first), window(&holds.window, holds.largest), sees(&holds.sees));
    format!("way of asking: {way}\nwindow: {window}\npictures: {sees}")
}

/// The way, if it is another one than would be tried first.
pub(super) fn fallen(holds: &InForce) -> Option<Way> {
    matches!(holds.way.why, Why::Refused { .. }).then_some(holds.way.value)
}

fn way(way: &Held<Way>, first: Way) -> String {
    let value = way.value;
    match because(&way.why) {
        Some((because, left)) => format!("{value}, {because}; {first} is tried again{left}"),
        None if way.why == Why::Set => format!("{value}, as set"),
        None => format!("{value}, as auto chooses"),
    }
}

fn window(window: &Held<u64>, largest: Option<u64>) -> String {
    let tokens = format!("{} tokens", grouped(window.value));
    if let Some((because, _)) = because(&window.why) {
        return format!("{tokens}, {because}");
    }
    let why = match (&window.why, largest) {
        (Why::Set, _) => "as set".to_owned(),
        (Why::Said, _) => "as the server says".to_owned(),
        (Why::Usual, Some(largest)) => {
            format!("as SafeClaw asks for, of the {} that the model holds", grouped(largest))
        }
        (Why::Usual, None) => "as SafeClaw asks for".to_owned(),
        _ => "a guess, for the server says nothing of it".to_owned(),
    };
    format!("{tokens}, {why}")
}

fn sees(sees: &Held<bool>) -> String {
    let shown = if sees.value { "shown" } else { "not shown" };
    if let Some((because, left)) = because(&sees.why) {
        return format!("{shown}, {because}; one is tried again{left}");
    }
    let why = match (&sees.why, sees.value) {
        (Why::Set, _) => "as set",
        (Why::Said, true) => "for the server says that the model sees",
        (Why::Said, false) => "for the server says that the model does not see",
        (_, true) => "until one is refused",
        (_, false) => "for the server does not say that the model sees",
    };
    format!("{shown}, {why}")
}

/// The refusal in words, and when it ends.
fn because(why: &Why) -> Option<(String, String)> {
    let Why::Refused { words, ago: span, left } = why else { return None };
    let left = left.map(|left| format!(" in {}", about(left))).unwrap_or_default();
    Some((format!("since {words} ({})", ago(*span)), left))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn holds(way: Why, window: Why, sees: (bool, Why), largest: Option<u64>) -> String {
        let value = if matches!(way, Why::Refused { .. }) { Way::ToolCode } else { Way::Json };
        lines(&InForce {
            way: Held { value, why: way },
            first: Way::Json,
            window: Held { value: 8_192, why: window },
            largest,
            sees: Held { value: sees.0, why: sees.1 },
        })
    }

    fn refused(words: &str, left: Option<u64>) -> Why {
        let (words, ago) = (words.to_owned(), Duration::from_secs(3 * 3_600));
        Why::Refused { words, ago, left: left.map(|hours| Duration::from_secs(hours * 3_600)) }
    }

    #[test]
    fn what_is_in_force_is_told_with_its_reason() {
        let told = [
            holds(Why::Usual, Why::Said, (true, Why::Said), None),
            holds(Why::Usual, Why::Usual, (false, Why::Said), Some(131_072)),
            holds(Why::Usual, Why::Usual, (false, Why::Guessed), None),
            holds(Why::Set, Why::Set, (true, Why::Set), None),
            holds(Why::Usual, Why::Guessed, (true, Why::Guessed), None),
            holds(
                refused("json was answered with 400: no grammar", Some(21)),
                refused("a longer prompt did not fit", None),
                (false, refused("a picture was answered with 500: no mmproj", Some(21))),
                None,
            ),
        ];
        insta::assert_snapshot!(told.join("\n\n"));
    }
}
