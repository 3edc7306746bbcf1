//! A policy skill: a Markdown file that says how people of a role are answered. It narrows what is offered them and never widens it.

use std::collections::{BTreeMap, BTreeSet};

use home::nearest;

use super::PolicySkill;

/// The keys that may stand above the text.
const KEYS: [&str; 7] =
    ["name", "description", "roles", "escalation", "allowed_urls", "actions", "memory_rules"];

/// What stands above and below the keys.
const FENCE: &str = "---";

/// Who is in a chat, as skills name them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SkillRole {
    /// The owner, in the owner's own conversation.
    Owner,
    /// Somebody whom the owner allows.
    Guest,
    /// Somebody in a chat whose mode is business.
    Customer,
}

/// Why a file is no policy skill.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PolicySkillError {
    /// No keys stand above the text.
    #[error(
        "it begins with no line --- and keys such as name: and roles: below it, up to another line ---"
    )]
    NoKeys,
    /// A line among the keys is none.
    #[error("line {0} is no key with a value, such as roles: customer")]
    Line(usize),
    /// There is no such key.
    #[error("there is no key {key}{}; the keys are {}",
        near.map(|near| format!(" (did you mean {near}?)")).unwrap_or_default(), KEYS.join(", "))]
    UnknownKey {
        /// What stands there.
        key: String,
        /// The key that was probably meant.
        near: Option<&'static str>,
    },
    /// It says no name or no description.
    #[error("it has no {0}")]
    Missing(&'static str),
    /// There is no such role.
    #[error("there is no role {0:?}; the roles are owner, guest, customer and all")]
    Role(String),
}

impl PolicySkill {
    /// Reads a file.
    ///
    /// # Errors
    /// [`PolicySkillError`] says what is missing or wrong.
    pub fn read(text: &str) -> Result<Self, PolicySkillError> {
        let (mut keys, text) = split(text)?;
        // A list that is left empty names no action.
        let actions = keys.remove("actions").filter(|text| !text.eq_ignore_ascii_case("all"));
        let actions = actions.map(|text| match text.eq_ignore_ascii_case("none") {
            true => BTreeSet::new(),
            false => words(&text).map(str::to_uppercase).collect(),
        });
        let mut of = |key: &str| keys.remove(key).filter(|value| !value.is_empty());
        let name = of("name").ok_or(PolicySkillError::Missing("name"))?;
        let description = of("description").ok_or(PolicySkillError::Missing("description"))?;
        let roles =
            of("roles").map_or_else(|| Ok([SkillRole::Owner].into()), |text| roles(&text))?;
        let mut instructions = vec![text.trim().to_owned()];
        if let Some(pages) = of("allowed_urls").filter(|pages| pages != "from config") {
            let pages: Vec<&str> = words(&pages).collect();
            instructions.push(format!("Read and name no other pages than {}.", pages.join(", ")));
        }
        match of("escalation").as_deref() {
            None => {}
            Some("true") => instructions.push("What you can't answer is for a person.".to_owned()),
            Some("false") => instructions.push("Pass nothing on to a person.".to_owned()),
            Some(what) => instructions.push(format!("This is for a person: {}.", listed(what))),
        }
        if let Some(rules) = of("memory_rules") {
            instructions.push(format!("On what you remember: {}.", listed(&rules)));
        }
        instructions.retain(|text| !text.is_empty());
        Ok(Self { name, description, roles, actions, instructions: instructions.join("\n") })
    }

    /// Whether an action may be offered where this skill counts.
    #[must_use]
    pub fn offers(&self, action: &str) -> bool {
        self.actions.as_ref().is_none_or(|actions| actions.contains(action))
    }
}

/// The keys with their values, and the text below them. What is indented below a key, or a list there, is its value.
fn split(text: &str) -> Result<(BTreeMap<&'static str, String>, &str), PolicySkillError> {
    let text = text.trim_start_matches('\u{feff}');
    let (mut keys, mut last) = (BTreeMap::<&str, String>::new(), None);
    let mut rest = text;
    for number in 1.. {
        let Some((line, behind)) =
            rest.split_once('\n').or(Some((rest, ""))).filter(|_| !rest.is_empty())
        else {
            return Err(PolicySkillError::NoKeys);
        };
        rest = behind;
        let (is_within, line) = (line.starts_with([' ', '\t', '-']), line.trim());
        match line {
            FENCE if number == 1 => continue,
            _ if number == 1 => return Err(PolicySkillError::NoKeys),
            FENCE => return Ok((keys, rest)),
            _ if line.is_empty() || line.starts_with('#') => continue,
            _ => {}
        }
        if is_within {
            let value = last.and_then(|key| keys.get_mut(key));
            let value: &mut String = value.ok_or(PolicySkillError::Line(number))?;
            if !value.is_empty() {
                value.push_str(", ");
            }
            value.push_str(line.trim_start_matches('-').trim());
            continue;
        }
        let (key, value) = line.split_once(':').ok_or(PolicySkillError::Line(number))?;
        let key = key.trim();
        let known = KEYS.into_iter().find(|known| *known == key);
        let known = known.ok_or_else(|| PolicySkillError::UnknownKey {
            key: key.to_owned(),
            near: nearest(key, KEYS),
        })?;
        keys.insert(known, value.trim().trim_matches(['"', '\'']).to_owned());
        last = Some(known);
    }
    Err(PolicySkillError::NoKeys)
}

