//! The addresses that a session knows: typed by a person, or shown to it as links.
//!
//! A skill that may reach any host can carry words out in the address itself, so it goes only where a person or a page has
//! pointed. Which of the known addresses is chosen can tell something, too; [`Reach::bits`] says how much.

use protocol::{Command, Object, OwnWords, texts};
use serde_json::Value;
use sha2::{Digest, Sha256};
use url::Url;

use crate::policy::Glob;

/// How many links of one result become known, the first ones: what WEB_FETCH lists of a page.
const OF_A_RESULT: usize = 16;

/// How many addresses are remembered of a session; the oldest make way.
const REMEMBERED: usize = 256;

/// What a session knows that could name an address.
pub(super) struct KnownPlaces<'a> {
    /// The fingerprints of the addresses that it was shown.
    pub(super) shown: &'a [u64],
    /// Those that its person typed.
    pub(super) typed: &'a [String],
    /// What its person typed for this very message.
    pub(super) said: Option<&'a str>,
    /// The hosts that a model may name.
    pub(super) named: &'a [Glob],
    /// Whether a browser goes there. No request carries the fragment of an address, but a browser gives it to the scripts of the
    /// page, which may send it anywhere.
    pub(super) in_browser: bool,
}

impl KnownPlaces<'_> {
    fn typed(&self) -> Vec<u64> {
        self.typed.iter().flat_map(|link| [fingerprint(link), whole(link)]).flatten().collect()
    }
}

/// How far parameters reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reach {
    /// A text in them is no address that anybody pointed to.
    pub(super) is_foreign: bool,
    /// How many bits the choice of the addresses can tell.
    pub(super) bits: u32,
}

/// The fingerprints of the links that `result` shows: each a value of its own, and no more than a few.
pub(super) fn within(result: &Object) -> Vec<u64> {
    let mut found = Vec::new();
    for text in texts(result) {
        if egress::is_link(text)
            && let Some(link) = fingerprint(text).filter(|link| !found.contains(link))
        {
            found.push(link);
        }
    }
    found.truncate(OF_A_RESULT);
    found
}

/// The fingerprints of the addresses that `result` brings. What only repeats what `command` was given, as an echo does,
/// brings none.
pub(super) fn new_in(command: &Command, result: &Object) -> Vec<u64> {
    let given: Vec<u64> = carried(&command.params).iter().flat_map(|it| fingerprint(it)).collect();
    within(result).into_iter().filter(|link| !given.contains(link)).collect()
}

/// The addresses anywhere in the texts of `object`.
pub(super) fn carried(object: &Object) -> Vec<String> {
    texts(object).into_iter().flat_map(egress::mentioned).collect()
}

/// `known` with `new` behind it, each once.
pub(super) fn joined(known: Vec<u64>, new: &[u64]) -> Vec<u64> {
    let mut all: Vec<u64> = known.into_iter().filter(|link| !new.contains(link)).collect();
    for link in new {
        if !all.contains(link) {
            all.push(*link);
        }
    }
    all.drain(..all.len().saturating_sub(REMEMBERED));
    all
}

/// How far `params` reach for who knows these places.
pub(super) fn reach(params: &Object, places: &KnownPlaces) -> Reach {
    let typed = places.typed();
    let choices = places.shown.len() + places.typed.len();
    let mut reach = Reach { is_foreign: false, bits: 0 };
    for text in texts(params) {
        let link = if places.in_browser { whole(text) } else { fingerprint(text) };
        let is_known = |links: &[u64]| link.is_some_and(|link| links.contains(&link));
        if is_known(&typed) && places.said.is_some_and(|said| said.contains(text.trim())) {
            // There is no choice in what was asked for just now.
        } else if is_named(text, places) {
            // Nor does a choice tell more where the model may name any address.
        } else if is_known(&typed) || is_known(places.shown) {
            // The logarithm of the choices, whole bits.
            reach.bits += usize::BITS - choices.saturating_sub(1).leading_zeros();
        } else {
            match typed_bits(text, places.said) {
                Some(bits) => reach.bits += bits,
                None => reach.is_foreign = true,
            }
        }
    }
    reach
}

/// The same for what is sent to a host that a skill names. It may hand back as a link what it was sent, so an address that nobody
/// pointed to is foreign anywhere in a text.
pub(super) fn sent(params: &Object, places: &KnownPlaces) -> Reach {
    let known = [&places.typed(), places.shown].concat();
    let is_new = |link: &String| fingerprint(link).is_some_and(|link| !known.contains(&link));
    let is_foreign = carried(params).iter().any(|link| is_new(link) && !is_named(link, places));
    Reach { is_foreign, bits: 0 }
}

/// How many bits a text can tell that is no address, and nothing but what the person has just typed; `None` for any other.
fn typed_bits(text: &str, said: Option<&str>) -> Option<u32> {
    let said = OwnWords::new(said?, &std::collections::BTreeMap::new());
    if egress::is_address(text) { None } else { said.choice(&Value::from(text)) }
}

/// Whether `text` is an address at a host that may be named, with nothing behind its path that is sent.
fn is_named(text: &str, places: &KnownPlaces) -> bool {
    let url = if places.named.is_empty() { None } else { egress::address(text) };
    let host = |url: &Url| url.host_str().map(|host| host.trim_end_matches('.').to_owned());
    url.filter(|url| url.query().is_none() && url.username().is_empty())
        .filter(|url| url.fragment().is_none() || !places.in_browser)
        .and_then(|url| host(&url))
        .is_some_and(|host| places.named.iter().any(|named| named.matches(&host)))
}

