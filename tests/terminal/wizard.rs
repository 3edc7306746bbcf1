//! The questions of `config llm` at a terminal.

use super::*;

const DOWN: &str = "\x1b[B";

fn asked(home: &TempHome, server: &OllamaServer) -> Terminal {
    let host = server.host();
    Terminal::start(SAFECLAW, &["agent", "config", "llm"], home.root(), &[("OLLAMA_HOST", &host)])
}

/// The same, once the provider that is set was kept.
fn asked_for_a_model(home: &TempHome, server: &OllamaServer) -> Terminal {
    let mut asked = asked(home, server);
    asked.expect("? provider");
    asked.press(ENTER);
    asked.expect("? model");
    asked
}

/// Which model is set.
fn model(home: &TempHome) -> String {
    let config: serde_json::Value = serde_json::from_str(&home.text("agent/config.json")).unwrap();
    config["llm"]["model"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn the_first_step_down_leads_from_what_is_set_to_the_next_choice() {
    let home = TempHome::new();
    let server = OllamaServer::start([Says::text("ready")]);
    let mut asked = asked_for_a_model(&home, &server);
    asked.expect(OllamaServer::MODELS[1]);
    asked.press(DOWN);
    asked.press(ENTER);
    assert_eq!(asked.wait().code(), Some(0), "{}", asked.screen());
    assert_eq!(model(&home), OllamaServer::MODELS[1]);
}

#[test]
fn what_is_none_of_the_choices_can_be_typed() {
    let home = TempHome::new();
    let server = OllamaServer::start([Says::text("ready")]);
    let mut asked = asked_for_a_model(&home, &server);
    // It stays there when nothing fits what is typed.
    asked.press("mistral");
    asked.expect_gone(OllamaServer::MODELS[1]);
    asked.expect("another one, which I type");
    asked.press(ENTER);
    asked.expect("? model (");
    asked.press("mistral");
    asked.press(ENTER);
    assert_eq!(asked.wait().code(), Some(0), "{}", asked.screen());
    assert_eq!(model(&home), "mistral");
}

#[test]
fn an_address_is_chosen_from_the_usual_ones() {
    let home = TempHome::new();
    let server = OllamaServer::start([]);
    let mut asked = asked(&home, &server);
    asked.expect("? provider");
    asked.press(DOWN);
    asked.press(ENTER);
    asked.expect("? base URL");
    asked.press(DOWN);
    asked.press(ENTER);
    asked.expect("> base URL http://127.0.0.1:8080/v1 (llama.cpp)");
    asked.expect("? model");
    asked.press(CTRL_C);
    asked.expect("ended by you");
    assert_eq!(asked.wait().code(), Some(1));
}

#[test]
fn a_question_that_is_wider_than_the_terminal_ends_its_lines_between_words() {
    let (home, server) = (TempHome::new(), OllamaServer::start([Says::text("ready")]));
    let (size, host) = ((60, 20), server.host());
    let args = &["init"];
    let mut asked =
        Terminal::start_sized(size, SAFECLAW, args, home.root(), &[("OLLAMA_HOST", &host)]);
    let before = ["Which model", "Telegram", "to talk on", "A page of the", "papers", "your yes?"];
    for question in before {
        asked.expect(question);
        asked.press(ENTER);
    }
    asked.expect("wants it?");
    let screen = asked.screen();
    let lines: Vec<&str> = screen.lines().map(str::trim_end).collect();
    let at = lines.iter().position(|line| line.starts_with("? A PIN")).unwrap();
    let told = [
        "? A PIN, entered in each chat once a day, before /exec,",
        "/read, /index, changes by /mode, and the same when a model",
        "wants it?",
    ];
    assert_eq!(lines[at..at + 3], told, "{screen}");
    asked.press(CTRL_C);
    asked.expect("ended by you");
}
