//! Personas: who is asked, with which instructions and which model, and who may choose.

use std::fs;

use channel::{Origin, Said};
use protocol::Taint;
use testkit::{OllamaServer, Says};

use crate::house::{House, house};
use crate::sets::search;

impl House {
    /// Writes the file of a persona with these further properties.
    fn persona(&self, name: &str, tag: &str, soul: &str) {
        let folder = self.home.workspace().join("personas");
        fs::create_dir_all(&folder).unwrap();
        let text = format!("<aistorm {tag} />\n\n{soul}\n");
        fs::write(folder.join(format!("{name}.md")), text).unwrap();
    }

    async fn owner(&mut self, text: &str) -> String {
        self.console.say("owner", "console:owner", text).await;
        let heard = self.console.heard("owner").await;
        heard.split_once('\n').unwrap().1.trim_end_matches("end\n").to_owned()
    }
}

fn at(server: &OllamaServer) -> String {
    format!("type=\"Ollama\" model=\"m\" url=\"http://{}\"", server.host())
}

#[tokio::test]
async fn each_persona_has_its_own_instructions_and_its_own_model() {
    let mut house = house();
    let coders = OllamaServer::start([Says::text("Fixed."), Says::text("Again.")]);
    let poets = OllamaServer::start([Says::text("A rose.")]);
    house.persona("coder", &at(&coders), "You write code.");
    let free = format!("{} temperature=\"0.7\"", at(&poets));
    house.persona("Critical Poet", &free, "You write poems.");
    assert_eq!(house.owner("@coder fix the bug").await, "[coder] \nFixed.\n");
    assert_eq!(house.owner("@critical poet, a flower").await, "[Critical Poet] \nA rose.\n");
    let (codes, poems) = (coders.prompts().concat(), poets.prompts().concat());
    assert!(codes.contains("You write code.") && codes.contains("fix the bug"), "{codes}");
    assert!(!codes.contains("@coder") && !codes.contains("You write poems."), "{codes}");
    assert!(poems.contains("You write poems.") && !poems.contains("You write code."), "{poems}");
    assert_eq!((coders.temperatures(), poets.temperatures()), (vec![0.0], vec![0.7]));
    assert_eq!(house.shown(), "", "the default persona was not asked");
    assert_eq!(house.owner("@nobody hello").await, "@nobody hello?\n");
    let default = house.shown();
    assert!(!default.contains("You write code.") && !default.contains("[coder]"), "{default}");
}

#[tokio::test]
async fn a_persona_that_is_chosen_answers_until_another_is() {
    let mut house = house();
    let coders = OllamaServer::start([Says::text("One."), Says::text("Two.")]);
    house.persona("coder", &at(&coders), "You write code.");
    assert!(house.owner("/agent codr").await.contains("did you mean coder?"));
    assert!(house.owner("/agent Coder").await.starts_with("coder answers here from now on"));
    assert_eq!(house.owner("hello").await, "[coder] \nOne.\n");
    assert!(house.owner("/agents").await.contains(", answers here\n@NAME"));
    let kept = fs::read_to_string(house.home.workspace().join("persona.txt")).unwrap();
    assert_eq!(kept, "coder");
    fs::remove_file(house.home.workspace().join("personas/coder.md")).unwrap();
    let gone = "[the persona coder is not there any more; the default one answers]\nhello?\n";
    assert_eq!(house.owner("hello").await, gone);
    assert!(house.owner("/agent default").await.starts_with("The default persona answers"));
    assert_eq!(house.owner("hello").await, "hello?\n");
    assert_eq!(coders.prompts().len(), 1);
}

#[tokio::test]
async fn a_persona_that_is_chosen_makes_plans_and_does_them() {
    let mut house = house();
    let coders = OllamaServer::start(["1. Look at it.", "Looked."].map(Says::text));
    house.persona("coder", &at(&coders), "You write code.");
    house.owner("/agent coder").await;
    let heard = house.owner("/plan mend it").await;
    assert!(heard.contains("[coder] ") && heard.contains("Looked."), "{heard}");
    assert_eq!(coders.prompts().len(), 2);
}

