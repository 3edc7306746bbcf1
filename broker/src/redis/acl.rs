//! What the users of an agent and of a router must be allowed on the Redis, and nothing more.
//!
//! The rules are made of the names that the code itself uses. Selectors (in brackets) need Redis 7.0 or later: without
//! them a command that is allowed on one key is allowed on all that are.

use protocol::{Priority, QueueNames};

use super::keys::Keys;

/// Commands that routers use on their own keys, also within scripts.
const ON_KEYS: &str = "+blmove +lmove +lpush +rpush +rpop +llen +lindex +lrange +lrem +ltrim +lpos +get +getrange +set \
    +psetex +del +exists +pexpire +pttl +object|idletime +hset +hget +hdel +hexists +hkeys +hlen +hscan +zadd +zrem +zscore \
    +zcount +zcard +zrange +zrangebyscore +zremrangebyscore +persist";

/// Commands that name no key. SCAN finds replies that nobody fetches; INFO is what `queue stats` tells of.
const WITHOUT_KEYS: &str =
    "+ping +hello +time +scan +info +multi +exec +eval +evalsha +script|load";

/// A name that can't stand in rules.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnruledName {
    /// A setting with a value that rules can't spell.
    #[error(
        "{name} has a white space, a bracket or a quote in {value:?}, which no ACL rule can name; choose another name"
    )]
    Unspellable {
        /// The setting.
        name: &'static str,
        /// Its value.
        value: String,
    },
    /// The rule for replies would cover other keys as well: who may fetch replies could take what waits there.
    #[error(
        "RESPONSE_PREFIX {prefix:?} overlaps with the queue's own {key:?}, so an agent could take what waits there; choose another prefix"
    )]
    Covering {
        /// The prefix.
        prefix: String,
        /// The queue's own key, or the beginning of its keys.
        key: String,
    },
}

/// What the two users may do: ACL rules, without the words that switch a user on and give it a password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Acl {
    /// An agent asks, hears, and takes back.
    pub agent: String,
    /// A router does all the rest.
    pub router: String,
}

impl Acl {
    /// The rules for the keys of these names, on one server or on a cluster.
    ///
    /// # Errors
    /// [`UnruledName`].
    pub fn new(names: &QueueNames, is_cluster: bool) -> Result<Self, UnruledName> {
        for (name, value) in
            [("COMMAND_QUEUE", names.commands()), ("RESPONSE_PREFIX", names.response_prefix())]
        {
            if value.contains(char::is_whitespace) || value.contains(['(', ')', '"', '\'']) {
                return Err(UnruledName::Unspellable { name, value: value.to_owned() });
            }
        }
        let (prefix, own) = (names.response_prefix(), names.tagged(""));
        let overlaps = |key: &&str| key.starts_with(prefix) || prefix.starts_with(&own);
        if let Some(key) = [own.as_str(), names.commands()].into_iter().find(overlaps) {
            let (prefix, key) = (prefix.to_owned(), key.to_owned());
            return Err(UnruledName::Covering { prefix, key });
        }
        let slots = if is_cluster { " +cluster|slots +asking" } else { "" };
        Ok(Self {
            agent: format!(
                "resetkeys resetchannels -@all +ping +hello +time{slots} {}",
                agent(names)
            ),
            router: format!(
                "resetkeys resetchannels -@all {} {WITHOUT_KEYS}{slots} {ON_KEYS}",
                router(&Keys::new(names.clone()))
            ),
        })
    }
}

fn agent(names: &QueueNames) -> String {
    let lanes = [Priority::Normal, Priority::Interactive, Priority::Background];
    let lanes = lanes.map(|priority| literal(&names.lane(priority)));
    let [pushes, looks] = ["%W", "%R"]
        .map(|way| lanes.iter().map(|lane| format!(" {way}~{lane}")).collect::<String>());
    let (control, catalog) = (literal(&names.control()), literal(&names.catalog()));
    let (replies, events) = (literal(names.response_prefix()), literal(&names.events_prefix()));
    format!(
        "(+lpush{pushes} %W~{control}) (+llen{looks}) (+blpop ~{replies}* ~{events}*) (+get %R~{catalog})"
    )
}

