//! What the model sees: the owner's template, filled once with bounded, fenced sections.
//!
//! What is stable from turn to turn comes first and what changes comes last, because every model server
//! reuses the longest beginning that two prompts share. The fences and the broken markers are tidiness,
//! no boundary: what a model does with a text is never certain, and the wall stands elsewhere.
//!
//! Each section is made by a [`Source`] in a file of its own, from what a [`Step`] holds. Gathered, sections have raised the
//! conversation's bits; rendered for a model, they are the text that it reads. By example, in the order of the built-in
//! template; `k3v9x2ab` stands for the fence, eight random letters that change with the session:
//!
//! | placeholder | from | for example |
//! |---|---|---|
//! | `SOUL_CONTENT` | SOUL.md, as it stands | `You are SafeClaw, a personal assistant ...` |
//! | `AGENT_ACTIONS` | agent_action.json, one line an action | `- _MEMORY_WRITE(new_memory: object) Remember facts ... E.g. "Remember my name is Frankie." <tool_code>[...]</tool_code>` |
//! | `ROUTER_ACTIONS` | router_actions.json, in the same way | `- CREATE_POST(platform: X\|LinkedIn, text: string) Publish ...` |
//! | `HOW_TO_ANSWER` | the way of asking | `Answer the message at the end in plain words ...` |
//! | `MEMORY_CONTENT` | memory.json, one line a key | `<memory-k3v9x2ab>` `name: Frankie` `</memory-k3v9x2ab>` |
//! | `NOTES` | memory.md, without what is set aside; none while nothing is noted | `<notes-k3v9x2ab>` `2026-11-24: The user's parrot is called Coco.` `</notes-k3v9x2ab>` |
//! | `ARTIFACT` | artifact.json, one line an observation | `<results-k3v9x2ab>` `{"status":"ok","action":"CREATE_POST",...}` `</results-k3v9x2ab>` |
//! | `USER_INPUT_HISTORY` | input_history.json, the latest 6 to 10 | `<history-k3v9x2ab>` `user: hello` `you: Hello!` `</history-k3v9x2ab>` |
//! | `USER_MESSAGE` | the message; then what this turn's actions brought | `<message-k3v9x2ab>` `Post 'Hi' to X.` `</message-k3v9x2ab>` |

mod template;

mod passage;
mod screen;
mod section;
mod sources;
mod step;

mod actions;
mod closing;
mod connect;
mod form;
mod history;
mod known;
mod memory;
mod message;
mod near;
mod next;
mod noted;
mod now;
mod results;
mod soul;

mod gloss;
mod handed;
mod narrow;
mod offered;
mod once;
mod relevance;
mod said;
mod tongue;
mod wishes;
mod words;

mod fence;
mod fit;

pub use actions::beside_talk;
pub use connect::Connected;
pub use fence::Fence;
pub use fit::Fit;
pub use gloss::Gloss;
pub use gloss::{read as read_gloss, schema as gloss_schema, wants_gloss};
pub use history::shown_entries;
pub use known::{closest, made_up};
pub use narrow::{Asked, narrowed};
pub use now::Now;
pub use offered::choice;
pub use passage::{Passage, Passages};
pub use said::{Said, is_long, telling};
pub use screen::shown as screen_of;
pub use section::{FIXED, Manner, Part, Section, Source};
pub use sources::{Sections, Sources};
pub use step::Step;
pub use template::{PLACEHOLDERS, Template, TemplateError};

use template::Piece;

use conversation::workspace;
use document::Notice;
use llm::Share;

/// A prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rendered {
    /// What the model sees.
    pub text: String,
    /// How much of it, in bytes from its front, is the same from turn to turn: the rules, without anything that
    /// was said or has come in.
    pub stable: usize,
    /// What was left out so that it fits, in words for people.
    pub cut: Vec<String>,
    /// What it is made of, in the order of the sections; last what the template itself says, as [`TEMPLATE`].
    pub shares: Vec<Share>,
}

/// The share of a prompt that stands in no section: the template's own words and the marks around sections.
pub const TEMPLATE: &str = "TEMPLATE";

/// Makes the prompts of one session.
#[derive(Debug)]
pub struct Prompt {
    fence: Fence,
    /// The template that was checked last, with its text; `None` in it if it can't be used.
    checked: Option<(String, Option<Template>)>,
    built_in: Template,
}

impl Prompt {
    /// Prompts of a session with this fence.
    ///
    /// # Errors
    /// [`TemplateError`] of the built-in template; a test says that there is none.
    pub fn new(fence: Fence) -> Result<Self, TemplateError> {
        Ok(Self { fence, checked: None, built_in: Template::new(workspace::PROMPT, &[])? })
    }