/// The words of a list, however it is written: `[a, b]`, `a + b` or one a line.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let ends = |c: char| c.is_whitespace() || matches!(c, ',' | '+' | '[' | ']' | '"' | '\'');
    text.split(ends).filter(|word| !word.is_empty())
}

/// A list as it stands in a sentence.
fn listed(text: &str) -> String {
    let items = text.trim_matches(['[', ']']).split(',').map(|item| item.trim().trim_matches('"'));
    items.filter(|item| !item.is_empty()).collect::<Vec<_>>().join(", ")
}

/// The roles of a list. multis writes `public` for what everybody may see, and `user:$chatId` for somebody's own.
fn roles(text: &str) -> Result<BTreeSet<SkillRole>, PolicySkillError> {
    let mut roles = BTreeSet::new();
    for word in words(text) {
        match word.to_lowercase().as_str() {
            "owner" | "admin" => roles.extend([SkillRole::Owner]),
            "guest" => roles.extend([SkillRole::Guest]),
            "customer" | "public" | "kb" => roles.extend([SkillRole::Customer]),
            "all" => roles.extend([SkillRole::Owner, SkillRole::Guest, SkillRole::Customer]),
            user if user.starts_with("user:") => {
                roles.extend([SkillRole::Guest, SkillRole::Customer])
            }
            _ => return Err(PolicySkillError::Role(word.to_owned())),
        }
    }
    Ok(roles)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The skill that the seed shows.
    const SUPPORT: &str = "---\nname: customer-support\ndescription: Handle customer queries from business-mode chats\n\
        roles: public + user:$chatId\nescalation: true\nallowed_urls: from config\nactions: none\nmemory_rules:\n  \
        capture: true\n  visible: own\n---\n\nYou are a support assistant.\n";

    #[test]
    fn the_seeds_skill_is_one() {
        let skill = PolicySkill::read(SUPPORT).unwrap();
        assert_eq!(skill.name, "customer-support");
        assert_eq!(skill.roles, [SkillRole::Guest, SkillRole::Customer].into());
        assert_eq!(skill.actions, Some(BTreeSet::new()));
        assert_eq!(
            skill.instructions,
            "You are a support assistant.\nWhat you can't answer is for a person.\n\
             On what you remember: capture: true, visible: own."
        );
    }

    #[test]
    fn lists_are_read_in_each_of_their_forms() {
        for list in [
            "[web_fetch, EXEC]",
            "web_fetch, exec",
            "\n  - web_fetch\n  - exec",
            "\n- web_fetch\n- exec",
        ] {
            let text = format!("---\nname: a\ndescription: b\nactions: {list}\n---\nx");
            let skill = PolicySkill::read(&text).unwrap();
            assert!(skill.offers("WEB_FETCH") && skill.offers("EXEC"), "{list}");
            assert!(!skill.offers("CREATE_POST"), "{list}");
            assert_eq!(skill.roles, [SkillRole::Owner].into(), "nobody else unless it says so");
        }
        let all = PolicySkill::read("---\nname: a\ndescription: b\nactions: all\n---\n").unwrap();
        assert!(all.offers("EXEC") && all.instructions.is_empty());
    }

    #[test]
    fn a_list_of_actions_that_is_empty_offers_none() {
        for list in ["", " []", " \"\"", "\n  -", "\n# none yet"] {
            let text = format!("---\nname: a\ndescription: b\nactions:{list}\n---\nx");
            assert_eq!(PolicySkill::read(&text).unwrap().actions, Some(BTreeSet::new()), "{list}");
        }
    }

    #[test]
    fn each_fault_has_words_of_its_own() {
        let error = |text: &str| PolicySkill::read(text).unwrap_err().to_string();
        let told = [
            error(""),
            error("You are kind."),
            error("---\nname: a\n"),
            error("---\nname: a\nrolse: all\n---\nx"),
            error("---\nname: a\nwhatever\n---\nx"),
            error("---\n  x\n---\nx"),
            error("---\ndescription: a\n---\nx"),
            error("---\nname: a\n---\nx"),
            error("---\nname: a\ndescription: b\nroles: king\n---\nx"),
        ];
        assert!(told[..3].iter().all(|one| one.contains("begins with no line ---")), "{told:?}");
        assert!(told[3].contains("no key rolse (did you mean roles?)"), "{}", told[3]);
        assert!(told[4].starts_with("line 3 ") && told[5].starts_with("line 2 "), "{told:?}");
        assert_eq!(told[6..8], ["it has no name", "it has no description"]);
        assert!(told[8].contains("no role \"king\""), "{}", told[8]);
    }
}
