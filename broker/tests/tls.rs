//! A queue over TLS: with the right certificate it works, with any other it says what is wrong.
#![allow(clippy::unwrap_used, reason = "this whole file is tests")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use broker::redis::{AddressError, QueuePlace, RedisAddress, RedisRequester, Terms, responder};
use broker::{Requester, Responder};
use protocol::{ActionName, Command, Done, Envelope, MessageId, Object, Outcome, QueueNames};
use testkit::{RedisServer, RedisSetup};
use tokio_util::sync::CancellationToken;

/// Longer than anything here takes: a test that waits for it has failed already.
const LONG: Duration = Duration::from_secs(60);

/// The address that settings of a process name.
fn address(url: &str, ca_file: Option<&Path>) -> Result<RedisAddress, AddressError> {
    let place = QueuePlace::from_settings(|name| match name {
        "REDIS_URL" => Some(url),
        "REDIS_CA_FILE" => ca_file.map(|file| file.to_str().unwrap()),
        _ => None,
    });
    Ok(place.address()?.unwrap())
}

async fn check(url: &str, ca_file: Option<&Path>) -> Result<(), String> {
    address(url, ca_file).unwrap().check().await
}

/// Sends a command from one end to the other and back.
async fn assert_works(url: &str, ca_file: &Path) {
    let address = || address(url, Some(ca_file)).unwrap();
    let (names, shutdown) = (QueueNames::default(), CancellationToken::new());
    let agent = RedisRequester::new(address(), names.clone()).unwrap();
    let (mut router, _publisher) = responder(address(), names, Terms::default(), shutdown).unwrap();
    tokio::spawn(async move {
        while let Some(request) = router.receive().await {
            request.reply(Done { text: Some("over TLS".to_owned()), ..Done::default() });
        }
    });
    let command = Command {
        message_id: MessageId::new("m1").unwrap(),
        action: ActionName::new("ECHO").unwrap(),
        params: Object::new(),
        envelope: Envelope::current(),
    };
    let reply = agent.request(command, LONG).await.unwrap();
    let Outcome::Done(done) = reply.outcome else { panic!("{:?}", reply.outcome) };
    assert_eq!(done.text.as_deref(), Some("over TLS"));
}

#[tokio::test]
async fn a_command_is_answered_over_tls() {
    let server = RedisSetup::default().tls().password("hunter2").start();
    assert_eq!(check(&server.url(), Some(&server.ca_file())).await, Ok(()));
    assert_works(&server.url(), &server.ca_file()).await;
}

#[tokio::test]
async fn a_command_is_answered_over_tls_on_a_cluster() {
    let cluster = RedisSetup::default().tls().password("hunter2").start_cluster();
    assert_works(&cluster.url(), &cluster.nodes[0].ca_file()).await;
}

#[tokio::test]
async fn a_server_whose_ca_is_not_the_named_one_is_refused() {
    let (server, other) =
        (RedisSetup::default().tls().start(), RedisSetup::default().tls().start());
    for wrong in [Some(other.ca_file()), None] {
        let refused = check(&server.url(), wrong.as_deref()).await.unwrap_err();
        assert!(refused.contains("a CA that is not trusted"), "{refused}");
        assert!(refused.contains("REDIS_CA_FILE"), "{refused}");
    }
    // Nothing but the CA was wrong.
    assert_eq!(check(&server.url(), Some(&server.ca_file())).await, Ok(()));
}

#[tokio::test]
async fn a_server_with_the_certificate_of_another_name_is_refused() {
    let server = RedisSetup::default().tls_for(&["localhost"]).start();
    let ca = server.ca_file();
    let refused = check(&server.url(), Some(&ca)).await.unwrap_err();
    assert!(refused.contains("a certificate for another name"), "{refused}");
    let named = server.url().replace("127.0.0.1", "localhost");
    assert_eq!(check(&named, Some(&ca)).await, Ok(()));
}

#[tokio::test]
async fn one_end_with_tls_and_the_other_without_is_said() {
    let (plain, tls) = (RedisServer::start(), RedisSetup::default().tls().start());
    let without = check(&plain.url().replace("redis:", "rediss:"), None).await.unwrap_err();
    assert!(without.contains("let REDIS_URL begin with redis://"), "{without}");
    let with = check(&tls.url().replace("rediss:", "redis:"), None).await.unwrap_err();
    assert!(with.contains("let REDIS_URL begin with rediss://"), "{with}");
}

#[test]
fn a_ca_file_that_can_not_be_used_is_named() {
    let server = RedisSetup::default().tls().start();
    let folder = server.ca_file().parent().unwrap().to_owned();
    let broken = folder.join("broken.pem");
    let whole = fs::read_to_string(server.ca_file()).unwrap();
    let line = whole.lines().nth(1).unwrap();
    fs::write(&broken, whole.replace(line, &line.replace(|c| c != '\n', "A"))).unwrap();
    let (url, key) = (server.url(), folder.join("server.key"));
    for (url, file, words) in [
        (url.as_str(), PathBuf::from("/nowhere/ca.pem"), "can't be read: /nowhere/ca.pem"),
        (&url, key, "holds no certificate"),
        (&url, broken, "holds no certificate, or a broken one"),
        ("redis://localhost", server.ca_file(), "does not ask for TLS"),
    ] {
        let error = address(url, Some(&file)).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
        assert!(error.contains("REDIS_CA_FILE"), "{error}");
    }
}