    /// Looks at the template before prompts are rendered with it, which may name what `sources` fill: one that can't be used is
    /// replaced by the built-in one. What the owner should hear of it is said once for every change.
    #[must_use]
    pub fn check(&mut self, text: &str, sources: &Sources) -> Vec<Notice> {
        if self.checked.as_ref().is_some_and(|(checked, _)| checked == text) {
            return Vec::new();
        }
        let (template, notices) = match Template::new(text, &sources.optional()) {
            Ok(template) => {
                let notices = template.missing().iter().map(|name| left_out(name)).collect();
                (Some(template), notices)
            }
            Err(error) => (None, vec![unusable(&error)]),
        };
        self.checked = Some((text.to_owned(), template));
        notices
    }

    /// Fills the template that was checked last, for a model of that kind. If it would be too long, older things are left
    /// out of it, which it says. The message never is, so what comes of a very long one does not fit.
    #[must_use]
    pub fn render(&self, sections: &Sections<'_>, fit: Fit<'_>) -> Rendered {
        let mut rooms: Vec<usize> = sections.iter().map(|(_, section)| section.most).collect();
        let mut cut: Vec<String> = Vec::new();
        loop {
            let written = self.written(sections, fit, &rooms);
            let rendered = match fit.talk {
                true => talked(&written, &cut, &self.fence),
                false => self.filled(&written, &cut),
            };
            let excess = rendered.text.len().saturating_sub(fit.bytes);
            if excess == 0 {
                return rendered;
            }
            // What says that something was left out needs room, too.
            let Some(what) = make_room(&written, &mut rooms, excess + MARK) else {
                return rendered;
            };
            if !cut.iter().any(|known| known == what) {
                cut.push(what.to_owned());
            }
        }
    }

    /// The template that is in force, with its text.
    fn template(&self) -> (&str, &Template) {
        match &self.checked {
            Some((text, Some(template))) => (text, template),
            _ => (workspace::PROMPT, &self.built_in),
        }
    }

    fn written<'s>(
        &self,
        sections: &'s Sections<'s>,
        fit: Fit<'_>,
        rooms: &[usize],
    ) -> Vec<Written<'s>> {
        let has_place = self.template().1.has_place_for_the_form();
        let written = sections.iter().zip(rooms).map(|((name, section), &room)| {
            let parts = section.parts(&Manner { fit, has_place, room });
            Written { name, section, parts }
        });
        written.collect()
    }

    /// The template with the sections in their places; one that it does not name stands before the message.
    fn filled(&self, written: &[Written<'_>], cut: &[String]) -> Rendered {
        let (text, template) = self.template();
        let mut fence = self.fence.clone();
        let parts = written.iter().flat_map(|one| &one.parts);
        fence.keep_out_of(parts.map(|part| part.text.as_str()).chain([text]));
        let mut filled = String::new();
        let mut stable = None;
        for piece in template.pieces() {
            let name = match piece {
                Piece::Words(words) => {
                    filled.push_str(words);
                    continue;
                }
                Piece::Place(name) => *name,
            };
            let there = if name == template::MESSAGE {
                before_message(written, template, cut)
            } else {
                Vec::new()
            };
            let own = written.iter().filter(|one| one.name == name);
            if stable.is_none() && own.clone().any(|one| !one.section.stable) {
                stable = Some(filled.len());
            }
            let there = there.iter().chain(own.flat_map(|one| &one.parts));
            let there: Vec<String> = there.map(|part| fenced(part, &fence)).collect();
            filled.push_str(&there.join("\n"));
        }
        let stable = stable.unwrap_or(filled.len());
        let is_shown = |one: &Written<'_>| template.names(one.name) || !template::is_own(one.name);
        Rendered::of(filled, stable, cut, written.iter().filter(|one| is_shown(one)))
    }
}

