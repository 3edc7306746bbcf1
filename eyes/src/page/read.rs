//! Reads what the page says, and fetches it in parts.

use serde::Deserialize;
use serde_json::json;

use super::frames;
use super::tab::Tab;
use crate::look::LookError;

/// The most text, in characters.
const MOST_TEXT: usize = 5_000_000;
/// The most of the page's source, in bytes.
const MOST_HTML: usize = 8 * 1024 * 1024;
/// How much is fetched at a time, in UTF-16 units: each part is held a few times over while it is decoded.
const PART: usize = 256 * 1024;

/// What was read.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) title: String,
    pub(super) language: Option<String>,
    pub(super) text: String,
    pub(super) html: String,
}

/// What lies ready in the browser.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Ready {
    title: String,
    language: Option<String>,
    text: usize,
    html: usize,
    text_cut: bool,
    html_cut: bool,
    /// The places of the frames of other sites; -1 for those that the driver can't enter directly.
    foreign: Vec<i32>,
}

/// One part of it, and where it ended.
#[derive(Debug, Deserialize)]
struct Part {
    part: String,
    end: usize,
}

/// Reads the page. What is too long is cut at its end, and so is what the page takes away while it is read; a remark says either.
///
/// # Errors
/// Those of [`Tab::run`].
pub(super) async fn read(tab: &Tab<'_>, remarks: &mut Vec<String>) -> Result<Read, LookError> {
    let most = json!({ "most": MOST_TEXT, "mostHtml": MOST_HTML });
    let ready: Ready = tab.run(include_str!("scripts/read.js"), &most).await?;
    let (text, text_whole) = fetch(tab, "text", ready.text).await?;
    let (mut html, html_whole) = fetch(tab, "html", ready.html).await?;
    let mut text = tidy(&text);
    let html_cut = cut(&mut html, MOST_HTML) || ready.html_cut;
    if ready.text_cut {
        remarks.push("the page is very long; its text was cut at the end".to_owned());
    }
    if html_cut {
        remarks.push("the page is very long; its source was cut at the end".to_owned());
    }
    if !text_whole || !html_whole {
        let what = if text_whole { "source" } else { "text" };
        remarks.push(format!(
            "the page went elsewhere while it was read; its {what} was cut at the end"
        ));
    }
    add_frames(tab, &mut text, &ready.foreign, remarks).await?;
    let title = one_line(&ready.title);
    let language = ready.language.map(|tag| one_line(&tag)).filter(|tag| !tag.is_empty());
    Ok(Read { title, language, text, html })
}

/// Adds what stands in frames of other sites, behind the page's own text.
async fn add_frames(
    tab: &Tab<'_>,
    text: &mut String,
    places: &[i32],
    remarks: &mut Vec<String>,
) -> Result<(), LookError> {
    let frames::Texts { texts, cut, unread } = frames::read(tab, places).await?;
    let texts: Vec<String> = texts.iter().map(|text| tidy(text)).collect();
    let count = texts.iter().filter(|text| !text.is_empty()).count();
    for frame in texts.iter().filter(|text| !text.is_empty()) {
        text.push_str(if text.is_empty() { "" } else { "\n\n" });
        text.push_str(frame);
    }
    if count > 0 {
        remarks.push(format!("the text of {} stands at the end", frames_of(count)));
    }
    if cut > 0 {
        remarks.push(format!("the text of {} is very long; it was cut at the end", frames_of(cut)));
    }
    if unread > 0 {
        remarks.push(format!("{} could not be read", frames_of(unread)));
    }
    Ok(())
}

fn frames_of(count: usize) -> String {
    match count {
        1 => "a frame of another site".to_owned(),
        _ => format!("{count} frames of other sites"),
    }
}

/// Fetches one of the two texts, and whether it is whole. If the page went elsewhere meanwhile, what has come is what there is.
async fn fetch(tab: &Tab<'_>, what: &str, length: usize) -> Result<(String, bool), LookError> {
    let mut whole = String::with_capacity(length);
    let mut from = 0;
    while from < length {
        let args = json!({ "what": what, "from": from, "size": PART });
        let part: Part = tab.run(include_str!("scripts/part.js"), &args).await?;
        if part.end <= from {
            break;
        }
        whole.push_str(&part.part);
        from = part.end;
    }
    whole.shrink_to_fit();
    Ok((whole, from >= length))
}

/// Cuts a text at so many bytes, between two characters. Whether there was something to cut.
fn cut(text: &mut String, most: usize) -> bool {
    let was = text.len();
    text.truncate(text.floor_char_boundary(most));
    text.shrink_to_fit();
    text.len() < was
}

/// No blanks at the ends of lines, at most one empty line, and no control characters, which a terminal would
/// take for its own.
fn tidy(text: &str) -> String {
    let mut tidy = String::with_capacity(text.len());
    let mut empty = 0;
    for line in text.lines() {
        let start = tidy.len();
        tidy.extend(line.chars().filter(|c| !c.is_control() || *c == '\t'));
        tidy.truncate(start + tidy[start..].trim_end().len());
        empty = if tidy.len() == start { empty + 1 } else { 0 };
        if empty < 2 {
            tidy.push('\n');
        }
    }
    let end = tidy.trim_end().len();
    tidy.truncate(end);
    let blank = tidy.len() - tidy.trim_start_matches('\n').len();
    tidy.drain(..blank);
    tidy
}

/// A text without line ends and control characters.
fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_tidy() {
        assert_eq!(tidy("\n\n a  \n\n\n\nb\t\n\u{1b}[2Jc\r\n\n"), " a\n\nb\n[2Jc");
        assert_eq!(tidy(""), "");
        assert_eq!(one_line(" a\n b\u{7}\tc "), "a b c");
    }

    #[test]
    fn a_text_is_cut_between_two_characters() {
        let mut text = "aé中".to_owned();
        assert!(!cut(&mut text, 6));
        assert!(cut(&mut text, 5));
        assert_eq!(text, "aé");
    }
}
