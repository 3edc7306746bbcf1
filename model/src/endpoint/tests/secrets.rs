//! Keys: where they go, and that they go nowhere else.

use super::apis::{ALL, ANTHROPIC, GEMINI, OPENAI};
use super::server::chunked;
use super::*;

fn settings(target: &str, keys: &ApiKeys) -> Result<Endpoint, ModelError> {
    let folder = tempfile::tempdir().unwrap();
    Endpoint::new(&target.parse().unwrap(), keys, Arc::new(Endpoints::at(folder.path())))
}

#[tokio::test]
async fn the_key_goes_into_its_header_and_nowhere_else() {
    for (api, header) in [
        (OPENAI, "authorization: Bearer "),
        (ANTHROPIC, "x-api-key: "),
        (GEMINI, "x-goog-api-key: "),
    ] {
        let stream = [api.text("Hi"), api.done()].concat();
        let says = Says::This(chunked("200 OK", &[stream.as_bytes()], true));
        let server = Server::start([says]).await;
        ask(&endpoint(&api, &server), &Ask::plain("hi")).await.1.unwrap();
        let request = &server.requests()[0];
        assert_eq!(request.matches(KEY).count(), 1, "{request}");
        assert!(request.contains(&format!("{header}{KEY}\r\n")), "{request}");
    }
}

#[tokio::test]
async fn a_server_that_repeats_the_key_does_not_get_it_into_an_error() {
    let folder = tempfile::tempdir().unwrap();
    for api in ALL.into_iter().filter(|api| api.name != "ollama") {
        let said = format!("you said {KEY} to me");
        let error = serde_json::json!({"error": {"message": said, "type": "x"}}).to_string();
        let mut all = String::new();
        for (status, body) in [
            ("400 Bad Request", error.clone()),
            ("401 Unauthorized", error.clone()),
            ("429 Too Many Requests", error.clone()),
            ("500 Internal Server Error", said.clone()),
            ("200 OK", format!("<{said}>\n")),
            ("200 OK", api.failure(&said)),
        ] {
            let server =
                Server::start([Says::This(chunked(status, &[body.as_bytes()], true))]).await;
            let known = Arc::new(Endpoints::at(folder.path()));
            let endpoint = Endpoint::new(&api.target(&server.address), &keys(), known).unwrap();
            let error = ask(&endpoint, &Ask::plain("hi")).await.1.unwrap_err();
            all.push_str(&format!(
                "{error} {error:?} {endpoint:?} {} {:?}\n",
                endpoint.name(),
                keys()
            ));
        }
        assert!(!all.contains("hunter2"), "{all}");
        assert_eq!(all.matches("you said [the key] to me").count(), 10, "{all}");
    }
}

#[test]
fn a_missing_key_is_told_by_its_variable_before_anything_is_sent() {
    for (target, expected, variable) in [
        ("openai:gpt", "OpenAI", "OPENAI_API_KEY"),
        ("anthropic:claude", "Anthropic", "ANTHROPIC_API_KEY"),
        ("gemini:gemini", "Gemini", "GOOGLE_API_KEY"),
    ] {
        let error = settings(target, &ApiKeys::default()).unwrap_err();
        assert_eq!(
            error,
            ModelError::Settings(format!(
                "{expected} wants a key; write {variable}=... into .env in the home, or set it in the \
                 environment"
            ))
        );
        settings(target, &keys()).unwrap();
    }
    // Servers of one's own may do without.
    settings("openai:qwen@http://127.0.0.1:8080/v1", &ApiKeys::default()).unwrap();
}

#[test]
fn a_key_is_not_sent_where_everybody_can_read_it() {
    let error = settings("openai:m@http://example.com/v1", &keys()).unwrap_err().to_string();
    insta::assert_snapshot!(error, @"the key in OPENAI_API_KEY would travel to example.com unencrypted; write https:// in the address");
    let of_hosts = |names: &[&str]| ApiKeys {
        of_hosts: names.iter().map(|name| ((*name).to_owned(), SecretString::from(KEY))).collect(),
        ..keys()
    };
    let named = of_hosts(&["OPENAI_API_KEY_EXAMPLE_COM", "OPENAI_API_KEY_192_168_1_7"]);
    let error = settings("openai:m@http://example.com/v1", &named).unwrap_err().to_string();
    assert!(error.contains("OPENAI_API_KEY_EXAMPLE_COM would travel"), "{error}");
    let sends = |address: &str, keys: &ApiKeys| {
        let endpoint = settings(&format!("openai:m@{address}"), keys).unwrap();
        endpoint.server.sends_key()
    };
    for near in ["http://192.168.1.7:8080", "http://llm:8080", "http://llm.local"] {
        assert!(!sends(near, &keys()), "{near}");
    }
    assert!(sends("http://192.168.1.7:8080", &named));
    assert!(sends("http://[::1]:8080", &keys()) && sends("https://example.com/v1", &keys()));
    let openai = ApiKeys { openai_is_set: true, ..keys() };
    assert!(!sends("https://example.com/v1", &openai) && !sends("http://[::1]:8080", &openai));
    assert!(sends("https://api.openai.com/v1", &openai));
}

#[tokio::test]
async fn a_server_that_was_sent_no_key_names_the_variable_that_is_for_it() {
    let refuses = Says::This(chunked("401 Unauthorized", &[b"{}"], true));
    let server = Server::start([refuses]).await;
    let folder = tempfile::tempdir().unwrap();
    let keys = ApiKeys { openai_is_set: true, ..keys() };
    let known = Arc::new(Endpoints::at(folder.path()));
    let endpoint = Endpoint::new(&OPENAI.target(&server.address), &keys, known).unwrap();
    let error = ask(&endpoint, &Ask::plain("hi")).await.1.unwrap_err().to_string();
    assert!(
        error.ends_with("put one for it into OPENAI_API_KEY_127_0_0_1, in .env or the environment"),
        "{error}"
    );
    assert!(server.requests().iter().all(|request| !request.contains(KEY)));
}

#[test]
fn what_can_not_be_asked_is_told() {
    let bad = ApiKeys { openai: Some(SecretString::from("hunter2\n")), ..ApiKeys::default() };
    let error = settings("openai:gpt", &bad).unwrap_err().to_string();
    insta::assert_snapshot!(error, @"the key in OPENAI_API_KEY holds what no header can hold; copy it again");
    let mut target: Target = "openai:m".parse().unwrap();
    target.base_url = Some("http://user:hunter2@:1".to_owned());
    let folder = tempfile::tempdir().unwrap();
    let known = Arc::new(Endpoints::at(folder.path()));
    let error = Endpoint::new(&target, &bad, known).unwrap_err().to_string();
    insta::assert_snapshot!(error, @r#"":1/" is no address of a server; write one like http://127.0.0.1:8080/v1"#);
    assert_eq!(settings("offline", &keys()).unwrap_err(), ModelError::NeedsModel);
}
