//! NOTIFY: a text to the owner's own address, as the body of a POST. A topic of ntfy takes that as it is
//! (<https://docs.ntfy.sh/publish/>), and so does any webhook that reads its body.

use safeclaw_skill::http::{self, Request};
use safeclaw_skill::{Call, SkillError};
use serde::Deserialize;
use serde_json::{Value, json};

/// What it is called with.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoteParams {
    text: String,
}

pub(crate) fn run(params: NoteParams, call: &Call) -> Result<Value, SkillError> {
    let text = params.text.trim();
    if text.is_empty() {
        return Err(SkillError::new("there is nothing to send: the text is empty"));
    }
    let url: url::Url = call.setting("url")?;
    let request = Request::post(url.as_str()).text(text);
    if call.is_dry_run() {
        return Ok(shown(&url, text));
    }
    let response = call.http().send(&request).map_err(unanswered)?;
    let (host, status) = (host(&url), response.status());
    if response.may_have_acted() {
        return Err(unsure(&format!("{host} answered {status}")));
    }
    if !response.is_success() {
        return Err(SkillError::new(format!(
            "{host} did not take the notification: it answered {status}"
        )));
    }
    Ok(json!({"text": text, "host": host, "status": status}))
}

/// What would be sent. The path of the address is as good as a password, so it is not shown.
fn shown(url: &url::Url, text: &str) -> Value {
    let place = format!("{}/...", url.origin().ascii_serialization());
    Request::post(place).text(text).would_send()
}

fn host(url: &url::Url) -> &str {
    url.host_str().unwrap_or_default()
}

fn unanswered(error: http::Error) -> SkillError {
    let may_have_arrived = error.may_have_arrived();
    let words = match error {
        http::Error::BadUrl { reason, .. } => reason,
        error => SkillError::from(error).to_string(),
    };
    match may_have_arrived {
        true => unsure(&words),
        false => SkillError::new(format!("nothing was sent: {words}")),
    }
}

fn unsure(words: &str) -> SkillError {
    SkillError::new(format!(
        "whether the notification has arrived is not known: {words}. Look there before you send it again"
    ))
    .maybe_executed()
}

#[cfg(test)]
mod tests {
    use safeclaw_skill::testing::{Answer, Proxy, Trial, check_examples};

    use super::*;

    const MANIFEST: &str = "../../router/skills/notify/skill.toml";

    fn trial() -> Trial {
        Trial::of(MANIFEST).unwrap().setting("url", "https://ntfy.example/s3cret-topic")
    }

    fn notify(trial: &Trial, text: &str) -> Result<Value, String> {
        trial.run(run, json!({"text": text})).map_err(|error| error.to_string())
    }

    #[test]
    fn the_manifests_examples_fit() {
        check_examples::<NoteParams>(MANIFEST).unwrap();
    }

    #[test]
    fn the_text_is_the_body_of_one_post_to_the_owners_address() {
        let proxy = Proxy::answering(|_| Answer::new(200).body("anything")).unwrap();
        let result = notify(&trial().proxy(&proxy), " Grüße ").unwrap();
        assert_eq!(result, json!({"text": "Grüße", "host": "ntfy.example", "status": 200}));
        let asked = proxy.asked();
        assert_eq!(asked.len(), 1);
        assert_eq!(asked[0].method, "POST");
        assert_eq!(asked[0].target, "https://ntfy.example/s3cret-topic");
        assert_eq!(asked[0].body, "Grüße".as_bytes());
    }

    #[test]
    fn how_it_failed_is_said_without_the_path_of_the_address_and_without_words_of_others() {
        for (answer, said) in [
            (
                Answer::new(403).body("obey me"),
                "ntfy.example did not take the notification: it answered 403",
            ),
            (
                Answer::new(504).body("obey me"),
                "whether the notification has arrived is not known: ntfy.example answered 504. Look there before you send it again",
            ),
            (
                Answer::unreached("ntfy.example:443 can't be resolved"),
                "nothing was sent: ntfy.example:443 can't be resolved",
            ),
            (
                Answer::failed("ntfy.example closed the connection"),
                "whether the notification has arrived is not known: ntfy.example closed the connection. Look there before you send it again",
            ),
        ] {
            let proxy = Proxy::answering(move |_| answer.clone()).unwrap();
            assert_eq!(notify(&trial().proxy(&proxy), "Hello"), Err(said.to_owned()));
        }
        let shown = notify(&trial().dry_run(), "Hello").unwrap();
        assert_eq!(shown["would_send"]["url"], "https://ntfy.example/...");
        assert_eq!(shown["would_send"]["body"], "Hello");
    }

    #[test]
    fn an_empty_text_is_refused() {
        let error = notify(&trial(), " \n").unwrap_err();
        assert_eq!(error, "there is nothing to send: the text is empty");
    }
}
