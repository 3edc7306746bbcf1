//! What the policy decides, over all effects, trust bits and grants.

mod any;

use std::time::Duration;

use protocol::{
    ActionName, Command, Effect, Millis, Object, OwnWords, Principal, Reads, SessionKey, Taint,
};
use secrets::Secrets;
use serde_json::json;

use super::*;
use crate::catalog::{Catalog, Found, scan};
use crate::config::RouterConfig;

const EFFECTS: [Effect; 4] = [Effect::None, Effect::Local, Effect::External, Effect::Irreversible];

/// A call to judge.
struct Wish {
    action: ActionName,
    params: Object,
    effect: Effect,
    session: SessionKey,
    principal: Principal,
    reads: Reads,
    said: Option<&'static str>,
}

impl Wish {
    fn new(effect: Effect) -> Self {
        Self {
            action: ActionName::new("CREATE_POST").unwrap(),
            params: object(json!({"platform": "X", "text": "hi"})),
            effect,
            session: SessionKey::new("owner").unwrap(),
            principal: Principal::new("console:owner").unwrap(),
            reads: Reads::NONE,
            said: None,
        }
    }

    fn asked(&self) -> Asked<'_> {
        Asked {
            action: &self.action,
            params: &self.params,
            effect: self.effect,
            reads: self.reads,
            dry_run: false,
            session: Some(&self.session),
            principal: Some(&self.principal),
            said: self.said.map(|said| OwnWords::new(said, &std::collections::BTreeMap::new())),
            skill: None,
            texts: vec!["platform", "text"],
        }
    }
}

fn object(value: serde_json::Value) -> Object {
    value.as_object().unwrap().clone()
}

fn policy(text: &str) -> Policy {
    Policy::new(read(text).unwrap().rules)
}

/// A policy with all effects allowed as far as a file can, and with these rules.
fn loose(rules: &str) -> Policy {
    policy(&format!(
        "[effects]\nnone = 'allow'\nlocal = 'allow'\nexternal = 'allow'\nirreversible = 'ask'\n{rules}"
    ))
}

fn grant() -> Grant {
    Grant {
        id: "g1".to_owned(),
        scope: Scope {
            action: ActionName::new("CREATE_POST").unwrap(),
            skill: None,
            params: object(json!({"platform": "X"})),
            hosts: std::collections::BTreeMap::new(),
            open: vec!["text".to_owned()],
            session: Some(SessionKey::new("owner").unwrap()),
            principal: Some(Principal::new("console:owner").unwrap()),
        },
        until: Millis(2_000),
        times: None,
        used: 0,
        given_by: Principal::new("console:owner").unwrap(),
    }
}

fn standing(taint: &str) -> Standing {
    Standing {
        taint: Taint::try_from(taint.to_owned()).unwrap(),
        now: Millis(1_000),
        ..Standing::default()
    }
}

/// What is decided about a call with this effect, by which rule.
fn decided(policy: &Policy, effect: Effect, standing: &Standing) -> (Then, String) {
    let ruling = policy.rule_on(&Wish::new(effect).asked(), standing);
    (ruling.then, ruling.rule)
}

fn is(then: Then, rule: &str) -> (Then, String) {
    (then, rule.to_owned())
}

#[test]
fn a_fresh_install_asks_before_anything_is_seen_elsewhere() {
    let policy = policy(DEFAULT);
    let then = EFFECTS.map(|effect| decided(&policy, effect, &standing("")).0);
    assert_eq!(then, [Then::Allow, Then::Allow, Then::Ask, Then::Ask]);
    assert_eq!(policy.limits(), Limits::default());
    assert_eq!(*policy.approval(), ApprovalTerms::default());
    assert_eq!(policy.approval().expires, Duration::from_secs(600));
}

#[test]
fn what_has_no_rule_is_refused() {
    let policy = policy("[effects]\nnone = 'allow'\n");
    let refused = is(Then::Refuse, "effects.external");
    assert_eq!(decided(&policy, Effect::External, &standing("")), refused);
}