#[tokio::test]
async fn a_persona_is_offered_the_sets_that_it_names_of_those_that_are_on() {
    let mut house = house();
    let server = OllamaServer::start(["a", "b", "c"].map(Says::text));
    house.offers(search());
    for (name, sets) in [("bare", " sets=\"\""), ("reader", " sets=\"library\""), ("all", "")] {
        house.persona(name, &format!("{}{sets}", at(&server)), "You help.");
    }
    let shown =
        |server: &OllamaServer| server.prompts().concat().matches("Search the papers.").count();
    house.owner("@reader hello").await;
    assert_eq!(shown(&server), 0, "a set that is off stays off");
    house.owner("/sets on library").await;
    house.owner("@bare hello").await;
    assert_eq!(shown(&server), 0, "a persona narrows");
    house.owner("@all hello").await;
    assert!(shown(&server) > 0, "without the property all sets that are on are offered");
}

#[tokio::test]
async fn a_persona_that_drives_takes_as_many_steps_as_its_task_has() {
    let steps = || {
        let fact = |n: usize| {
            format!(
                r#"<tool_code>[{{"name": "_MEMORY_WRITE", "params": {{"new_memory": {{"fact {n}": "{n}"}}}}}}]</tool_code>"#
            )
        };
        let facts = (0..9).map(|n| Says::text(&fact(n))).collect::<Vec<_>>();
        OllamaServer::start(facts.into_iter().chain([Says::text("All nine are kept.")]))
    };
    let mut house = house();
    let (works, replies) = (steps(), steps());
    house.persona("worker", &format!("{} cadence=\"drive\"", at(&works)), "You work.");
    house.persona("friend", &format!("{} cadence=\"reply\"", at(&replies)), "You talk.");
    let heard = house.owner("@friend keep nine facts").await;
    assert!(heard.contains("stopped after 3 steps"), "{heard}");
    let heard = house.owner("@worker keep nine facts").await;
    assert!(heard.contains("All nine are kept."), "{heard}");
}

#[tokio::test]
async fn only_the_owner_in_person_addresses_a_persona() {
    let mut house = house();
    let coders = OllamaServer::start([]);
    house.persona("coder", &at(&coders), "You write code.");
    house.telegram.say("telegram-1", "telegram:1", "@coder hello").await;
    assert!(house.telegram.heard("telegram-1").await.contains("@coder hello?"));
    for command in ["/agents", "/agent coder"] {
        house.telegram.say("telegram-1", "telegram:1", command).await;
        let heard = house.telegram.heard("telegram-1").await;
        assert!(heard.contains("[only the owner says who thinks]"), "{heard}");
    }
    for origin in [Origin::Clock(Taint::CLEAN), Origin::Persona, Origin::Program] {
        let said = Said::Message("@coder hello".to_owned());
        house.console.tell_as(origin, ("owner", "clock:job-1"), said).await;
        assert!(house.console.heard("owner").await.contains("@coder hello?"));
    }
    assert_eq!(coders.prompts().len(), 0);
}

#[tokio::test]
async fn text_goes_to_no_service_that_the_owner_has_not_set_up() {
    let mut house = house();
    house.persona("claude", "type=\"Anthropic\" model=\"claude\"", "You help.");
    house.persona("far", "type=\"OpenAI\" model=\"m\" url=\"http://192.0.2.7/v1\"", "You help.");
    let heard = house.owner("@claude my secret plan").await;
    let why = "[claude was not asked: it thinks with anthropic, which you have not set up; \
               write ANTHROPIC_API_KEY=... into .env in the home]\n";
    assert_eq!(heard, why);
    assert!(house.owner("@far hello").await.contains("http://192.0.2.7/v1"));
    assert!(house.owner("/agent far").await.contains("far was not asked"));
    assert_eq!(house.shown(), "", "nobody else is asked in its place");
}

#[tokio::test]
async fn files_that_are_no_personas_are_told_and_the_others_count() {
    let mut house = house();
    assert!(house.owner("/agents").await.contains("workspace/personas/NAME.md adds one"));
    house.persona("good", "type=\"offline\" model=\"none\"", "You help.");
    for (name, text) in [
        ("untagged", "You help."),
        ("untyped", "<aistorm model=\"m\" />"),
        ("unmodelled", "<aistorm type=\"ollama\" />"),
    ] {
        let file = house.home.workspace().join(format!("personas/{name}.md"));
        fs::write(file, text).unwrap();
    }
    let listed = house.owner("/agents").await;
    assert!(listed.contains("\ngood: offline\n"), "{listed}");
    for told in [
        "untagged.md is left out: it has no line such as",
        "untyped.md is left out: its <aistorm /> line has no type",
        "unmodelled.md is left out: its <aistorm /> line has no model",
    ] {
        assert!(listed.contains(told), "{listed}");
    }
}
