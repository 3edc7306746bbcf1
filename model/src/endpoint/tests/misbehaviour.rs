//! The same table of faults for every provider.

use std::time::Duration;

use tokio::net::TcpListener;

use super::apis::{ALL, OLLAMA};
use super::server::chunked;
use super::*;

#[tokio::test]
async fn words_come_as_they_are_said_wherever_the_chunks_end() {
    for api in ALL {
        let stream = [api.thought("hm"), api.text("Grüße "), api.text("数"), api.done()].concat();
        let bytes: Vec<&[u8]> = stream.as_bytes().chunks(1).collect();
        let (told, result) = hi(&api, Says::This(chunked("200 OK", &bytes, true))).await;
        assert_eq!(told.pieces, ["Grüße ", "数"], "{}", api.name);
        assert_eq!(result.unwrap(), "Grüße 数", "{}", api.name);
    }
}

#[tokio::test]
async fn the_last_frame_needs_no_line_break() {
    for api in ALL {
        let stream = [api.text("Hi"), api.done()].concat();
        let (_, result) =
            hi(&api, Says::This(chunked("200 OK", &[stream.trim().as_bytes()], true))).await;
        assert_eq!(result.unwrap(), "Hi", "{}", api.name);
    }
}

#[tokio::test]
async fn a_server_that_is_not_there() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    drop(listener);
    for api in ALL {
        let folder = tempfile::tempdir().unwrap();
        let known = Arc::new(Endpoints::at(folder.path()));
        let endpoint = Endpoint::new(&api.target(&address), &keys(), known).unwrap();
        let mend = match api.name {
            "ollama" => "start it with `ollama serve`",
            _ => "start the server there, or write the right address",
        };
        let expected = ModelError::Unreachable {
            address: address.clone(),
            reason: "Connection refused".to_owned(),
            mend: mend.to_owned(),
        };
        assert_eq!(endpoint.models().await, Err(expected.clone()));
        assert_eq!(ask(&endpoint, &Ask::plain("hi")).await.1, Err(expected));
    }
}

#[tokio::test]
async fn a_connection_that_is_never_made_ends_after_five_seconds() {
    // It takes the connection and never says a word of TLS.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let accepted = tokio::spawn(async move {
        let socket = listener.accept().await.unwrap();
        tokio::time::pause();
        std::future::pending::<()>().await;
        drop(socket);
    });
    let mut target = OLLAMA.target(&address);
    target.base_url = Some(format!("https://{address}"));
    let folder = tempfile::tempdir().unwrap();
    let known = Arc::new(Endpoints::at(folder.path()));
    let endpoint = Endpoint::new(&target, &keys(), known).unwrap();
    let begun = tokio::time::Instant::now();
    let result = endpoint.models().await;
    assert!(matches!(result, Err(ModelError::Unreachable { .. })), "{result:?}");
    assert_eq!(begun.elapsed().as_secs(), 5);
    accepted.abort();
}

#[tokio::test]
async fn servers_that_are_another_one_or_stop_half_way() {
    for api in ALL {
        let expected = api.expected;
        let error_of =
            async |status, body: &[u8]| error(&api, chunked(status, &[body], true)).await;
        assert_eq!(
            error_of("200 OK", b"<!DOCTYPE html>\n<html>").await,
            format!(
                "what came from HOST is not what {expected} sends (\"<!DOCTYPE html>\"); check the address with `safeclaw agent config llm`"
            )
        );
        assert_eq!(
            error_of("502 Bad Gateway", b"<html>\n<h1>Bad</h1>").await,
            format!(
                "the model server at HOST answered 502: a web page, so this may not be {expected}; ask again, or another with `/model TARGET`"
            )
        );
        let plain = error_of("200 OK\r\ncontent-type: text/plain", b"Internal error: no\n").await;
        assert!(plain.contains("(\"Internal error: no\")"), "{plain}");
        assert_eq!(
            error_of("302 Found\r\nlocation: http://127.0.0.1:1/", b"").await,
            "the model server at HOST answered 302: it points to another address, which is not followed; \
             write the right one; ask another with `/model TARGET`"
        );
        let failing = [api.text("Well"), api.failure("out of memory")].concat();
        assert_eq!(
            error_of("200 OK", failing.as_bytes()).await,
            "the model server at HOST failed in the middle of the answer: out of memory; ask again, or another with `/model TARGET`"
        );
        let cut = "the answer was cut off: HOST closed the connection; ask again, or another with `/model TARGET`";
        let text = api.text("Wéll");
        let half = text.find('é').unwrap() + 1;
        for body in [b"".as_slice(), text.as_bytes(), &text.as_bytes()[..half]] {
            assert_eq!(error_of("200 OK", body).await, cut, "{}", api.name);
        }
        for broken in [Vec::new(), chunked("200 OK", &[text.as_bytes()], false)] {
            let error = error(&api, broken).await;
            assert!(error.starts_with("the connection to HOST broke ("), "{error}");
        }
    }
}