#[test]
fn what_no_file_loosens() {
    let policy = loose("[[rules]]\naction = '*'\nparams = {platform = '*'}\nthen = 'allow'\n");
    let rule = is(Then::Allow, "rule 1 (line 6)");
    for (effect, taint, expected) in [
        (Effect::External, "", rule.clone()),
        (Effect::External, "P", rule.clone()),
        (Effect::External, "T", is(Then::Ask, "fixed: external under T")),
        (Effect::External, "TP", is(Then::Ask, "fixed: external under T and P")),
        (Effect::Irreversible, "", is(Then::Ask, "fixed: irreversible")),
        (Effect::Local, "TP", rule.clone()),
        (Effect::None, "TP", rule),
    ] {
        assert_eq!(decided(&policy, effect, &standing(taint)), expected, "{effect} {taint}");
    }
    let ruling = policy.rule_on(&Wish::new(Effect::Irreversible).asked(), &standing(""));
    assert!(ruling.needs_code && !ruling.grantable);
}

#[test]
fn an_unknown_address_is_a_way_out_from_the_first_answer_on() {
    let policy = loose("");
    let way_out = Some(WayOut::Address);
    let at = |taint| Standing { way_out, grants: vec![grant()], ..standing(taint) };
    for taint in ["", "P"] {
        let asked = is(Then::Ask, "fixed: a way out that nobody judged");
        assert_eq!(decided(&policy, Effect::None, &at(taint)), asked);
    }
    let under_t = is(Then::Ask, "fixed: external under T");
    assert_eq!(decided(&policy, Effect::None, &at("T")), under_t, "and no grant counts");
    let wish = Wish::new(Effect::None);
    let dry = Asked { dry_run: true, ..wish.asked() };
    assert_eq!(policy.rule_on(&dry, &at("T")).then, Then::Allow);
    let careful = super::tests::policy("[effects]\nnone = 'ask'\nexternal = 'allow'\n");
    assert_eq!(
        decided(&careful, Effect::None, &at("P")),
        is(Then::Ask, "fixed: a way out that nobody judged")
    );
    let asking = super::tests::policy("[effects]\nnone = 'allow'\nexternal = 'ask'\n");
    assert_eq!(decided(&asking, Effect::None, &at("P")).0, Then::Ask);
}

#[test]
fn a_host_is_granted_without_its_query() {
    let policy = loose("");
    let wish =
        |url: &str| Wish { params: object(json!({ "url": url })), ..Wish::new(Effect::None) };
    let first = wish("https://news.example/today");
    let scope = Scope { params: first.params.clone(), open: Vec::new(), ..grant().scope };
    let grant = Grant { scope: scope.by_host().unwrap(), ..grant() };
    assert_eq!(
        grant.scope.to_string(),
        "CREATE_POST with any url at news.example that has no query"
    );
    for taint in ["", "P", "TP"] {
        let way_out = Some(WayOut::Address);
        let at = Standing { way_out, grants: vec![grant.clone()], ..standing(taint) };
        let then = |url| policy.rule_on(&wish(url).asked(), &at).then;
        assert_eq!(then("https://news.example/other"), Then::Allow, "{taint}");
        for url in [
            "https://news.example/?q=x",
            "https://evil.example/",
            "https://news.example.evil.example/",
        ] {
            assert_eq!(then(url), Then::Ask, "{url}");
        }
    }
}

#[test]
fn what_the_owner_typed_word_for_word_needs_no_second_yes() {
    let own = |effect, said| Wish { said: Some(said), ..Wish::new(effect) };
    let then =
        |policy: &Policy, wish: &Wish, taint| policy.rule_on(&wish.asked(), &standing(taint));
    let (open, asking) = (loose(""), policy(DEFAULT));
    let mut order = own(Effect::External, "Post to X: hi");
    order.params = object(json!({"text": "hi"}));
    for taint in ["", "T", "P", "TP"] {
        assert_eq!(then(&open, &order, taint).then, Then::Allow, "{taint}");
        let asked = then(&asking, &order, taint);
        assert_eq!((asked.then, asked.rule.as_str()), (Then::Ask, "effects.external"));
        assert!(asked.reason.contains("word for word"), "{}", asked.reason);
    }
    let elsewhere = Wish { session: SessionKey::new("telegram:7").unwrap(), ..order };
    assert_eq!(then(&open, &elsewhere, "T").then, Then::Ask, "a guest orders nothing");
    let mut wiped = own(Effect::Irreversible, "Wipe: hi");
    wiped.params = object(json!({"text": "hi"}));
    let asked = then(&open, &wiped, "TP");
    assert_eq!((asked.then, asked.needs_code), (Then::Ask, false));
    let mut other = own(Effect::External, "Post to X: something else");
    other.params = object(json!({"text": "hi"}));
    assert_eq!(then(&open, &other, "T").then, Then::Ask);
}

