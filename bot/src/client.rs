//! The methods of the Bot API (https://core.telegram.org/bots/api) that are used, and how long each may take.

use std::fmt;
use std::future::IntoFuture;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures::StreamExt as _;
use secrecy::{ExposeSecret, SecretString};
use teloxide_core::net::Download as _;
use teloxide_core::payloads::{
    AnswerCallbackQuerySetters, EditMessageTextSetters, GetUpdatesSetters, SendMessageSetters,
};
use teloxide_core::prelude::Requester;
use teloxide_core::types::{
    AllowedUpdate, BotCommand, CallbackQueryId, ChatAction, ChatId, FileId, InlineKeyboardMarkup,
    InputFile, LinkPreviewOptions, Message, MessageId, ReplyParameters, Update,
};
use teloxide_core::{Bot, RequestError};
use url::Url;

use crate::fault::Fault;
use crate::styled::Styled;

/// How long Telegram may keep a request for updates open when there are none, in seconds.
const LONG_POLL: u32 = 25;
/// What a request for updates may take beyond that.
const POLL_MARGIN: Duration = Duration::from_secs(10);
/// How long any other call may take.
const CALL: Duration = Duration::from_secs(30);
/// How long a file may take, in either direction.
const UPLOAD: Duration = Duration::from_secs(120);
const CONNECT: Duration = Duration::from_secs(10);
/// How many updates are taken at once, at most.
pub(crate) const BATCH: u8 = 50;
/// The largest file that is sent, in bytes; the API takes photos of 10 MB.
const FILE_LIMIT: u64 = 10 * 1024 * 1024;

/// A bot, by its token.
#[derive(Clone)]
pub struct Client {
    bot: Bot,
    token: SecretString,
    /// How many seconds Telegram's clock is ahead of this machine's.
    ahead: Arc<AtomicI64>,
}

/// Who the bot is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Me {
    /// Its id, which stays when its token changes.
    pub id: u64,
    /// Its name behind the `@`.
    pub username: String,
}

/// What stands below or above a message.
#[derive(Debug, Clone, Default)]
pub struct Around {
    /// The message that it answers.
    pub reply_to: Option<MessageId>,
    /// Its buttons.
    pub buttons: Option<InlineKeyboardMarkup>,
}

impl Client {
    /// A client of the bot with this token, at Telegram's own address or at another.
    ///
    /// # Errors
    /// [`Fault::Refused`] when this machine can't make an HTTP client.
    pub fn new(token: SecretString, address: Option<&llm::BaseUrl>) -> Result<Self, Fault> {
        let broken = |what: &str| Fault::Refused(what.to_owned());
        let address = address.cloned().map(String::from);
        let url = address.as_deref().map(|address| Url::parse(address.trim_end_matches('/')));
        let url = url.transpose().map_err(|_| broken("telegram.api_url is no address"))?;
        let client = reqwest::Client::builder()
            .connect_timeout(CONNECT)
            .redirect(reqwest::redirect::Policy::none());
        // A proxy for the web knows nothing of a server on this machine.
        let client = if url.is_some() { client.no_proxy() } else { client };
        let client =
            client.build().map_err(|_| broken("no HTTP client can be made; see HTTPS_PROXY"))?;
        let bot = Bot::with_client(token.expose_secret(), client);
        let bot = url.map_or(bot.clone(), |url| bot.set_api_url(url));
        Ok(Self { bot, token, ahead: Arc::default() })
    }

    /// Who the bot is, which proves its token.
    ///
    /// # Errors
    /// [`Fault::Token`] when there is no such bot, and what hinders the call.
    pub async fn me(&self) -> Result<Me, Fault> {
        let me = self.call(CALL, self.bot.get_me()).await?;
        Ok(Me { id: me.id.0, username: me.username().to_owned() })
    }

    /// What has come since `offset`, once something has; nothing after a while.
    pub async fn updates(&self, offset: Option<u32>) -> Result<Vec<Update>, Fault> {
        self.updates_within(offset, LONG_POLL).await
    }

    /// The same with how long it waits, in seconds.
    pub async fn updates_within(
        &self,
        offset: Option<u32>,
        seconds: u32,
    ) -> Result<Vec<Update>, Fault> {
        let kinds =
            [AllowedUpdate::Message, AllowedUpdate::EditedMessage, AllowedUpdate::CallbackQuery];
        let mut request =
            self.bot.get_updates().timeout(seconds).limit(BATCH).allowed_updates(kinds);
        request.offset = offset.and_then(|offset| i32::try_from(offset).ok());
        self.call(Duration::from_secs(seconds.into()) + POLL_MARGIN, request).await
    }

    /// Has updates come here and to no web server.
    pub async fn delete_webhook(&self) -> Result<(), Fault> {
        self.call(CALL, self.bot.delete_webhook()).await.map(drop)
    }

    /// Sends a message. Nothing in it is fetched by Telegram for a preview: an address is an address, and whoever
    /// looks at it is the person who taps it.
    pub async fn send(
        &self,
        chat: ChatId,
        text: &Styled,
        around: Around,
    ) -> Result<MessageId, Fault> {
        let mut request = self
            .bot
            .send_message(chat, text.text.clone())
            .entities(text.entities())
            .link_preview_options(no_preview());
        request.reply_parameters =
            around.reply_to.map(|id| ReplyParameters::new(id).allow_sending_without_reply());
        request.reply_markup = around.buttons.map(Into::into);
        let sent = self.call(CALL, request).await?;
        self.compare_clocks(&sent);
        Ok(sent.id)
    }

