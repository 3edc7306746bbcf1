//! `config telegram`, with a person at the terminal and one in Telegram.

use std::io;
use std::os::unix::fs::PermissionsExt;

use channel::telegram::SetUp;
use serde_json::json;
use settings::Asker;
use testkit::{BOT_TOKEN, BotApi, TempHome};

use crate::house::{GUEST, OWNER, STRANGER, house_of};

/// Pastes a token, and has others in Telegram say what is told.
struct Person<'a> {
    api: &'a BotApi,
    pastes: &'a str,
    /// Who sends what to the bot once the code is shown; `CODE` stands for that.
    sends: &'a [(i64, &'a str)],
    heard: String,
}

impl Asker for Person<'_> {
    fn ask(&mut self, _: &str, _: &str, _: &[String]) -> io::Result<String> {
        Err(io::ErrorKind::UnexpectedEof.into())
    }

    fn ask_secret(&mut self, _: &str) -> io::Result<String> {
        Ok(self.pastes.to_owned())
    }

    fn confirm(&mut self, _: &str) -> io::Result<Option<bool>> {
        Ok(None)
    }

    fn tell(&mut self, line: &str) {
        if let Some((_, code)) = line.split_once("start=") {
            let code = code.split(' ').next().unwrap();
            for (who, text) in self.sends {
                self.api.says(*who, &text.replace("CODE", code));
            }
            self.heard.push_str(&line.replace(code, "CODE"));
        } else {
            self.heard.push_str(line);
        }
        self.heard.push('\n');
    }
}

/// How the conversation ended, and what was heard.
fn set_up(
    api: &BotApi,
    home: &TempHome,
    pastes: &str,
    sends: &[(i64, &str)],
) -> (Result<(), String>, String) {
    let path = home.agent_config();
    let mut file = settings::open(&path).unwrap();
    file.set("telegram.api_url", json!(api.url())).unwrap();
    let mut asker = Person { api, pastes, sends, heard: String::new() };
    let set_up = SetUp {
        workspace: &home.workspace(),
        env_file: &home.env_file(),
        file: &mut file,
        token: None,
        asker: &mut asker,
        runtime: &tokio::runtime::Runtime::new().unwrap(),
    };
    let ended = set_up.run().map_err(|error| format!("{:#}", anyhow::Error::new(error)));
    (ended, asker.heard)
}

fn owner(home: &TempHome) -> Option<u64> {
    settings::open(&home.agent_config()).unwrap().settings().telegram.owner
}

#[test]
fn who_sends_the_code_is_the_owner() {
    let (api, home) = (BotApi::new(), TempHome::new());
    home.put(".env", "OLLAMA_HOST=http://a.example\n");
    let sends = [(STRANGER, "/start"), (STRANGER, "WRNGWRNG"), (OWNER, "/start CODE")];
    let (ended, heard) = set_up(&api, &home, BOT_TOKEN, &sends);
    ended.unwrap();
    insta::assert_snapshot!(heard);
    assert_eq!(owner(&home), Some(42));
    let env = home.text(".env");
    assert_eq!(env, format!("OLLAMA_HOST=http://a.example\nTELEGRAM_BOT_TOKEN={BOT_TOKEN}\n"));
    let mode = std::fs::metadata(home.env_file()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(!home.text("agent/config.json").contains(BOT_TOKEN));
    assert_eq!(api.texts(OWNER), ["You are the owner now. /help shows what can be said here."]);
    assert!(api.texts(STRANGER).is_empty());
    let confirmed = api.calls("getUpdates").pop().unwrap();
    assert_eq!(confirmed.params["offset"], 1_003, "the agent is not told the code once more");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_others_have_written_waits_for_the_agent_and_the_code_is_no_message() {
    let (api, home) = (BotApi::new(), TempHome::new());
    let paired = tokio::task::spawn_blocking(move || {
        let sends = [(GUEST, "is anybody there?"), (OWNER, "/start CODE"), (OWNER, "hello")];
        let (ended, _) = set_up(&api, &home, BOT_TOKEN, &sends);
        ended.unwrap();
        assert!(api.calls("getUpdates").iter().all(|call| call.params["offset"].is_null()));
        (api, home)
    });
    let (api, home) = paired.await.unwrap();
    let mut house = house_of(api, home);
    house.hears_text("is anybody there?").await;
    house.hears_text("hello").await;
}

#[test]
fn a_code_is_found_behind_more_messages_than_are_shown_at_once() {
    let (api, home) = (BotApi::new(), TempHome::new());
    let sends: Vec<_> = (0..60).map(|_| (GUEST, "hello?")).chain([(OWNER, "CODE")]).collect();
    let (ended, heard) = set_up(&api, &home, BOT_TOKEN, &sends);
    ended.unwrap();
    assert!(heard.contains("the oldest are taken away"), "{heard}");
    assert_eq!(owner(&home), Some(42));
}

#[test]
fn five_wrong_codes_of_one_stranger_end_nothing_and_fifty_of_many_do() {
    let (api, home) = (BotApi::new(), TempHome::new());
    let wrong = [(STRANGER, "AAAAAAA2"); 6];
    let sends = [&wrong[..], &[(OWNER, "CODE")]].concat();
    let (ended, _) = set_up(&api, &home, BOT_TOKEN, &sends);
    ended.unwrap();
    assert_eq!(owner(&home), Some(42));
    let (api, home) = (BotApi::new(), TempHome::new());
    let wrong = (0..50).map(|n| (STRANGER + n % 10, "AAAAAAA2"));
    let sends: Vec<_> = wrong.chain([(OWNER, "CODE")]).collect();
    let (ended, _) = set_up(&api, &home, BOT_TOKEN, &sends);
    assert!(ended.unwrap_err().contains("50 wrong codes have come"));
    assert_eq!(owner(&home), None);
}

#[test]
fn a_token_that_does_not_work_changes_nothing() {
    let (api, home) = (BotApi::new(), TempHome::new());
    for (token, why) in [("4711:another-token-of-no-bot", "(401)"), ("hello", "no bot's token")] {
        let (ended, _) = set_up(&api, &home, token, &[]);
        let ended = ended.unwrap_err();
        assert!(ended.contains(why) && !ended.contains(token), "{ended}");
    }
    assert!(!home.env_file().exists());
}
