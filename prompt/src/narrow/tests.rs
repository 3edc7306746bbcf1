//! What a small model is offered for whole messages.

use protocol::{ActionName, Code, Done, Stopped};
use serde_json::json;
use testkit::cards::{agent_cards, router_cards};

use super::*;

/// Everything that can be done, a light and the weather included.
fn cards() -> [Vec<ActionCard>; 2] {
    let more = json!([
        {
            "name": "SWITCH_LIGHT", "instruction": "Turn the light of a room on or off.", "effect": "local",
            "params": {"room": {"type": "string", "enum": ["kitchen", "office"]}},
            "examples": [{"say": "Lights on in the kitchen.", "params": {"room": "kitchen"}}]
        },
        {
            "name": "WEATHER", "instruction": "Tell the weather forecast of a place.", "effect": "none",
            "params": {"city": {"type": "string"}},
            "examples": [{"say": "What will the weather be in Oslo?", "params": {"city": "Oslo"}}]
        }
    ]);
    let more: Vec<ActionCard> = serde_json::from_value(more).unwrap();
    [agent_cards(), [router_cards(), more].concat()]
}

fn offer_after(said: Said<'_>, so_far: &[Observation], typed: &[String]) -> Narrowed {
    let cards = cards();
    narrowed(&Asked { said, cards: [&cards[0], &cards[1]], so_far, typed, memory_unasked: true })
}

fn offer(message: &str) -> Narrowed {
    offer_after(Said::plainly(message), &[], &[])
}

fn names(offer: &Narrowed) -> Vec<&str> {
    offer.cards.iter().map(|card| card.name.as_str()).collect()
}

/// How many actions each answer may ask for.
fn counts(offer: &Narrowed) -> Vec<usize> {
    offer.shapes.iter().map(|shape| shape.actions).collect()
}

/// The values that the parameter may have in each action of the last shape.
fn values(offer: &Narrowed, param: &str) -> Vec<Value> {
    let last = offer.shapes.last().unwrap();
    last.each.iter().map(|card| card.params[param]["enum"].clone()).collect()
}

fn seen(action: &str, code: Option<Code>) -> Observation {
    let result = code.map_or(Ok(Done::default()), |code| Err(Stopped::new(code, "no")));
    Observation::of_local(ActionName::new(action.to_owned()).unwrap(), result)
}

#[test]
fn only_what_the_words_tell_is_offered_and_all_of_it() {
    let offer = offer("Post 'Hi' on X and on Mastodon, and remember that I did");
    assert_eq!(names(&offer), ["CREATE_POST", "_MEMORY_WRITE"]);
    let three = offer.shapes.last().unwrap();
    let each: Vec<&str> = three.each.iter().map(|card| card.name.as_str()).collect();
    assert_eq!(each, ["CREATE_POST", "CREATE_POST", "_MEMORY_WRITE"]);
    assert_eq!(three.thoughts.len(), 1);
    assert_eq!(three.each[0].params["platform"]["enum"], json!(["X"]));
    assert_eq!(three.each[1].params["platform"]["enum"], json!(["Mastodon"]));
}

#[test]
fn without_an_address_none_is_invented() {
    let message = "und was noch, bitte";
    // Nor a network, nor a room.
    let others = ["_MEMORY_WRITE", "HELLO_WORLD", "WEATHER"];
    assert_eq!(names(&offer(message)), others);
    let typed = ["https://example.com".to_owned()];
    let all = offer_after(Said::plainly(message), &[], &typed);
    assert_eq!(names(&all).len(), 7, "an address of before may be meant");
}

#[test]
fn addresses_are_offered_whole_as_they_stand_there() {
    let page = offer("Was steht auf example.org/news?");
    assert_eq!(page.cards[0].params["url"]["enum"], json!(["https://example.org/news"]));
    let file = offer("kurz: output/notes.txt.");
    assert_eq!(file.cards[0].params["content"]["enum"], json!(["output/notes.txt"]));
    let pages = offer("Read https://a.example/x and https://b.example/y");
    assert_eq!(
        values(&pages, "url"),
        [json!(["https://a.example/x"]), json!(["https://b.example/y"])]
    );
}

#[test]
fn a_gloss_tells_what_the_message_does_not() {
    let message = "Mach in der Küche und im Büro das Licht an.";
    assert!(names(&offer(message)).len() > 1);
    let gloss = Some("Turn on the light in the kitchen and in the office.");
    let glossed = offer_after(Said { message, gloss }, &[], &[]);
    assert_eq!(names(&glossed), ["SWITCH_LIGHT"]);
    assert_eq!(values(&glossed, "room"), [json!(["kitchen"]), json!(["office"])]);
}

#[test]
fn a_question_is_answered_and_moves_nothing() {
    for message in [
        "Why do people post so much?",
        "How fast does light travel?",
        "灯为什么会亮?",
        "Hvorfor poster folk så meget?",
    ] {
        let offer = offer(message);
        let acts = |card: &&ActionCard| card.effect != Effect::None;
        assert_eq!(offer.cards.iter().find(acts), None, "{message}");
        assert_eq!(offer.shapes[0].actions, 0, "{message}");
    }
    assert_eq!(names(&offer("How will the weather be in Rome?")), ["WEATHER"]);
    assert_eq!(names(&offer("What about a post on X?")), ["CREATE_POST"]);
    assert_eq!(names(&offer("Can you post 'Hi' on X?")), ["CREATE_POST"]);
}

#[test]
fn what_is_handed_on_is_no_talk() {
    assert_eq!(counts(&offer("put this on X: Good morning!")), [1]);
    assert_eq!(counts(&offer("Post 'Good morning!' on X.")), [1]);
    // It may be meant, and may not.
    assert_eq!(counts(&offer("I like posts")), [0, 1]);
    assert_eq!(counts(&offer("Is 'Good morning!' a fine post on X?")), [0, 1]);
}