    /// Replaces what stands in a message; its buttons go.
    pub async fn edit(&self, chat: ChatId, id: MessageId, text: &Styled) -> Result<(), Fault> {
        let request = self
            .bot
            .edit_message_text(chat, id, text.text.clone())
            .entities(text.entities())
            .link_preview_options(no_preview());
        done(self.call(CALL, request).await)
    }

    /// Takes the buttons from a message.
    pub async fn strip(&self, chat: ChatId, id: MessageId) -> Result<(), Fault> {
        done(self.call(CALL, self.bot.edit_message_reply_markup(chat, id)).await)
    }

    /// Removes a message of the bot's.
    pub async fn delete(&self, chat: ChatId, id: MessageId) -> Result<(), Fault> {
        self.call(CALL, self.bot.delete_message(chat, id)).await.map(drop)
    }

    /// Shows for five seconds that the bot is at work.
    pub async fn typing(&self, chat: ChatId) -> Result<(), Fault> {
        self.call(CALL, self.bot.send_chat_action(chat, ChatAction::Typing)).await.map(drop)
    }

    /// What the file `id` of Telegram's holds, of at most `most` bytes.
    pub async fn fetched(&self, id: FileId, most: usize) -> Result<Vec<u8>, Fault> {
        let file = self.call(CALL, self.bot.get_file(id)).await?;
        let fetch = async {
            let (mut pieces, mut bytes) = (self.bot.download_file_stream(&file.path), Vec::new());
            while let Some(piece) = pieces.next().await {
                let piece = piece.map_err(|error| {
                    Fault::of(&RequestError::Network(Arc::new(error)), self.token.expose_secret())
                })?;
                if bytes.len() + piece.len() > most {
                    return Err(Fault::Refused("the file is larger than Telegram has said".into()));
                }
                bytes.extend_from_slice(&piece);
            }
            Ok(bytes)
        };
        let late = || Fault::Network(format!("not all of it came within {} s", UPLOAD.as_secs()));
        tokio::time::timeout(UPLOAD, fetch).await.unwrap_or_else(|_| Err(late()))
    }

    /// Sends a file as it is.
    pub async fn file(&self, chat: ChatId, path: &Path) -> Result<(), Fault> {
        let bytes = home::file::read(path, FILE_LIMIT);
        let bytes = bytes.map_err(|error| Fault::Refused(error.to_string()))?;
        let bytes = bytes.ok_or_else(|| Fault::Refused("the file is gone".to_owned()))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let file = InputFile::memory(bytes).file_name(name);
        self.call(UPLOAD, self.bot.send_document(chat, file)).await.map(drop)
    }

    /// Sends a picture; one that is no photo to Telegram, as when it is too high, goes as a file.
    pub async fn picture(&self, chat: ChatId, path: &Path) -> Result<(), Fault> {
        let bytes = home::file::read(path, FILE_LIMIT);
        let bytes = bytes.map_err(|error| Fault::Refused(error.to_string()))?;
        let bytes = bytes.ok_or_else(|| Fault::Refused("the picture is gone".to_owned()))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let file = || InputFile::memory(bytes.clone()).file_name(name.clone());
        match self.call(UPLOAD, self.bot.send_photo(chat, file())).await {
            Err(Fault::Refused(_)) => {
                self.call(UPLOAD, self.bot.send_document(chat, file())).await.map(drop)
            }
            sent => sent.map(drop),
        }
    }

    /// Names the commands that people are offered.
    pub async fn offer(&self, commands: Vec<BotCommand>) -> Result<(), Fault> {
        self.call(CALL, self.bot.set_my_commands(commands)).await.map(drop)
    }

    /// Tells who has pressed a button what became of it.
    pub async fn pressed(&self, press: CallbackQueryId, text: &str) -> Result<(), Fault> {
        self.call(CALL, self.bot.answer_callback_query(press).text(text)).await.map(drop)
    }

    /// How many seconds ago something was at `date`, by Telegram's clock as far as that is known.
    pub fn age(&self, date: i64) -> u64 {
        let now = here() + self.ahead.load(Ordering::Relaxed);
        u64::try_from(now - date).unwrap_or(0)
    }

    /// A machine whose clock is wrong would take every message for an old one.
    fn compare_clocks(&self, sent: &Message) {
        self.ahead.store(sent.date.timestamp() - here(), Ordering::Relaxed);
    }

    async fn call<R>(
        &self,
        limit: Duration,
        request: impl IntoFuture<Output = Result<R, RequestError>>,
    ) -> Result<R, Fault> {
        match tokio::time::timeout(limit, request.into_future()).await {
            Ok(answered) => answered.map_err(|error| Fault::of(&error, self.token.expose_secret())),
            Err(_) => Err(Fault::Network(format!("no answer within {} s", limit.as_secs()))),
        }
    }
}

/// A message that is as it should be already is as good as one that was changed.
fn done<R>(changed: Result<R, Fault>) -> Result<(), Fault> {
    match changed {
        Ok(_) | Err(Fault::Unchanged) => Ok(()),
        Err(fault) => Err(fault),
    }
}

fn no_preview() -> LinkPreviewOptions {
    LinkPreviewOptions {
        is_disabled: true,
        url: None,
        prefer_small_media: false,
        prefer_large_media: false,
        show_above_text: false,
    }
}

/// Seconds since 1970 by this machine's clock.
fn here() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.as_secs()).unwrap_or(i64::MAX)
}

/// The token is not shown.
impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").finish_non_exhaustive()
    }
}
