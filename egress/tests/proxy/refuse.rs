//! What is refused: undeclared hosts, private addresses in every spelling, names that change.

use egress::Decision;

use crate::kit::{Rig, Server, Setup, without_secret};

/// Spellings of the loopback address and of the address where clouds keep credentials.
const PRIVATE: [&str; 25] = [
    "127.0.0.1",
    "127.1",
    "0177.0.0.1",
    "0x7f.0.0.1",
    "0x7f000001",
    "2130706433",
    "017700000001",
    "127.0.0.1.",
    "%31%32%37.0.0.1",
    "localhost",
    "LOCALHOST.",
    "sub.localhost",
    "name.test",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[64:ff9b::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "0.0.0.0",
    "[::]",
    "169.254.169.254",
    "[::ffff:a9fe:a9fe]",
    "[fd00:ec2::254]",
];

/// A rig in which only the check of addresses stands between the client and a server.
async fn any_host() -> (Server, Rig) {
    let server = Server::hello().await;
    let rig = Setup::declared(&["*"]).start().await;
    (server, rig)
}

#[tokio::test]
async fn no_spelling_of_a_private_address_is_reached() {
    for host in PRIVATE {
        let server = Server::hello().await;
        let at = format!("{host}:{}", server.port);
        let rig = Setup::declared(&[&at]).start().await;
        for head in [
            format!("GET http://{at}/ HTTP/1.1\r\nHost: {at}\r\nConnection: close\r\n\r\n"),
            format!("GET https://{at}/ HTTP/1.1\r\nHost: a.b\r\nConnection: close\r\n\r\n"),
            format!("CONNECT {at} HTTP/1.1\r\nHost: {at}\r\nConnection: close\r\n\r\n"),
        ] {
            let answer = rig.client.raw(&head).await;
            let refused = answer.starts_with("HTTP/1.1 403 ") && answer.contains("is not public");
            assert!(refused || answer.starts_with("HTTP/1.1 400 "), "{head}{answer}");
        }
        assert!(server.seen().is_empty(), "{host}");
    }
}

#[tokio::test]
async fn tricks_with_the_url_itself_are_refused() {
    let (server, rig) = any_host().await;
    let port = server.port;
    for url in [
        format!("http://example.com@127.0.0.1:{port}/"),
        format!("http://127.0.0.1:{port}@example.com/"),
        format!("http://127.0.0.1:{port}\\@example.com/"),
        format!("http:///127.0.0.1:{port}/"),
        format!("http:127.0.0.1:{port}/"),
        format!("ftp://127.0.0.1:{port}/"),
        format!("ws://127.0.0.1:{port}/"),
        "file:///etc/passwd".to_owned(),
        "/latest/meta-data".to_owned(),
        "*".to_owned(),
        "http://１２７.０.０.１/".to_owned(),
        "http://①②⑦.0.0.1/".to_owned(),
    ] {
        let head = format!("GET {url} HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n");
        let answer = rig.client.raw(&head).await;
        let refused =
            ["HTTP/1.1 403 ", "HTTP/1.1 400 "].iter().any(|status| answer.starts_with(status));
        assert!(refused, "{url}: {answer}");
    }
    assert!(server.seen().is_empty());
}

#[tokio::test]
async fn a_refusal_says_what_to_do_and_is_recorded() {
    let mut rig = Setup::declared(&["nas.local:5000"]).start().await;

    let words = rig.client.get("http://other.test/").await.refused();
    assert_eq!(
        words,
        "other.test:80 is not declared: add it to hosts under [net] in the skill's skill.toml"
    );
    assert_eq!(rig.decision(), Decision::Refused { reason: words });

    let words = rig.client.get("http://nas.local:5000/").await.refused();
    let wanted = "nas.local:5000 leads to 127.0.0.1, which is not public (loopback): if you trust this host, add \
                  \"nas.local:5000\" to allow_private in router/config.json";
    assert_eq!(words, wanted);
    let attempt = rig.attempts.recv().await.unwrap();
    assert_eq!((attempt.host.as_str(), attempt.port), ("nas.local", Some(5000)));
    assert_eq!(attempt.decision, Decision::Refused { reason: words });
}

#[tokio::test]
async fn one_private_address_among_public_ones_refuses_the_name() {
    let rig = Setup::declared(&["mixed.test"]).start().await;
    for answer in ["93.184.216.34 10.0.0.1", "10.0.0.1 93.184.216.34", "2606:4700::1 ::1"] {
        rig.names.then(answer);
        let words = rig.client.get("http://mixed.test/").await.refused();
        assert!(words.contains("is not public"), "{words}");
    }
}

#[tokio::test]
async fn the_owner_allows_a_private_host_by_name_and_port() {
    let (server, other) = (Server::hello().await, Server::hello().await);
    let at = format!("nas.local:{}", server.port);
    let mut setup = Setup::declared(&["127.0.0.1", "other.test"]).server(&at);
    for host in ["127.0.0.1", "localhost", "evil.test"] {
        setup.rules.hosts.push(format!("{host}:{}", server.port).parse().unwrap());
    }
    setup.rules.hosts.push(format!("nas.local:{}", other.port).parse().unwrap());
    let rig = setup.start().await;

    assert_eq!(rig.client.get(&format!("http://{at}/")).await.body, "hello");
    // The same address by another name, and the same name with another port, were not allowed.
    for host in ["127.0.0.1", "localhost", "evil.test"] {
        let words = rig.client.get(&format!("http://{host}:{}/", server.port)).await.refused();
        assert!(words.contains("is not public"), "{words}");
    }
    rig.client.get(&format!("http://nas.local:{}/", other.port)).await.refused();
    assert_eq!((server.seen().len(), other.seen().len()), (1, 0));
}

#[tokio::test]
async fn any_host_means_the_public_ones_and_those_that_the_owner_allows() {
    let (server, mut rig) = any_host().await;
    let url = format!("http://nas.local:{}/", server.port);
    assert!(rig.client.get(&url).await.refused().contains("is not declared"));
    assert!(rig.client.get("http://nas.local/").await.refused().contains("is not public"));
    assert!(matches!(rig.decision(), Decision::Refused { .. }));

    let mut setup = Setup::declared(&["*"]);
    setup.rules.allow_private.push(format!("nas.local:{}", server.port).parse().unwrap());
    let mut rig = setup.start().await;
    assert_eq!(rig.client.get(&url).await.body, "hello");
    assert_eq!(rig.decision(), without_secret());
}

#[tokio::test]
async fn a_name_that_changes_its_address_is_resolved_once_and_pinned() {
    let checked = Server::hello().await;
    let at = format!("rebind.test:{}", checked.port);
    let other = format!("127.0.0.2:{}", checked.port);
    let rebound = Server::plain(&other, |_| hyper::Response::new("rebound".into())).await;
    let rig = Setup::declared(&[]).server(&at).start().await;
    rig.names.then("127.0.0.1");
    rig.names.then("127.0.0.2");

    assert_eq!(rig.client.get(&format!("http://{at}/")).await.body, "hello");
    assert_eq!(rig.names.asked(), ["rebind.test"]);
    assert!(rebound.seen().is_empty());

    // The next request is checked by itself, and goes to what was found for it.
    assert_eq!(rig.client.get(&format!("http://{at}/")).await.body, "rebound");
    assert_eq!(rig.names.asked().len(), 2);
}

#[tokio::test]
async fn a_name_without_an_address_is_a_failure_and_no_refusal() {
    let mut rig = Setup::declared(&["gone.test"]).start().await;
    rig.names.then("");
    let answer = rig.client.get("http://gone.test/").await;
    assert_eq!(answer.status, 502);
    let words = "gone.test:80 can't be resolved: check the name and the network: it has no address";
    assert_eq!(answer.error("unreached"), words);
    assert_eq!(rig.decision(), Decision::Failed { reason: words.to_owned() });
}