/// What tells an http(s) address from others: without its fragment.
fn fingerprint(text: &str) -> Option<u64> {
    let mut url = egress::address(text)?;
    url.set_fragment(None);
    Some(digest(&url))
}

/// What tells an http(s) address from others, fragment and all.
fn whole(text: &str) -> Option<u64> {
    egress::address(text).as_ref().map(digest)
}

fn digest(url: &Url) -> u64 {
    let [a, b, c, d, e, f, g, h, ..]: [u8; 32] = Sha256::digest(url.as_str()).into();
    u64::from_be_bytes([a, b, c, d, e, f, g, h])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(value: Value) -> Object {
        value.as_object().unwrap().clone()
    }

    fn reached(url: &str, shown: &[u64], typed: &[&str], said: Option<&str>) -> Reach {
        let typed: Vec<String> = typed.iter().map(|link| (*link).to_owned()).collect();
        let named = [Glob::new("*.wiki.example")];
        let places = KnownPlaces { shown, typed: &typed, said, named: &named, in_browser: true };
        reach(&object(json!({ "url": url })), &places)
    }

    #[test]
    fn what_is_shown_as_a_link_or_was_typed_is_known() {
        let page = json!({"text": "See https://a.example/x?y=1. Or [this](https://b.example/).",
            "url": "https://d.example/y", "links": [{"url": "https://c.example/deep"}]});
        let known = within(&object(page));
        let is_foreign = |url: &str, typed: &[&str]| reached(url, &known, typed, None).is_foreign;
        for link in ["https://d.example/y", "https://c.example/deep"] {
            assert!(!is_foreign(link, &[]), "{link}");
        }
        assert!(!is_foreign("https://e.example/", &["e.example"]));
        for link in ["https://e.example/a#part", "https://e.example/a"] {
            assert!(!is_foreign(link, &["e.example/a#part"]), "{link}");
        }
        let foreign = [
            "https://a.example/x?y=1",
            "https://b.example",
            "https://c.example",
            "https://c.example/deep#the-diary",
            "not a link",
            "",
        ];
        for link in foreign {
            assert!(is_foreign(link, &[]), "{link}");
        }
    }

    #[test]
    fn what_stands_behind_the_hash_is_sent_by_a_browser_alone() {
        let shown = within(&object(json!({"url": "https://a.example/deep#top"})));
        let is_foreign = |in_browser| {
            let places =
                KnownPlaces { shown: &shown, typed: &[], said: None, named: &[], in_browser };
            reach(&object(json!({"url": "https://a.example/deep#the-diary"})), &places).is_foreign
        };
        assert!(is_foreign(true) && !is_foreign(false));
    }

    #[test]
    fn a_host_that_a_model_may_name_is_no_place_for_words() {
        let is_foreign = |url: &str| reached(url, &[], &[], None).is_foreign;
        assert!(!is_foreign("https://en.wiki.example/Bridge"));
        for url in [
            "https://en.wiki.example/?q=x",
            "https://en.wiki.example/Bridge#the-diary",
            "https://wiki.example.evil.example/",
            "https://evil.example/en.wiki.example",
        ] {
            assert!(is_foreign(url), "{url}");
        }
    }

    #[test]
    fn an_address_is_one_in_every_spelling() {
        let said = Some("Tell me what to cook, and is it hot? 127");
        for url in [
            "🦊。to",
            "to。is",
            "to。is?cook",
            "https:cook。is",
            "\\\\cook。is",
            "co\nok。is",
            "cook.is",
            "127",
            "0x7f",
            "tell\\⠓⠑",
        ] {
            assert!(reached(url, &[], &[], said).is_foreign, "{url}");
        }
        assert_eq!(reached("what to cook", &[], &[], said).bits, 12, "words alone, as of a search");
        let page = object(json!({"url": {"https://evil.example/4711": "x"}}));
        let places = KnownPlaces { shown: &[], typed: &[], said, named: &[], in_browser: false };
        assert!(reach(&page, &places).is_foreign, "the name of a field");
    }

    #[test]
    fn a_choice_tells_its_logarithm_and_what_was_just_typed_nothing() {
        let shown: Vec<u64> = (0..100).chain(fingerprint("https://a.example/")).collect();
        assert_eq!(
            reached("https://a.example/", &shown, &[], None),
            Reach { is_foreign: false, bits: 7 }
        );
        let typed = ["https://a.example/", "https://b.example/"];
        assert_eq!(reached("https://a.example/", &[], &typed, None).bits, 1);
        let said = Some("Read https://a.example/ please");
        assert_eq!(reached("https://a.example/", &[], &typed, said).bits, 0);
        let named: Vec<u64> = fingerprint("https://en.wiki.example/Bridge").into_iter().collect();
        let all = [shown, named].concat();
        assert_eq!(reached("https://en.wiki.example/Bridge", &all, &[], None).bits, 0);
    }

    #[test]
    fn only_so_many_are_shown_and_remembered() {
        let links: Vec<String> = (0..100).map(|n| format!("https://{n}.example/")).collect();
        assert_eq!(within(&object(json!({ "links": links }))).len(), OF_A_RESULT);
        let all = joined(vec![5_000, 2_999], &(0..3_000).collect::<Vec<u64>>());
        assert_eq!((all.len(), all[0]), (REMEMBERED, 3_000 - REMEMBERED as u64));
    }
}
