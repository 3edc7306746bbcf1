//! Prompts where there are many actions.

use super::*;

/// So many of no use beside the first party's.
fn skills(count: usize) -> [Vec<ActionCard>; 2] {
    let mut many = cards();
    for n in 0..count {
        let mut card = many[1][1].clone();
        card.name = ActionName::new(format!("SKILL_{n}")).unwrap();
        card.instruction = format!("Turn the number {n}x around.");
        card.examples[0].say = format!("Turn {n}x.");
        many[1].push(card);
    }
    many
}

#[test]
fn of_many_actions_what_stays_holds_the_names_alone() {
    let scene = Scene::default();
    for way in [Way::ToolCode, Way::Json] {
        let size = |count| {
            let many = skills(count);
            let fit = fitted(&scene.step(&many, "please 7x"), way, usize::MAX);
            let (stays, behind) = fit.text.split_at(fit.stable);
            assert!(stays.contains("SKILL_19") && !stays.contains("Turn 7x."), "{way:?}");
            assert!(behind.contains("Turn 7x."), "{way:?}: {behind}");
            stays.len()
        };
        let of_one_more = (size(80) - size(20)) / 60;
        assert!(of_one_more <= "SKILL_79, ".len(), "{way:?}: {of_one_more} bytes");
    }
}

#[test]
fn of_many_actions_those_are_described_that_fit_the_message_behind_what_stays() {
    let (scene, many) = (Scene::default(), skills(20));
    let one = fitted(&scene.step(&many, "please 7x"), Way::ToolCode, usize::MAX);
    let other = fitted(&scene.step(&many, "please 11x"), Way::ToolCode, usize::MAX);
    assert_eq!(one.text[..one.stable], other.text[..other.stable]);
    assert!(one.text[..one.stable].contains("SKILL_19"), "all are named");
    assert!(!one.text.contains("number 11x"), "{}", one.text);
    let (_, behind) = one.text.split_at(one.stable);
    assert!(behind.contains("- SKILL_7(name?: string) Turn the number 7x around."), "{behind}");
}

#[test]
fn an_action_that_somebody_writes_anew_is_found_and_shown_as_it_is_then() {
    let (scene, mut many) = (Scene::default(), cards());
    for n in 0..20 {
        let mut card = many[1][1].clone();
        card.name = ActionName::new(format!("TRICK_{n}")).unwrap();
        many[1].push(card);
    }
    let behind = |cards: &[Vec<ActionCard>; 2], message: &str| {
        let text = fitted(&scene.step(cards, message), Way::ToolCode, usize::MAX);
        text.text[text.stable..].to_owned()
    };
    let shown = |text: &str| text.matches("\n- ").count();
    assert!(shown(&behind(&many, "juggle, please")) > 20, "no word tells, so all are shown");
    let trick = many[1].last_mut().unwrap();
    trick.instruction = "Juggle with balls.".to_owned();
    trick.params = object(json!({"balls": {"type": "integer"}, "hands": {"type": "integer"}}));
    let text = behind(&many, "juggle, please");
    assert!(shown(&text) == 1 && text.contains("Juggle with balls."), "{text}");
    let trick = many[1].last_mut().unwrap();
    trick.params = std::mem::take(&mut trick.params).into_iter().rev().collect();
    let text = behind(&many, "juggle, please");
    assert!(text.contains("(hands: integer, balls: integer)"), "{text}");
}