#[test]
fn what_is_private_is_the_owners_until_a_rule_says_otherwise() {
    let private = |session: &str| Wish {
        reads: Reads::PRIVATE,
        session: SessionKey::new(session).unwrap(),
        ..Wish::new(Effect::None)
    };
    let ruled = |policy: &Policy, session: &str| {
        policy.rule_on(&private(session).asked(), &standing("")).then
    };
    for session in ["owner", "owner.2"] {
        assert_eq!(ruled(&loose(""), session), Then::Allow);
    }
    for session in ["telegram:7", "guest", "owner2"] {
        assert_eq!(ruled(&loose(""), session), Then::Refuse, "{session}");
    }
    // This one has no parameter that the router fills with whose it is to be.
    let rule = loose("[[rules]]\naction = '*'\nsession = 'telegram:*'\nthen = 'allow'\n");
    assert_eq!(ruled(&rule, "telegram:7"), Then::Refuse);
}

#[test]
fn a_rule_knows_a_host_however_it_is_spelled() {
    let policy = loose("[[rules]]\naction = '*'\nhost = '*evil.example'\nthen = 'refuse'\n");
    let then = |url: &str| {
        let wish = Wish { params: object(json!({ "url": url })), ..Wish::new(Effect::None) };
        policy.rule_on(&wish.asked(), &standing("")).then
    };
    for url in [
        "http://EVIL.example/",
        "http://evil%2eexample/",
        "evil.example",
        "https://a.evil.example./x",
        "http://ⓔvil.example",
        "http://me@evil.example:8080",
    ] {
        assert_eq!(then(url), Then::Refuse, "{url}");
    }
    assert_eq!(then("https://good.example/?evil.example"), Then::Allow);
}

#[test]
fn a_grant_answers_for_a_person_within_its_bounds() {
    let policy = policy(DEFAULT);
    let judged = |wish: &Wish, grant: Grant, taint| {
        let standing = Standing { grants: vec![grant], ..standing(taint) };
        policy.rule_on(&wish.asked(), &standing)
    };
    let wish = || Wish::new(Effect::External);
    let typed = || Wish { said: Some("Post to X: hi"), ..wish() };
    for (wish, taint) in [(wish(), ""), (wish(), "P"), (typed(), "T"), (typed(), "TP")] {
        let ruling = judged(&wish, grant(), taint);
        assert_eq!((ruling.then, ruling.rule.as_str()), (Then::Allow, "grant g1"));
        assert_eq!(ruling.spends, Some(Spend::Grant { id: "g1".to_owned(), times: None }));
    }
    for taint in ["T", "TP"] {
        assert_eq!(judged(&wish(), grant(), taint).then, Then::Ask, "its text is nobody's");
    }
    let other = |change: fn(&mut Wish)| {
        let mut wish = wish();
        change(&mut wish);
        judged(&wish, grant(), "").then
    };
    let elsewhere = other(|wish| drop(wish.params.insert("platform".into(), "LinkedIn".into())));
    let more = other(|wish| drop(wish.params.insert("visibility".into(), "public".into())));
    let less = other(|wish| drop(wish.params.remove("platform")));
    let action = other(|wish| wish.action = ActionName::new("DELETE_POST").unwrap());
    let session = other(|wish| wish.session = SessionKey::new("guest").unwrap());
    let person = other(|wish| wish.principal = Principal::new("telegram:7").unwrap());
    assert_eq!([elsewhere, more, less, action, session, person], [Then::Ask; 6]);
    let late = Grant { until: Millis(1_000), ..grant() };
    let spent = Grant { times: Some(2), used: 2, ..grant() };
    assert_eq!([late, spent].map(|grant| judged(&wish(), grant, "").then), [Then::Ask; 2]);
}

#[test]
fn a_refusal_stays_one_whatever_was_granted() {
    let policy = loose("[[rules]]\naction = 'CREATE_*'\nthen = 'refuse'\n");
    let standing = Standing { grants: vec![grant()], ..standing("") };
    for effect in EFFECTS {
        assert_eq!(decided(&policy, effect, &standing), is(Then::Refuse, "rule 1 (line 6)"));
    }
}

