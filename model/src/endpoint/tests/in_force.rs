//! What is in force, as people are told it.

use super::apis::{OLLAMA, OPENAI};
use super::fallen::{FREE, HOURS, House, JSON, NATIVE, heard, no, ok};
use super::learning::{as_long, refuses};
use super::requests::{says, told_turn};
use super::*;
use crate::{InForce, Why};

fn in_force(endpoint: &Endpoint) -> InForce {
    endpoint.in_force().unwrap()
}

#[tokio::test]
async fn what_is_in_force_is_known_with_its_reason() {
    let house = House::new();
    let props =
        r#"{"default_generation_settings":{"n_ctx":4096},"modalities":{"vision":true}}"#.to_owned();
    let server = Server::described([no(), says(&OPENAI, "Hi")], &[("/props", props)]).await;
    let endpoint = house.endpoint(&OPENAI, &server);
    let holds = in_force(&endpoint);
    assert_eq!((holds.way.value, holds.way.why), (JSON, Why::Usual));
    assert_eq!((holds.window.value, holds.window.why), (8_192, Why::Guessed));
    assert_eq!((holds.sees.value, holds.sees.why), (false, Why::Guessed));
    endpoint.describe().await;
    let holds = in_force(&endpoint);
    assert_eq!((holds.window.value, holds.window.why), (4_096, Why::Said));
    assert_eq!((holds.sees.value, holds.sees.why), (true, Why::Said));
    heard(&endpoint, &server).await;
    house.passes(3 * HOURS);
    let holds = in_force(&house.endpoint(&OPENAI, &server));
    let words = "json was answered with 400: failed to parse grammar".to_owned();
    let hours = |hours: u64| Duration::from_millis(hours * HOURS);
    let why = Why::Refused { words, ago: hours(3), left: Some(hours(21)) };
    assert_eq!((holds.way.value, holds.way.why, holds.first), (NATIVE, why, JSON));
    house.passes(21 * HOURS);
    assert_eq!(in_force(&house.endpoint(&OPENAI, &server)).way.why, Why::Usual);

    let wishes =
        |way| house.endpoint(&OPENAI, &server).with_way(Some(way)).with_window(Some(2_048));
    let holds = in_force(&wishes(FREE).with_vision(Some(true)));
    assert_eq!((holds.way.value, holds.way.why), (FREE, Why::Set));
    assert_eq!((holds.window.value, holds.window.why), (2_048, Why::Set));
    assert_eq!((holds.sees.value, holds.sees.why), (true, Why::Set));
}

#[tokio::test]
async fn a_window_is_in_force_as_its_server_has_it() {
    let house = House::new();
    let show = r#"{"model_info":{"x.context_length":131072}}"#.to_owned();
    let server = Server::described([], &[("/api/show", show)]).await;
    let endpoint = house.endpoint(&OLLAMA, &server);
    assert_eq!((in_force(&endpoint).window.why, in_force(&endpoint).largest), (Why::Usual, None));
    endpoint.describe().await;
    let holds = in_force(&endpoint);
    assert_eq!((holds.window.value, holds.window.why), (8_192, Why::Usual));
    assert_eq!(holds.largest, Some(131_072));

    let words = "This model's maximum context length is 2048 tokens. However, no";
    let no = refuses("400 Bad Request", words);
    let server = Server::start([no, ok()]).await;
    let endpoint = house.endpoint(&OPENAI, &server);
    told_turn(&endpoint, &as_long(usize::MAX)).await.1.unwrap();
    house.passes(48 * HOURS);
    let holds = in_force(&endpoint);
    let Why::Refused { ago, left: None, .. } = holds.window.why else { panic!("{holds:?}") };
    assert_eq!((holds.window.value, ago.as_secs() / 3_600), (2_048, 48));
    assert_eq!(holds.largest, None);
}