fn router(keys: &Keys) -> String {
    let names = &keys.names;
    let single =
        [&keys.routers, &keys.again, &keys.stale, &keys.control, &keys.wheel, &keys.letters];
    let single = single.into_iter().chain(&keys.lanes).map(|key| literal(key));
    let own =
        [names.catalog(), names.tagged("looked"), keys.watched.clone()].map(|key| literal(&key));
    let many = [&keys.states, &keys.works, &names.events_prefix(), &names.tagged("state:")]
        .map(|prefix| format!("{}*", literal(prefix)));
    let replies = [format!("{}*", literal(names.response_prefix()))];
    let all = single.chain(own).chain(many).chain(replies);
    all.map(|key| format!("~{key}")).collect::<Vec<_>>().join(" ")
}

/// A name without any meaning as a pattern.
pub(super) fn literal(name: &str) -> String {
    let special = |c: char| matches!(c, '*' | '?' | '[' | ']' | '\\' | '^');
    name.chars().flat_map(|c| special(c).then_some('\\').into_iter().chain([c])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_a_meaning_as_patterns_stand_for_themselves() {
        let acl = Acl::new(&QueueNames::new("a*b?", "r[1]:"), false).unwrap();
        assert!(acl.agent.contains(r"%W~a\*b\? "), "{}", acl.agent);
        assert!(acl.agent.contains(r"~r\[1\]:* "), "{}", acl.agent);
    }

    #[test]
    fn no_prefix_of_replies_covers_another_key() {
        for (queue, prefix) in [
            ("q", ""),
            ("q", "{"),
            ("safeclaw:queue", "safeclaw:"),
            ("safeclaw:queue", "safeclaw:queue"),
            ("q", "{q}:"),
            ("q", "{q}:co"),
            ("a{b}c", "{b}:"),
        ] {
            let refused = Acl::new(&QueueNames::new(queue, prefix), false).unwrap_err();
            assert!(matches!(refused, UnruledName::Covering { .. }), "{prefix:?}: {refused}");
        }
        for (queue, prefix) in [("safeclaw:queue", "safeclaw:response:"), ("q", "{q}r:")] {
            assert!(Acl::new(&QueueNames::new(queue, prefix), false).is_ok(), "{prefix}");
        }
    }

    /// Everything that scripts call and that the code sends, in lower case, as far as it stands in the text.
    fn used(folder: &std::path::Path, text: &mut String) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                used(&path, text);
            } else if path.file_name().is_some_and(|name| name != "acl.rs" && name != "tests.rs") {
                text.push_str(&std::fs::read_to_string(&path).unwrap().to_lowercase());
            }
        }
    }

    #[test]
    fn a_router_may_use_what_its_scripts_call_and_nothing_that_is_not_used() {
        let mut text = String::new();
        used(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/redis"), &mut text);
        let allowed: Vec<&str> = ON_KEYS
            .split_whitespace()
            .chain(WITHOUT_KEYS.split_whitespace())
            .map(|rule| rule.trim_start_matches('+').split('|').next().unwrap())
            .collect();
        for called in text.split("call('").skip(1) {
            let name = called.split('\'').next().unwrap();
            assert!(allowed.contains(&name), "{name} is called and not allowed");
        }
        // The client's own ones.
        let implied = ["eval", "script", "psetex"];
        for name in allowed {
            let forms = [format!("'{name}'"), format!("\"{name}\""), format!(".{name}(")];
            let is_used = forms.iter().any(|form| text.contains(form));
            assert!(is_used || implied.contains(&name), "{name} is allowed and not used");
        }
    }

    #[test]
    fn a_name_that_would_be_two_rules_is_refused() {
        for name in ["a b", "a\n+@all", "a)(+@all"] {
            assert!(Acl::new(&QueueNames::new(name, "r:"), false).is_err());
            assert!(Acl::new(&QueueNames::new("q", name), false).is_err());
        }
    }

    #[test]
    fn the_book_names_the_agents_rules() {
        let page = include_str!("../../../docs/src/deploy.md");
        let acl = Acl::new(&QueueNames::default(), false).unwrap();
        let written = acl.agent.replace('(', "'(").replace(')', ")'");
        assert!(
            page.contains(&format!("ACL SETUSER agent on '>password' {written}\n")),
            "{written}"
        );
    }
}
