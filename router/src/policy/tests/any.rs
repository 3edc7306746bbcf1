//! What holds for any policy, in any session.

use proptest::prelude::*;

use super::*;

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
    (any::<(bool, bool, bool, bool)>()).prop_map(|(untrusted, private, is_foreign, granted)| {
        Standing {
            taint: Taint { untrusted, private },
            way_out: is_foreign.then_some(WayOut::Address),
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
        let Standing { taint: Taint { untrusted, .. }, way_out, .. } = standing;
        prop_assert!(!untrusted || then(Effect::External) != Then::Allow);
        prop_assert!(way_out.is_none() || then(Effect::None) != Then::Allow);
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
