//! Secrets: to whom they go, and to whom they never go.

use http_body_util::Full;
use hyper::{Request, Response, StatusCode};

use crate::kit::{Authority, SECRET, Server, Setup, with_secret, without_secret};

fn bearer() -> String {
    format!("Bearer {SECRET}")
}

#[tokio::test]
async fn the_declared_host_gets_the_secret_over_tls_from_either_form() {
    let authority = Authority::new();
    let server = Server::tls(&authority, "api.test", |_| Response::new("hello".into())).await;
    let at = format!("api.test:{}", server.port);
    let setup = Setup::declared(&[]).server(&at).secret_for(&at).trusting(&authority);
    let mut rig = setup.start().await;
    for scheme in ["https", "http"] {
        assert_eq!(rig.client.get(&format!("{scheme}://{at}/")).await.body, "hello");
        assert_eq!(rig.decision(), with_secret());
    }
    let got: Vec<_> = server.seen().iter().map(|seen| seen.header("authorization")).collect();
    assert_eq!(got, [bearer(), bearer()]);
}

#[tokio::test]
async fn the_clients_own_header_is_replaced_in_all_its_copies() {
    let authority = Authority::new();
    let server = Server::tls(&authority, "api.test", |_| Response::new("hello".into())).await;
    let at = format!("api.test:{}", server.port);
    let setup = Setup::declared(&[]).server(&at).secret_for(&at).trusting(&authority);
    let rig = setup.start().await;
    // Naming the header under Connection asks the proxy to drop it; that must not hit the secret.
    for connection in ["keep-alive", "authorization, keep-alive"] {
        let request = Request::get(format!("https://{at}/"))
            .header("authorization", "mine")
            .header("AUTHORIZATION", "mine too")
            .header("Connection", connection);
        rig.client.send(request.body(Full::default()).unwrap()).await;
    }
    let got: Vec<_> = server.seen().iter().map(|seen| seen.header("authorization")).collect();
    assert_eq!(got, [bearer(), bearer()]);
}

#[tokio::test]
async fn another_host_and_another_port_get_nothing() {
    let authority = Authority::new();
    let handler = |_: &_| Response::new("hello".into());
    let own = Server::tls(&authority, "api.test", handler).await;
    let other_port = Server::tls(&authority, "api.test", handler).await;
    let other_host = Server::hello().await;
    let at = format!("api.test:{}", own.port);
    let at_other_port = format!("api.test:{}", other_port.port);
    let at_other_host = format!("other.test:{}", other_host.port);
    let setup = Setup::declared(&[]).server(&at).server(&at_other_port).server(&at_other_host);
    let mut rig = setup.secret_for(&at).trusting(&authority).start().await;

    rig.client.get(&format!("https://{at_other_port}/")).await;
    let request = Request::get(format!("http://{at_other_host}/")).header("Host", &at);
    rig.client.send(request.body(Full::default()).unwrap()).await;
    for server in [other_port, other_host] {
        assert_eq!(server.only().header("authorization"), "");
        assert_eq!(rig.decision(), without_secret());
    }
}

#[tokio::test]
async fn a_redirect_does_not_take_the_secret_along() {
    let authority = Authority::new();
    let elsewhere = Server::hello().await;
    let next = format!("other.test:{}", elsewhere.port);
    let location = format!("http://{next}/");
    let redirect = move |_: &_| {
        let response = Response::builder().status(307).header("Location", &location);
        response.body(Full::default()).unwrap()
    };
    let server = Server::tls(&authority, "api.test", redirect).await;
    let at = format!("api.test:{}", server.port);
    let setup = Setup::declared(&[]).server(&at).server(&next).secret_for(&at).trusting(&authority);
    let rig = setup.start().await;

    let answer = rig.client.get(&format!("https://{at}/")).await;
    assert_eq!(answer.status, StatusCode::TEMPORARY_REDIRECT);
    assert!(elsewhere.seen().is_empty());
    rig.client.get(answer.headers["location"].to_str().unwrap()).await;
    assert_eq!(elsewhere.only().header("authorization"), "");
}

#[tokio::test]
async fn a_server_that_speaks_no_tls_does_not_get_it() {
    let server = Server::hello().await;
    let at = format!("api.test:{}", server.port);
    let rig = Setup::declared(&[]).server(&at).secret_for(&at).start().await;
    for scheme in ["https", "http"] {
        let answer = rig.client.get(&format!("{scheme}://{at}/")).await;
        assert_eq!(answer.status, StatusCode::BAD_GATEWAY);
    }
    assert!(server.seen().is_empty());
}

#[tokio::test]
async fn plain_text_needs_an_http_origin_and_the_owners_word() {
    let server = Server::hello().await;
    let origin = format!("http://nas.local:{}", server.port);

    let not_allowed = Setup::declared(&[&origin]).secret_for(&origin).start().await;
    let words = not_allowed.client.get(&origin).await.refused();
    assert!(words.contains("a secret would go to nas.local:"), "{words}");
    assert!(server.seen().is_empty());

    let at = format!("nas.local:{}", server.port);
    let mut allowed = Setup::declared(&[]).server(&at).secret_for(&origin).start().await;
    assert_eq!(allowed.client.get(&origin).await.body, "hello");
    assert_eq!(allowed.decision(), with_secret());
    assert_eq!(server.only().header("authorization"), bearer());
}

#[tokio::test]
async fn plain_text_stays_inside_the_house() {
    let origin = "http://nas.local:5000";
    let rig = Setup::declared(&[]).server("nas.local:5000").secret_for(origin).start().await;
    rig.names.then("93.184.216.34");
    let words = rig.client.get(origin).await.refused();
    assert!(words.contains("in plain text"), "{words}");
}