#[tokio::test]
async fn answers_without_an_end_are_stopped() {
    let too_large = "the answer of HOST has no end and was stopped after 1048576 bytes; ask for less, or \
                     another with `/model TARGET`";
    for api in ALL {
        let long = "x".repeat(1_000);
        let begin = if api.name == "ollama" { "" } else { "data: " };
        let one_line = format!("{begin}{}", "x".repeat(10 << 20));
        let nothing = if api.name == "ollama" { " " } else { ":" };
        let nothing = format!("{nothing}{}\n\n", " ".repeat(10_000)).repeat(6_800);
        // Words that are always new: those that come again and again are another fault.
        let counts = |from: u32| (from..from + 200).map(|n| format!("{n} ")).collect::<String>();
        let words: String = (0..1_500).map(|piece| api.text(&counts(piece * 200))).collect();
        for body in [one_line, words, api.thought(&long).repeat(10_000), nothing] {
            assert_eq!(error(&api, chunked("200 OK", &[body.as_bytes()], true)).await, too_large);
        }
    }
}

#[tokio::test]
async fn servers_that_fall_silent() {
    for api in ALL {
        let silent = |seconds| format!("HOST said nothing for {seconds} s; {}", api.look);
        let begun = chunked("200 OK", &[], false);
        for head in [Vec::new(), begun] {
            let (told, result) = hi(&api, Says::Never(head)).await;
            tokio::time::resume();
            assert_eq!(result.unwrap_err(), silent(120), "{}", api.name);
            let expected: Vec<_> = (5..120).map(|second| (second, 120)).collect();
            assert_eq!(told.waiting, expected, "{}", api.name);
        }
        let begun = chunked("200 OK", &[api.text("Well").as_bytes()], false);
        let (told, result) = hi(&api, Says::Never(begun)).await;
        tokio::time::resume();
        assert_eq!(result.unwrap_err(), silent(60), "{}", api.name);
        assert_eq!(told.pieces, ["Well"]);
        assert_eq!(told.waiting, (5..60).map(|second| (second, 60)).collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn what_keeps_a_connection_alive_is_no_token() {
    for api in ALL {
        let alive = if api.name == "ollama" { "\n" } else { ": ping\n\n" };
        let alive = format!("{:x}\r\n{alive}\r\n", alive.len()).into_bytes();
        let begun = chunked("200 OK", &[], false);
        let (told, result) = hi(&api, Says::Every(begun, Duration::from_millis(700), alive)).await;
        tokio::time::resume();
        let silent = format!("HOST said nothing for 120 s; {}", api.look);
        assert_eq!(result.unwrap_err(), silent, "{}", api.name);
        assert_eq!(told.waiting.len(), 115, "{:?}", told.waiting);
    }
}

#[tokio::test]
async fn tokens_that_never_end_end_after_twenty_minutes() {
    for api in ALL {
        let token = api.text("x");
        let token = format!("{:x}\r\n{token}\r\n", token.len()).into_bytes();
        let begun = chunked("200 OK", &[], false);
        let (_, result) = hi(&api, Says::Every(begun, Duration::from_secs(50), token)).await;
        tokio::time::resume();
        let endless = "the answer of HOST has no end and was stopped after 1200 s; ask for less, or another \
                       with `/model TARGET`";
        assert_eq!(result.unwrap_err(), endless, "{}", api.name);
    }
}

#[tokio::test]
async fn a_complete_answer_waits_for_nothing_that_may_not_come() {
    for api in ALL {
        // Without the last frame, behind which nothing comes.
        let stream = [api.text("Hi"), api.done()].concat();
        let stream = stream.trim_end_matches("data: [DONE]\n\n");
        let (told, result) =
            hi(&api, Says::Never(chunked("200 OK", &[stream.as_bytes()], false))).await;
        tokio::time::resume();
        assert_eq!(result.unwrap(), "Hi", "{}", api.name);
        assert!(told.waiting.is_empty(), "{:?}", told.waiting);
    }
}

#[tokio::test]
async fn a_long_prompt_is_given_the_time_to_be_read() {
    let server = Server::start([Says::Never(Vec::new())]).await;
    let endpoint = endpoint(&OLLAMA, &server);
    // 12,000 bytes are 4,000 tokens, which a small machine reads in 100 seconds.
    let (told, result) = ask(&endpoint, &Ask::plain(&"x".repeat(12_000))).await;
    tokio::time::resume();
    assert!(result.unwrap_err().to_string().contains("said nothing for 220 s"));
    assert_eq!(told.waiting.first(), Some(&(5, 220)));
}

#[tokio::test]
async fn an_answer_that_nobody_waits_for_is_ended_on_the_server() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let target = OLLAMA.target(&listener.local_addr().unwrap().to_string());
    let folder = tempfile::tempdir().unwrap();
    let known = Arc::new(Endpoints::at(folder.path()));
    let endpoint = Endpoint::new(&target, &keys(), known).unwrap();
    endpoint.memo.described(Listed::default());
    let asked = tokio::spawn(async move { ask(&endpoint, &Ask::plain("hi")).await });
    let (mut socket, _) = listener.accept().await.unwrap();
    let mut bytes = [0; 4_096];
    assert!(tokio::io::AsyncReadExt::read(&mut socket, &mut bytes).await.unwrap() > 0);
    asked.abort();
    // The end of the connection is what is waited for; without it this waits for ever.
    while tokio::io::AsyncReadExt::read(&mut socket, &mut bytes).await.is_ok_and(|count| count > 0)
    {
    }
}
