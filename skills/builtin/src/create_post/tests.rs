//! The three networks against real servers in the proxy's place: path, headers, body, answers.

use safeclaw_skill::SkillError;
use safeclaw_skill::testing::{Answer, Asked, Proxy, Trial, check_examples};
use serde_json::{Value, json};

use super::{Params, run};

const MANIFEST: &str = "../../router/skills/create_post/skill.toml";

fn proxy(script: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> Proxy {
    Proxy::answering(script).unwrap()
}

fn trial() -> Trial {
    Trial::of(MANIFEST).unwrap()
}

fn post(trial: &Trial, platform: &str, text: &str) -> Result<Value, String> {
    trial.run(run, json!({"platform": platform, "text": text})).map_err(|error| error.to_string())
}

/// What the person hears when the request that publishes gets `answer`.
fn refusal(platform: &str, answer: Answer) -> String {
    let proxy = proxy(move |asked| match asked.method.as_str() {
        "GET" => Answer::json(200, json!({"sub": "abc"})),
        _ => answer.clone(),
    });
    post(&trial().proxy(&proxy), platform, "Hello").unwrap_err()
}

#[test]
fn the_manifests_examples_fit() {
    check_examples::<Params>(MANIFEST).unwrap();
}

#[test]
fn the_examples_values_stand_in_what_is_said() {
    // The offline model makes its patterns of them.
    let manifest = std::fs::read_to_string(MANIFEST).unwrap();
    let examples: Vec<&str> = manifest.split("[[examples]]").skip(1).collect();
    assert!(examples.len() >= 5);
    for example in examples {
        let (say, params) = example.split_once("params = ").unwrap();
        let text = params.split_once("text = \"").unwrap().1.split('"').next().unwrap();
        assert!(say.contains(text), "{example}");
    }
}

#[test]
fn x_is_asked_as_its_api_says() {
    let proxy = proxy(|_| Answer::json(201, json!({"data": {"id": "77", "text": "Hello World"}})));
    let result = post(&trial().proxy(&proxy), "X", "Hello World").unwrap();
    assert_eq!(
        result,
        json!({"platform": "X", "id": "77", "url": "https://x.com/i/web/status/77"})
    );
    let asked = proxy.asked();
    assert_eq!(asked.len(), 1);
    assert_eq!(
        (asked[0].method.as_str(), asked[0].target.as_str()),
        ("POST", "https://api.x.com/2/tweets")
    );
    assert_eq!(asked[0].header("content-type"), Some("application/json"));
    assert_eq!(asked[0].header("authorization"), None, "the proxy fills it in");
    assert_eq!(asked[0].json(), json!({"text": "Hello World"}));
}

#[test]
fn linkedin_is_asked_as_its_api_says() {
    let proxy = proxy(|asked| match asked.target.as_str() {
        "https://api.linkedin.com/v2/userinfo" => {
            Answer::json(200, json!({"sub": "abc", "name": "F"}))
        }
        _ => Answer::new(201).header("x-restli-id", "urn:li:share:9"),
    });
    let result = post(&trial().proxy(&proxy), "LinkedIn", "Hello (World) #rust").unwrap();
    assert_eq!(
        result,
        json!({"platform": "LinkedIn", "id": "urn:li:share:9", "url": "https://www.linkedin.com/feed/update/urn:li:share:9/"})
    );
    let asked = &proxy.asked()[1];
    assert_eq!(
        (asked.method.as_str(), asked.target.as_str()),
        ("POST", "https://api.linkedin.com/rest/posts")
    );
    assert_eq!(asked.header("linkedin-version"), Some("202607"));
    assert_eq!(asked.header("x-restli-protocol-version"), Some("2.0.0"));
    assert_eq!(
        asked.json(),
        json!({
            "author": "urn:li:person:abc",
            "commentary": "Hello \\(World\\) #rust",
            "visibility": "PUBLIC",
            "distribution": {
                "feedDistribution": "MAIN_FEED",
                "targetEntities": [],
                "thirdPartyDistributionChannels": [],
            },
            "lifecycleState": "PUBLISHED",
            "isReshareDisabledByAuthor": false,
        })
    );
}

#[test]
fn linkedins_author_and_version_are_the_owners_to_set() {
    let proxy = proxy(|_| Answer::new(201).header("x-restli-id", "urn:li:share:9"));
    let trial = trial()
        .proxy(&proxy)
        .setting("linkedin_author", "urn:li:organization:5")
        .setting("linkedin_version", "202611");
    post(&trial, "LinkedIn", "Hello").unwrap();
    let asked = proxy.asked();
    assert_eq!(asked.len(), 1, "nobody is asked who the author is");
    assert_eq!(asked[0].json()["author"], "urn:li:organization:5");
    assert_eq!(asked[0].header("linkedin-version"), Some("202611"));
}

#[test]
fn mastodon_is_asked_as_its_api_says() {
    let proxy = proxy(|asked| match asked.target.as_str() {
        "https://mastodon.social/api/v2/instance" => {
            Answer::json(200, json!({"configuration": {"statuses": {"max_characters": 1000}}}))
        }
        _ => Answer::json(200, json!({"id": "5", "url": "https://mastodon.social/@f/5"})),
    });
    let trial = trial().proxy(&proxy).message_id("m-42");
    let result = post(&trial, "Mastodon", &"x".repeat(1_000)).unwrap();
    assert_eq!(
        result,
        json!({"platform": "Mastodon", "id": "5", "url": "https://mastodon.social/@f/5"})
    );
    let asked = &proxy.asked()[1];
    assert_eq!(
        (asked.method.as_str(), asked.target.as_str()),
        ("POST", "https://mastodon.social/api/v1/statuses")
    );
    assert_eq!(asked.header("idempotency-key"), Some("m-42"));
    assert_eq!(asked.json(), json!({"status": "x".repeat(1_000)}));
}

#[test]
fn the_base_addresses_are_the_owners_to_set() {
    for (platform, setting, path) in [
        ("X", "x_url", "/2/tweets"),
        ("LinkedIn", "linkedin_url", "/rest/posts"),
        ("Mastodon", "mastodon_url", "/api/v1/statuses"),
    ] {
        let base = "http://127.0.0.1:8080/api";
        let trial = trial().dry_run().setting(setting, format!("{base}/"));
        let shown = post(&trial, platform, "Hello").unwrap();
        assert_eq!(shown["would_send"]["url"], format!("{base}{path}"));
        let error = post(&trial.setting(setting, "api.x.com"), platform, "Hello").unwrap_err();
        assert!(error.contains(&format!("skills.CREATE_POST.settings.{setting}")), "{error}");
    }
}

#[test]
fn a_dry_run_shows_exactly_what_would_be_sent() {
    let shown = |platform| post(&trial().dry_run(), platform, "Hello World").unwrap();
    assert_eq!(
        shown("X"),
        json!({"would_send": {
            "method": "POST",
            "url": "https://api.x.com/2/tweets",
            "headers": {"Authorization": "Bearer <X_TOKEN>", "Content-Type": "application/json"},
            "body": {"text": "Hello World"},
        }})
    );
    let linkedin = &shown("LinkedIn")["would_send"];
    assert_eq!(linkedin["body"]["author"], "urn:li:person:<your id>");
    assert_eq!(linkedin["headers"]["Authorization"], "Bearer <LINKEDIN_TOKEN>");
    assert_eq!(linkedin["headers"]["LinkedIn-Version"], "202607");
    assert_eq!(
        shown("Mastodon"),
        json!({"would_send": {
            "method": "POST",
            "url": "https://mastodon.social/api/v1/statuses",
            "headers": {
                "Authorization": "Bearer <MASTODON_TOKEN>",
                "Idempotency-Key": "m1",
                "Content-Type": "application/json",
            },
            "body": {"status": "Hello World"},
        }})
    );
}

#[test]
fn a_dry_run_sends_nothing_even_where_there_is_a_network() {
    let proxy = proxy(|_| Answer::new(200));
    for platform in ["X", "LinkedIn", "Mastodon"] {
        post(&trial().proxy(&proxy).dry_run(), platform, "Hello").unwrap();
    }
    assert_eq!(proxy.asked(), []);
}

#[test]
fn a_text_that_is_too_long_is_refused_before_it_is_sent() {
    let proxy = proxy(|_| {
        Answer::json(200, json!({"configuration": {"statuses": {"max_characters": 100}}}))
    });
    let trial = trial().proxy(&proxy);
    for (platform, text, words) in [
        (
            "X",
            "日".repeat(141),
            "for X: 282 characters as X counts them (a link 23; CJK and emoji 2 each), and 280 are the limit. Shorten it by 2",
        ),
        (
            "LinkedIn",
            "x".repeat(3_001),
            "for LinkedIn: 3001 characters, and 3000 are the limit. Shorten it by 1",
        ),
        (
            "Mastodon",
            "x".repeat(101),
            "for Mastodon: 101 characters as Mastodon counts them (a link 23), and 100 are the limit. Shorten it by 1",
        ),
    ] {
        let error = post(&trial, platform, &text).unwrap_err();
        assert_eq!(error, format!("the text is too long {words}"));
        assert!(post(&trial.clone().dry_run(), platform, &"x".repeat(3_001)).is_err());
    }
    assert!(proxy.asked().iter().all(|asked| asked.method == "GET"), "nothing was published");
}

#[test]
fn a_mastodon_server_that_names_no_limit_has_the_default() {
    let proxy = proxy(|_| Answer::json(404, json!({"error": "Not Found"})));
    let error = post(&trial().proxy(&proxy), "Mastodon", &"x".repeat(501)).unwrap_err();
    assert!(error.contains("500 are the limit"), "{error}");
}

#[test]
fn an_empty_text_is_refused() {
    let error = post(&trial().dry_run(), "X", " \n").unwrap_err();
    assert_eq!(error, "there is nothing to post: the text is empty");
}

#[test]
fn a_token_that_is_not_taken_is_said_with_the_way_to_a_new_one() {
    for (platform, answer, words) in [
        (
            "X",
            Answer::json(
                401,
                json!({"title": "Unauthorized", "detail": "Unauthorized", "status": 401}),
            ),
            "X did not take the post: Unauthorized (401). The token is missing, expired or withdrawn: make a new user access token with the scopes tweet.read, tweet.write and users.read at https://developer.x.com, and put it into router/.env as X_TOKEN",
        ),
        (
            "LinkedIn",
            Answer::json(
                401,
                json!({"message": "The token used in the request has expired", "status": 401}),
            ),
            "LinkedIn did not take the post: The token used in the request has expired (401). The token is missing, expired or withdrawn: make a new one with the scopes openid, profile and w_member_social at https://www.linkedin.com/developers/tools/oauth, and put it into router/.env as LINKEDIN_TOKEN",
        ),
        (
            "Mastodon",
            Answer::json(401, json!({"error": "The access token is invalid"})),
            "Mastodon did not take the post: The access token is invalid (401). The token is missing, expired or withdrawn: make an application with the scope write:statuses under Preferences, Development at https://mastodon.social/settings/applications, copy its access token, and put it into router/.env as MASTODON_TOKEN",
        ),
    ] {
        assert_eq!(refusal(platform, answer), words);
    }
}

#[test]
fn linkedin_may_refuse_to_say_whose_token_it_is() {
    let proxy = proxy(|_| Answer::json(401, json!({"message": "Expired"})));
    let error = post(&trial().proxy(&proxy), "LinkedIn", "Hello").unwrap_err();
    assert!(error.starts_with("LinkedIn did not say whose token it is: Expired (401)"), "{error}");
    assert!(error.ends_with("LINKEDIN_TOKEN"), "{error}");
}

#[test]
fn a_refusal_is_passed_on_in_the_apis_words() {
    for (platform, answer, words) in [
        (
            "X",
            Answer::json(
                403,
                json!({"title": "Forbidden", "detail": "You are not allowed to create a Tweet with duplicate content."}),
            ),
            "X did not take the post: You are not allowed to create a Tweet with duplicate content (403)",
        ),
        (
            "LinkedIn",
            Answer::json(
                422,
                json!({"message": "Content is a duplicate of urn:li:share:9", "status": 422}),
            ),
            "LinkedIn did not take the post: Content is a duplicate of urn:li:share:9 (422)",
        ),
        (
            "LinkedIn",
            Answer::json(403, json!({"message": "Not enough permissions to access: posts.CREATE"})),
            "LinkedIn did not take the post: Not enough permissions to access: posts.CREATE (403). The token has to be made with the scopes openid, profile and w_member_social",
        ),
        (
            "LinkedIn",
            Answer::json(426, json!({"message": "Requested version 20260701 is not active"})),
            "LinkedIn did not take the post: Requested version 20260701 is not active (426). Version 202607 of the API has ended: set skills.CREATE_POST.settings.linkedin_version in router/config.json to a newer month",
        ),
        (
            "Mastodon",
            Answer::json(422, json!({"error": "Validation failed: Text can't be blank"})),
            "Mastodon did not take the post: Validation failed: Text can't be blank (422)",
        ),
        (
            "X",
            Answer::refused("api.x.com is not declared"),
            "nothing was posted on X: api.x.com is not declared",
        ),
    ] {
        assert_eq!(refusal(platform, answer), words);
    }
}

#[test]
fn a_rate_limit_is_said_with_the_time_when_it_ends() {
    let limited = || Answer::json(429, json!({"title": "Too Many Requests"}));
    for (platform, answer, words) in [
        (
            "X",
            limited()
                .header("x-rate-limit-remaining", "0")
                .header("x-rate-limit-reset", "1795312800"),
            "after 2026-11-22 02:00:00 UTC",
        ),
        (
            "X",
            limited()
                .header("x-rate-limit-remaining", "99")
                .header("x-rate-limit-reset", "1795312800")
                .header("x-user-limit-24hour-remaining", "0")
                .header("x-user-limit-24hour-reset", "1795399200"),
            "after 2026-11-23 02:00:00 UTC",
        ),
        (
            "X",
            limited().header("x-rate-limit-reset", "1795312800"),
            "after 2026-11-22 02:00:00 UTC",
        ),
        ("X", limited().header("x-rate-limit-reset", "soon"), "later"),
        ("LinkedIn", limited().header("retry-after", "30"), "in 30 s"),
        ("LinkedIn", limited(), "later"),
        (
            "Mastodon",
            limited().header("x-ratelimit-reset", "2026-11-22T02:05:00.123Z"),
            "after 2026-11-22 02:05:00 UTC",
        ),
    ] {
        assert_eq!(
            refusal(platform, answer),
            format!("{platform} did not take the post: Too Many Requests (429). Try again {words}")
        );
    }
}

#[test]
fn what_was_never_sent_is_said_not_to_be_posted() {
    assert_eq!(
        refusal("X", Answer::unreached("api.x.com:443 can't be resolved")),
        "nothing was posted on X: api.x.com:443 can't be resolved"
    );
}

#[test]
fn an_answer_that_got_lost_is_not_called_a_failure() {
    assert_eq!(
        refusal("X", Answer::failed("api.x.com closed the connection")),
        "whether X has the post is not known: api.x.com closed the connection. Look there before you send it again"
    );
    for status in [408, 500, 502, 503, 504] {
        let proxy = proxy(move |_| Answer::json(status, json!({"error": "in trouble."})));
        let params = json!({"platform": "X", "text": "Hello"});
        let unsure = format!(
            "whether X has the post is not known: it answered {status}: in trouble. Look there before you send it again"
        );
        assert_eq!(
            trial().proxy(&proxy).run(run, params),
            Err(SkillError::new(unsure).maybe_executed())
        );
    }
    for (platform, answer) in [
        ("X", Answer::json(201, json!({"data": {}}))),
        ("LinkedIn", Answer::new(201)),
        ("Mastodon", Answer::new(200).body("<html>")),
    ] {
        let error = refusal(platform, answer);
        assert!(error.starts_with(&format!("{platform} has taken the post")), "{error}");
        assert!(error.ends_with("Do not send it again"), "{error}");
    }
}
