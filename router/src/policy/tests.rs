//! What the policy decides, over all effects, trust bits and grants.

use std::time::Duration;

use proptest::prelude::*;
use protocol::{ActionName, Command, Effect, Millis, Object, Principal, SessionKey, Taint};
use serde_json::json;

use super::*;
use crate::catalog::{Catalog, Found, scan};
use crate::config::RouterConfig;
use crate::secrets::Secrets;

const EFFECTS: [Effect; 4] = [Effect::None, Effect::Local, Effect::External, Effect::Irreversible];

/// A call to judge.
struct Wish {
    action: ActionName,
    params: Object,
    effect: Effect,
    session: SessionKey,
    principal: Principal,
}

impl Wish {
    fn new(effect: Effect) -> Self {
        Self {
            action: ActionName::new("CREATE_POST").unwrap(),
            params: object(json!({"platform": "X", "text": "hi"})),
            effect,
            session: SessionKey::new("owner").unwrap(),
            principal: Principal::new("console:owner").unwrap(),
        }
    }

    fn asked(&self) -> Asked<'_> {
        Asked {
            action: &self.action,
            params: &self.params,
            effect: self.effect,
            dry_run: false,
            session: Some(&self.session),
            principal: Some(&self.principal),
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
            params: object(json!({"platform": "X"})),
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
fn an_unknown_address_is_a_way_out_once_something_has_entered() {
    let policy = loose("");
    let at = |taint| Standing { foreign_url: true, grants: vec![grant()], ..standing(taint) };
    assert_eq!(decided(&policy, Effect::None, &at("")), is(Then::Allow, "effects.none"));
    let under_t = is(Then::Ask, "fixed: external under T");
    assert_eq!(decided(&policy, Effect::None, &at("T")), under_t, "and no grant counts");
    let ruling = policy.rule_on(&Wish::new(Effect::None).asked(), &at("T"));
    assert!(!ruling.grantable);
    let wish = Wish::new(Effect::None);
    let dry = Asked { dry_run: true, ..wish.asked() };
    assert_eq!(policy.rule_on(&dry, &at("T")).then, Then::Allow);
    let careful = super::tests::policy("[effects]\nnone = 'ask'\nexternal = 'allow'\n");
    assert_eq!(decided(&careful, Effect::None, &at("P")), is(Then::Ask, "effects.none"));
    let asking = super::tests::policy("[effects]\nnone = 'allow'\nexternal = 'ask'\n");
    assert_eq!(decided(&asking, Effect::None, &at("P")), is(Then::Ask, "effects.external"));
}

#[test]
fn a_grant_answers_for_a_person_within_its_bounds() {
    let policy = policy(DEFAULT);
    let judged = |wish: &Wish, grant: Grant, taint| {
        let standing = Standing { grants: vec![grant], ..standing(taint) };
        policy.rule_on(&wish.asked(), &standing)
    };
    let wish = || Wish::new(Effect::External);
    for taint in ["", "T"] {
        let ruling = judged(&wish(), grant(), taint);
        assert_eq!((ruling.then, ruling.rule.as_str()), (Then::Allow, "grant g1"));
        assert_eq!(ruling.spends, Some(Spend::Grant { id: "g1".to_owned(), times: None }));
    }
    assert_eq!(judged(&wish(), grant(), "TP").then, Then::Ask);
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
    assert_eq!(scope, grant().scope);
    assert_eq!(scope.to_string(), "CREATE_POST with platform = \"X\" and any text");
    let kept = serde_json::to_string(&grant()).unwrap();
    assert_eq!(serde_json::from_str::<Grant>(&kept).unwrap(), grant());
    let standing = Standing { grants: vec![grant()], ..standing("T") };
    let Verdict::Allow(approved) = policy(DEFAULT).judge(call(), &standing) else { panic!() };
    assert_eq!(approved.rule(), "grant g1");
    assert!(matches!(approved.spends(), Some(Spend::Grant { .. })));
    let mut nobodys = call();
    nobodys.command.envelope.session = None;
    assert_eq!(Scope::of(&nobodys), None);
}

#[test]
fn a_grants_words_hold_nothing_that_looks_like_something_else() {
    let params = object(json!({"to": "a\u{202e}b", "count": 2}));
    let scope = Scope { params, open: Vec::new(), ..grant().scope };
    assert_eq!(scope.to_string(), "CREATE_POST with to = \"a\\u{202e}b\" and count = 2");
}

/// Policies that differ in everything that a verdict can depend on.
fn any_policy() -> impl Strategy<Value = Policy> {
    let then = prop_oneof![Just("allow"), Just("ask"), Just("refuse")];
    let effects =
        (then.clone(), then.clone(), then.clone(), prop_oneof![Just("ask"), Just("refuse")]);
    let rule = (then, prop_oneof![Just("*"), Just("CREATE_*"), Just("OTHER")]);
    (effects, proptest::option::of(rule)).prop_map(
        |((none, local, external, irreversible), rule)| {
            let rule = rule
                .map(|(then, action)| format!("[[rules]]\naction = '{action}'\nthen = '{then}'\n"));
            policy(&format!(
                "[effects]\nnone = '{none}'\nlocal = '{local}'\nexternal = '{external}'\n\
             irreversible = '{irreversible}'\n{}",
                rule.unwrap_or_default()
            ))
        },
    )
}

fn any_standing() -> impl Strategy<Value = Standing> {
    (any::<(bool, bool, bool, bool)>()).prop_map(|(untrusted, private, foreign_url, granted)| {
        Standing {
            taint: Taint { untrusted, private },
            foreign_url,
            grants: granted.then(grant).into_iter().collect(),
            now: Millis(1_000),
            ..Standing::default()
        }
    })
}

proptest! {
    #[test]
    fn no_policy_and_no_grant_loosens_the_floor(policy in any_policy(), standing in any_standing()) {
        let then = |effect| decided(&policy, effect, &standing).0;
        prop_assert_ne!(then(Effect::Irreversible), Then::Allow);
        let Taint { untrusted, private } = standing.taint;
        if untrusted && (private || standing.foreign_url || standing.grants.is_empty()) {
            prop_assert_ne!(then(Effect::External), Then::Allow);
            if standing.foreign_url {
                prop_assert_ne!(then(Effect::None), Then::Allow);
            }
        }
    }

    #[test]
    fn a_trust_bit_never_loosens(
        policy in any_policy(), standing in any_standing(), at in 0..4_usize, more in any::<(bool, bool)>()
    ) {
        let raised = Taint { untrusted: more.0, private: more.1 }.with(standing.taint);
        let raised = Standing { taint: raised, ..standing.clone() };
        let then = |standing| decided(&policy, EFFECTS[at], standing).0;
        prop_assert!(then(&raised) >= then(&standing));
    }

    #[test]
    fn a_grant_only_ever_answers_a_question(
        policy in any_policy(), standing in any_standing(), at in 0..4_usize
    ) {
        let without = Standing { grants: Vec::new(), ..standing.clone() };
        let (before, _) = decided(&policy, EFFECTS[at], &without);
        let (after, _) = decided(&policy, EFFECTS[at], &standing);
        prop_assert!(after == before || (before, after) == (Then::Ask, Then::Allow));
    }

    #[test]
    fn reading_never_panics(text in "[a-z\\[\\]=\"'{}0-9 \n*#.:-]{0,200}") {
        let _ = read(&text);
    }
}
