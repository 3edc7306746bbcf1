//! The channel between a server and a test.

use std::time::Duration;

use channel::telegram::{Client, Telegram};
use channel::{Addressed, Channel, ChannelError, Incoming, Line, Outgoing, Said, Ticket};
use protocol::{Principal, SessionKey};
use serde_json::json;
use testkit::{BOT_TOKEN, BotApi, TempHome};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

pub(super) const OWNER: i64 = 42;
pub(super) const GUEST: i64 = 7;
pub(super) const STRANGER: i64 = 8;
pub(super) const GROUP: i64 = -100;

/// After this long something is taken to hang.
const LONG: Duration = Duration::from_secs(60);

/// A channel at work.
pub(super) struct House {
    pub(super) api: BotApi,
    pub(super) home: TempHome,
    pub(super) reception: std::sync::Arc<business::Reception>,
    incoming: mpsc::Receiver<Incoming>,
    outgoing: mpsc::UnboundedSender<Addressed>,
    channel: JoinHandle<Result<(), ChannelError>>,
}

pub(super) fn house() -> House {
    house_of(BotApi::new(), TempHome::new())
}

pub(super) fn house_of(api: BotApi, home: TempHome) -> House {
    house_for(api, home, business::BotMode::Personal)
}

pub(super) fn house_for(api: BotApi, home: TempHome, bot_mode: business::BotMode) -> House {
    let settings = json!({"owner": OWNER, "allow": [GUEST, GROUP], "api_url": api.url()});
    let settings: settings::Telegram = serde_json::from_value(settings).unwrap();
    let client = Client::new(BOT_TOKEN.into(), settings.api_url.as_ref()).unwrap();
    let channels = business::Channels {
        modes: [("telegram".to_owned(), None)].into(),
        allowed: [format!("telegram-{GUEST}"), format!("telegram-{GROUP}")].into(),
    };
    let (folder, notices) = (home.workspace(), document::Notices::default());
    let reception = business::Reception::open(&folder, &notices, bot_mode, channels);
    let reception = std::sync::Arc::new(reception);
    let channel = Telegram::new(
        client,
        &settings,
        Duration::from_secs(10),
        std::sync::Arc::clone(&reception),
        (&folder, &std::sync::Arc::new(channel::GivenFiles::below(&folder))),
    )
    .unwrap();
    let (sender, incoming) = mpsc::channel(16);
    let (outgoing, heard) = mpsc::unbounded_channel();
    let line = Line { incoming: sender, outgoing: heard };
    let channel = tokio::spawn(Box::new(channel).run(line));
    House { api, home, reception, incoming, outgoing, channel }
}

impl House {
    /// The next thing that the channel hands on.
    pub(super) async fn hears(&mut self) -> Incoming {
        tokio::time::timeout(LONG, self.incoming.recv()).await.unwrap().unwrap()
    }

    /// The next message, which has this text.
    pub(super) async fn hears_text(&mut self, text: &str) -> Incoming {
        let heard = self.hears().await;
        assert_eq!(heard.said, Said::typed(text));
        heard
    }

    /// Says something in a session.
    pub(super) fn say(&self, session: &str, outgoing: Outgoing) {
        let session = SessionKey::new(session).unwrap();
        self.outgoing.send(Addressed { session, outgoing }).unwrap();
    }

    /// Answers `asked` with these words.
    pub(super) fn answer(&self, asked: &Incoming, words: &str) {
        let session = asked.session.as_str();
        self.begin(asked);
        self.say(session, Outgoing::Words(words.to_owned()));
        self.say(session, Outgoing::End);
    }

    /// Begins to answer `asked`.
    pub(super) fn begin(&self, asked: &Incoming) {
        let text = asked.said.text().unwrap().to_owned();
        let (ticket, from) = (asked.ticket, asked.from.clone());
        self.say(asked.session.as_str(), Outgoing::Begin { ticket, from, text });
    }

    /// What somebody else says in the owner's session, and its answer.
    pub(super) fn elsewhere(&self, from: &str, text: &str, answer: &str) {
        let from = Principal::new(from).unwrap();
        let (ticket, text) = (Ticket::new(), text.to_owned());
        self.say("owner", Outgoing::Begin { ticket, from, text });
        self.say("owner", Outgoing::Words(answer.to_owned()));
        self.say("owner", Outgoing::End);
    }

    /// Kills the channel, as a process is killed, and gives what outlives it.
    pub(super) async fn killed(self) -> (BotApi, TempHome) {
        self.channel.abort();
        let _ = self.channel.await;
        (self.api, self.home)
    }

    /// Lets the agent end, and the channel with it.
    pub(super) async fn ended(self) -> (BotApi, TempHome) {
        drop((self.incoming, self.outgoing));
        tokio::time::timeout(LONG, self.channel).await.unwrap().unwrap().unwrap();
        (self.api, self.home)
    }

    /// Why the channel has failed.
    pub(super) async fn failed(self) -> ChannelError {
        tokio::time::timeout(LONG, self.channel).await.unwrap().unwrap().unwrap_err()
    }

    /// What was taken, as it stands on the disk.
    pub(super) fn journal(&self) -> String {
        self.home.text("workspace/telegram.json")
    }
}