#[test]
fn a_rule_ends_with_its_time_and_its_count() {
    let policy = loose(
        "[[rules]]\naction = 'CREATE_POST'\nthen = 'refuse'\nuntil = 1970-01-01T00:00:01Z\n\
         [[rules]]\naction = 'CREATE_POST'\nthen = 'allow'\ntimes = 2\n\
         [[rules]]\naction = 'CREATE_POST'\nthen = 'ask'\n",
    );
    let at = |now| Standing { now: Millis(now), ..Standing::default() };
    let first = policy.rule_on(&Wish::new(Effect::External).asked(), &at(999));
    assert_eq!(first.rule, "rule 1 (line 6)");
    let second = policy.rule_on(&Wish::new(Effect::External).asked(), &at(1_000));
    assert_eq!(second.rule, "rule 2 (line 10)");
    let Some(Spend::Rule { id, times: 2 }) = second.spends else { panic!("{second:?}") };
    let used = Standing { used: [(id, 2)].into(), ..at(1_000) };
    assert_eq!(decided(&policy, Effect::External, &used), is(Then::Ask, "rule 3 (line 14)"));
}

#[test]
fn a_rule_looks_at_what_it_names_and_at_nothing_else() {
    let matches = |conditions: &str| {
        let rules = format!("[[rules]]\nthen = 'refuse'\n{conditions}\n");
        decided(&loose(&rules), Effect::External, &standing("")).0 == Then::Refuse
    };
    for yes in [
        "action = 'CREATE_POST'",
        "action = 'CREATE_*'\nchannel = 'console'",
        "action = '*'\nprincipal = 'console:owner'\nsession = 'owner'",
        "action = '*'\nparams = { platform = 'X' }",
        "action = '*'\nparams = { text = 'h*', platform = '*' }",
    ] {
        assert!(matches(yes), "{yes}");
    }
    for no in [
        "action = 'CREATE'",
        "action = '*'\nchannel = 'con'",
        "action = '*'\nprincipal = 'telegram:*'",
        "action = '*'\nsession = 'guest'",
        "action = '*'\nparams = { platform = 'x' }",
        "action = '*'\nparams = { absent = '*' }",
        "action = '*'\nparams = { text = 5 }",
    ] {
        assert!(!matches(no), "{no}");
    }
}

/// A call of a first-party skill in a fresh home.
fn call(action: &str, params: serde_json::Value) -> Call {
    let home = testkit::TempHome::new();
    crate::defaults::write_missing(&home).unwrap();
    let found = scan(&home.router_skills(), &RouterConfig::default(), &Found::default());
    let command = json!({
        "message_id": "m", "action": action, "params": params, "session": "owner",
        "principal": "console:owner",
    });
    let command = Command::from_bytes(command.to_string().as_bytes()).unwrap();
    let secrets = Secrets::new([("X_TOKEN", "hunter2hunter2")]);
    Call::new(command, 1, &Catalog::fixed(found), &secrets, Millis(1_000)).unwrap()
}

#[test]
fn always_means_the_same_choices_and_any_text() {
    let call = || call("CREATE_POST", json!({"platform": "X", "text": "hi"}));
    let Verdict::Ask(question) = policy(DEFAULT).judge(call(), &standing("")) else { panic!() };
    let scope = question.grantable().unwrap();
    assert_eq!(scope, Scope { skill: scope.skill, ..grant().scope });
    assert!(scope.skill.is_some());
    assert_eq!(scope.to_string(), "CREATE_POST with platform = \"X\" and any text");
    let kept = serde_json::to_string(&grant()).unwrap();
    assert_eq!(serde_json::from_str::<Grant>(&kept).unwrap(), grant());
    let standing = Standing { grants: vec![grant()], ..standing("") };
    let Verdict::Allow(approved) = policy(DEFAULT).judge(call(), &standing) else { panic!() };
    assert_eq!(approved.rule(), "grant g1");
    assert!(matches!(approved.spends(), Some(Spend::Grant { .. })));
    let mut nobodys = call();
    nobodys.command.envelope.session = None;
    assert_eq!(Scope::of(&nobodys, None), None);
}

#[test]
fn a_grants_words_hold_nothing_that_looks_like_something_else() {
    let params = object(json!({"to": "a\u{202e}b", "count": 2}));
    let scope = Scope { params, open: Vec::new(), ..grant().scope };
    assert_eq!(scope.to_string(), "CREATE_POST with to = \"a\\u{202e}b\" and count = 2");
}