/// The prompt of an answer in words alone: who answers and what is known stand in the part that stays, and what is said now,
/// with what else there is, behind it. Nothing of actions and no example stands in it, for a small model copies them.
fn talked(written: &[Written<'_>], cut: &[String], fence: &Fence) -> Rendered {
    let mut fence = fence.clone();
    fence.keep_out_of(written.iter().flat_map(|one| &one.parts).map(|part| part.text.as_str()));
    let of = |name: &'static str| {
        let own = written.iter().filter(move |one| one.name == name);
        own.flat_map(|one| &one.parts).filter(|part| !part.text.is_empty())
    };
    let soul = of("SOUL_CONTENT").map(|part| part.text.clone());
    let memory = of("MEMORY_CONTENT").map(|part| format!("{KNOWN}\n{}", part.text));
    let system: Vec<String> = soul.chain([LANGUAGE.to_owned()]).chain(memory).collect();
    let beside = written.iter().filter(|one| !template::is_own(one.name));
    let beside = beside.flat_map(|one| &one.parts).filter(|part| !part.text.is_empty());
    let mut user: Vec<String> = beside.map(|part| fenced(part, &fence)).collect();
    user.extend(of(template::MESSAGE).map(|part| match part.tag {
        "message" => part.text.clone(),
        _ => fenced(part, &fence),
    }));
    let system = system.join("\n") + "\n";
    let stable = system.len();
    let text = system + &user.join("\n");
    let talks = ["SOUL_CONTENT", "MEMORY_CONTENT", template::MESSAGE];
    let is_shown = |one: &&Written<'_>| talks.contains(&one.name) || !template::is_own(one.name);
    Rendered::of(text, stable, cut, written.iter().filter(is_shown))
}

impl Rendered {
    /// A prompt in which these sections are `shown`.
    fn of<'w>(
        text: String,
        stable: usize,
        cut: &[String],
        shown: impl Iterator<Item = &'w Written<'w>>,
    ) -> Self {
        let mut shares: Vec<Share> = Vec::new();
        for Share { name, bytes } in shown.map(|one| Share { name: one.name, bytes: one.size() }) {
            match shares.iter_mut().find(|share| share.name == name) {
                Some(share) => share.bytes += bytes,
                None => shares.push(Share { name, bytes }),
            }
        }
        let said: usize = shares.iter().map(|share| share.bytes).sum();
        shares.push(Share { name: TEMPLATE, bytes: text.len().saturating_sub(said) });
        shares.retain(|share| share.bytes > 0);
        Self { text, stable, cut: cut.to_vec(), shares }
    }
}

/// What a model is told that talks.
const LANGUAGE: &str = "Answer in the language of the message.";
const KNOWN: &str = "What you know of the user:";

/// A section as it is written for one model.
struct Written<'s> {
    name: &'static str,
    section: &'s Section<'s>,
    parts: Vec<Part>,
}

/// What says that something was left out, and the sections that the template does not name.
fn before_message(written: &[Written<'_>], template: &Template, cut: &[String]) -> Vec<Part> {
    let mut parts = Vec::new();
    if !cut.is_empty() {
        parts.push(Part::own(format!("[left out for want of space: {}]", cut.join("; "))));
    }
    let is_placed = |one: &&Written<'_>| template::is_own(one.name) || template.names(one.name);
    let mut others: Vec<&Written<'_>> = written.iter().filter(|one| !is_placed(one)).collect();
    others.sort_by_key(|one| one.section.rank);
    parts.extend(others.into_iter().flat_map(|one| one.parts.iter().cloned()));
    parts
}

/// Takes `excess` bytes of room from the section of the lowest rank that can still give some, and says what that leaves out:
/// of the built-in ones the oldest history, then earlier results, then the oldest memory, then descriptions of actions, then
/// this turn's results. The rules and the message stay whole. `None` when nothing is left to give.
fn make_room(written: &[Written<'_>], rooms: &mut [usize], excess: usize) -> Option<&'static str> {
    let gives = |(one, room): &(&Written<'_>, &mut usize)| {
        one.section.rank < FIXED && one.size().min(**room) > one.section.least
    };
    let giving = written.iter().zip(rooms).filter(gives);
    let (one, room) = giving.min_by_key(|(one, _)| one.section.rank)?;
    *room = one.size().min(*room).saturating_sub(excess).max(one.section.least);
    Some(one.section.what)
}

impl Written<'_> {
    /// How large it is, in bytes.
    fn size(&self) -> usize {
        self.parts.iter().map(|part| part.text.len()).sum()
    }
}

fn fenced(part: &Part, fence: &Fence) -> String {
    match part.tag {
        "" => part.text.clone(),
        tag => fence.around(tag, &part.text),
    }
}

/// Room for the words that say what was left out, in bytes.
const MARK: usize = 100;

fn left_out(name: &str) -> Notice {
    Notice::new(format!("PROMPT.md leaves out {{{{{name}}}}}, so the model does not see it"))
}

fn unusable(error: &TemplateError) -> Notice {
    Notice::new(format!(
        "PROMPT.md can't be used: {error}; the built-in one is used until it is mended"
    ))
}

#[cfg(test)]
mod tests;