#[test]
fn a_slip_is_mended_once() {
    let said = Said::plainly("Post 'Hi' on Twitter");
    let slip = || seen("CREATE_POST", Some(Code::BadParams));
    let after = |so_far: &[Observation]| {
        let offer = offer_after(said, so_far, &[]);
        (names(&offer).join(" "), counts(&offer))
    };
    assert_eq!(after(&[slip()]), ("CREATE_POST".to_owned(), vec![1]));
    assert_eq!(after(&[slip(), slip()]), (String::new(), vec![0]));
    assert_eq!(after(&[slip(), seen("CREATE_POST", None)]), (String::new(), vec![0]));
    let misspelt = seen("CREATE_POSTS", Some(Code::UnknownAction));
    assert_eq!(after(&[misspelt]), ("CREATE_POST".to_owned(), vec![1]));
    let unknown = || seen("FLY", Some(Code::UnknownAction));
    assert_eq!(after(&[unknown()]), ("CREATE_POST".to_owned(), vec![1]), "it is all that is told");
    // What is merely spelt alike is not done instead.
    let two = Said::plainly("Post 'Hi' on X and remember that I did");
    for said in [two, Said::plainly("und was noch?")] {
        let offer = offer_after(said, &[seen("DELETE_POST", Some(Code::UnknownAction))], &[]);
        assert_ne!(counts(&offer), [1], "{}", said.message);
    }
}

#[test]
fn what_is_done_is_not_done_again() {
    let said = Said::plainly("Post 'Hi' on X and remember that I did");
    let after = |so_far: &[Observation]| counts(&offer_after(said, so_far, &[]));
    assert_eq!(after(&[seen("CREATE_POST", None)]), [1, 1]);
    assert_eq!(after(&[seen("CREATE_POST", None), seen("_MEMORY_WRITE", None)]), [0]);
    let untold = Said::plainly("und was noch?");
    let offer = offer_after(untold, &[seen("HELLO_WORLD", None)], &[]);
    assert_eq!((counts(&offer), names(&offer).len()), (vec![0], 0));
}

#[test]
fn who_has_acted_tells_what_came_of_it() {
    let said = Said::plainly("Post 'Hi' on X");
    let thoughts =
        |so_far: &[Observation]| offer_after(said, so_far, &[]).shapes[0].thoughts.clone();
    assert_eq!(thoughts(&[seen("CREATE_POST", None)]), [DONE]);
    assert_eq!(thoughts(&[seen("CREATE_POST", None), seen("WEATHER", None)]), [TELL_RESULTS]);
    assert_eq!(thoughts(&[seen("CREATE_POST", Some(Code::Owner))]), [TELL_WHY]);
}

#[test]
fn many_actions_of_any_kind_are_thought_of_freely() {
    let mut cards = cards();
    let card = cards[1][1].clone();
    cards[1].extend((0..20).map(|number| ActionCard {
        name: ActionName::new(format!("OTHER_{number}")).unwrap(),
        ..card.clone()
    }));
    let said = Said::plainly("hmm, na ja");
    let asked = Asked {
        said,
        cards: [&cards[0], &cards[1]],
        so_far: &[],
        typed: &[],
        memory_unasked: true,
    };
    let two = narrowed(&asked).shapes.pop().unwrap();
    assert_eq!((two.actions, two.thoughts.len()), (2, 0));
}

#[test]
fn of_a_long_message_no_parts_are_listed_for_many_actions() {
    let city = |message: &str| {
        let offer = offer(message);
        let weather = offer.cards.iter().find(|card| card.name.as_str() == "WEATHER").unwrap();
        weather.params["city"].get("enum").is_some()
    };
    let long = "blah ".repeat(28);
    assert!(city("na ja, und in Rom"));
    assert!(city(&format!("weather: {long}")));
    assert!(!city(&(1..28).map(|word| format!("a{word} ")).collect::<String>()));
}

#[test]
fn no_answer_is_to_ask_for_more_than_it_may() {
    let offer = offer(&"Read https://a.example/x and https://b.example/y and ".repeat(9));
    assert_eq!(counts(&offer), [0, MAX_ACTIONS]);
    assert_eq!(offer.shapes[1].each.len(), MAX_ACTIONS);
}

#[test]
fn what_is_said_on_a_page_is_acted_on_once_it_is_read() {
    let message = "Read https://example.org/news and post the headline on X";
    let first = offer(message);
    assert_eq!((names(&first), counts(&first)), (vec!["CREATE_POST", "WEB_FETCH"], vec![0, 1]));
    assert_eq!(first.shapes[1].each[0].name.as_str(), "WEB_FETCH");
    let whole = offer("Read https://example.org/news and post 'Read it!' on X");
    assert_eq!(whole.shapes.last().unwrap().each.len(), 2);
}

#[test]
fn a_statement_may_be_answered_with_words_alone() {
    for message in [
        "I read 'Dune' last week, loved it.",
        "I have a problem with the kitchen light: it flickers.",
    ] {
        assert_eq!(offer(message).shapes[0].actions, 0, "{message}");
    }
    assert_eq!(names(&offer("Fetch me a bedtime story")), Vec::<&str>::new());
}

#[test]
fn a_request_behind_a_question_is_one() {
    for message in [
        "When you have a moment, can you turn off the kitchen light?",
        "How will the weather be in Rome, and could you post 'Rome!' on X?",
        "Wie wär's mit Licht in der kitchen?",
    ] {
        let offer = offer(message);
        assert!(offer.cards.iter().any(|card| card.effect != Effect::None), "{message}");
    }
}
