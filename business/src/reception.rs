//! Who is received, and how: the modes of chats, what customers may take, and the business, as the agent uses them.

mod admission;
mod escalated;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use document::{Clock, File, Notices, SaveError};
use protocol::{Principal, SessionKey};

pub use self::admission::{Admitted, Allowance};
use super::rate::Rates;
use super::wary::Wary;
use super::{
    BotMode, ChatBook, ChatMode, ChatStanding, Guests, Joined, OpenEscalations, Profile, names,
};

/// The commands that a customer may give.
pub const GUESTS_COMMANDS: [&str; 9] =
    ["/ask", "/search", "/docs", "/status", "/help", "/memory", "/remember", "/forget", "/skills"];

/// What is known of a channel over which strangers may come. Whoever comes over another one is known there.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Channels {
    /// Each by its name, with the mode of its chats, if it has one.
    pub modes: BTreeMap<String, Option<ChatMode>>,
    /// The chats that the owner has allowed so far.
    pub allowed: BTreeSet<String>,
}

/// Where what the owner chooses in a chat for good is noted, until the next start takes it over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotedIn {
    /// The file of the notes.
    pub chosen: PathBuf,
    /// The settings that they are taken over into.
    pub settings: PathBuf,
}

/// Who is received, and how.
#[derive(Debug)]
pub struct Reception {
    chats: File<ChatBook>,
    profile: File<Profile>,
    /// The questions for a person that are open.
    escalations: File<OpenEscalations>,
    bot_mode: RwLock<BotMode>,
    /// The modes of the channels over which strangers may come.
    modes: BTreeMap<String, Option<ChatMode>>,
    /// Those whom the owner allows.
    pub guests: Guests,
    allowance: Allowance,
    rates: Rates,
    wary: Wary,
    clock: Clock,
    /// Where it is noted whom the bot is for and whom the owner allows; none where nothing is to be kept.
    pub noted: Option<NotedIn>,
    /// The day on which the owner was told that nothing is left.
    told_on: RwLock<Option<u64>>,
}

impl Reception {
    /// The reception whose files stand in `folder` and leave `notices`: strangers may come over these channels.
    #[must_use]
    pub fn open(folder: &Path, notices: &Notices, bot_mode: BotMode, channels: Channels) -> Self {
        Self {
            chats: File::new(folder.join("chats.json"), notices),
            profile: File::new(folder.join("business.json"), notices),
            escalations: File::new(folder.join("escalations.json"), notices),
            bot_mode: RwLock::new(bot_mode),
            modes: channels.modes,
            guests: Guests::of(channels.allowed),
            allowance: Allowance::default(),
            rates: Rates::default(),
            wary: Wary::new(folder.join("injection.log")),
            clock: Clock::default(),
            noted: None,
            told_on: RwLock::default(),
        }
    }

    /// The reception of an agent to whom no stranger can come.
    #[must_use]
    pub fn of(folder: &Path) -> Self {
        Self::open(folder, &Notices::default(), BotMode::default(), Channels::default())
    }

    /// The same, with so much for customers.
    #[must_use]
    pub fn with_allowance(self, allowance: Allowance) -> Self {
        Self { allowance, ..self }
    }

    /// The same, which notes whom the bot is for and whom the owner allows.
    #[must_use]
    pub fn noted_in(self, noted: NotedIn) -> Self {
        Self { noted: Some(noted), ..self }
    }

    /// The same by another clock.
    #[must_use]
    pub fn with_clock(self, clock: Clock) -> Self {
        Self { clock, ..self }
    }

    /// Whom the bot is for.
    #[must_use]
    pub fn bot_mode(&self) -> BotMode {
        *self.bot_mode.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The bot is for others from now on.
    pub fn turn(&self, bot_mode: BotMode) {
        *self.bot_mode.write().unwrap_or_else(PoisonError::into_inner) = bot_mode;
    }

    /// The chats.
    #[must_use]
    pub fn chats(&self) -> Arc<ChatBook> {
        self.chats.read()
    }

    /// The business.
    #[must_use]
    pub fn profile(&self) -> Arc<Profile> {
        self.profile.read()
    }

    /// How somebody stands who writes in this chat: by the mode of all chats, the chat's own, the channel's, that of the
    /// profile, and off, in this order. The owner's conversation has no mode, and a chat that the owner has allowed has none
    /// but the first two. Silent for all keeps nothing of chats that are off.
    #[must_use]
    pub fn standing(&self, key: &SessionKey) -> ChatStanding {
        if key.is_owner() {
            return ChatStanding::Owner;
        }
        let chats = self.chats.read();
        let own = self.own_standing(key, &chats);
        match (chats.all, own) {
            // Business for all takes nothing from those who are allowed.
            (None | Some(ChatMode::Business), _) | (_, ChatStanding::In(ChatMode::Off)) => own,
            (Some(mode), _) => ChatStanding::In(mode),
        }
    }

    /// How somebody stands who is not the owner, where all chats have no mode.
    fn own_standing(&self, key: &SessionKey, chats: &ChatBook) -> ChatStanding {
        if let Some(mode) = chats.chat(key).and_then(|chat| chat.mode) {
            return ChatStanding::In(mode);
        }
        match self.strangers(key) {
            Some(mode) => {
                ChatStanding::In(mode.or_else(|| self.bot_mode().gives()).unwrap_or(ChatMode::Off))
            }
            None => ChatStanding::Allowed,
        }
    }

    /// The mode that the channel of this chat has, if it has one, where the people of the chat are strangers.
    fn strangers(&self, key: &SessionKey) -> Option<Option<ChatMode>> {
        let channel = key.as_str().split('-').next().unwrap_or_default();
        self.modes.get(channel).copied().filter(|_| !self.guests.is_allowed(key))
    }

    /// A code that lets one person join within ten minutes. The one before counts no more.
    #[must_use]
    pub fn invite(&self) -> String {
        self.guests.invite(self.clock.now())
    }

    /// Takes what `user` says in the chat `key`. Whoever joins has no mode of the chat's own any more.
    pub fn joins(&self, key: &SessionKey, user: u64, text: &str) -> Joined {
        let joined = self.guests.hear(key, user, text, self.clock.now());
        if joined == Joined::Yes {
            // Where the chat is not known it has none.
            let _ = self.set(key.as_str(), None);
        }
        joined
    }

    /// The owner does not allow this chat any more, and it is off; `false` if it was not allowed.
    ///
    /// # Errors
    /// Words for the owner: it holds until the agent ends.
    pub fn unpair(&self, key: &SessionKey) -> Result<bool, String> {
        if !self.guests.remove(key) {
            return Ok(false);
        }
        self.saw(key, "");
        self.set(key.as_str(), Some(ChatMode::Off)).map(|()| true)
    }

    /// The chat `old` is `new` from now on, with the same mode and name; `false` if the owner does not allow it.
    ///
    /// # Errors
    /// Words for the owner: it has moved, and that holds until the agent ends.
    pub fn moves(&self, old: &SessionKey, new: &SessionKey) -> Result<bool, String> {
        if !self.guests.remove(old) {
            return Ok(false);
        }
        let kept = self.chats.read().chat(old).map_or(Ok(()), |chat| {
            self.saw(new, &chat.name);
            self.set(new.as_str(), chat.mode)
        });
        self.guests.add(new);
        kept.map(|()| true)
    }

    /// Whether nothing may be said in this chat.
    #[must_use]
    pub fn is_muted(&self, key: &SessionKey) -> bool {
        matches!(self.standing(key), ChatStanding::In(ChatMode::Silent | ChatMode::Off))
    }

    /// Whether the owner has turned this chat off, or all of them: then not even a log speaks of it.
    #[must_use]
    pub fn is_turned_off(&self, key: &SessionKey) -> bool {
        let chats = self.chats.read();
        let own = chats.chat(key).and_then(|chat| chat.mode);
        !key.is_owner() && (chats.all == Some(ChatMode::Off) || own == Some(ChatMode::Off))
    }

    /// Whether whoever writes in this chat is a customer.
    #[must_use]
    pub fn is_customer(&self, key: &SessionKey) -> bool {
        self.standing(key) == ChatStanding::In(ChatMode::Business)
    }

    /// Somebody who is called `name` has written in this chat, which is not off. That is held until [`Self::keep`].
    pub fn saw(&self, key: &SessionKey, name: &str) {
        let now = self.clock.now();
        self.chats.hold(|chats| chats.saw(key, name, now));
    }

    /// Whether all that is known of chats and of questions for a person stands on the disk.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        self.chats.is_on_disk() && self.escalations.is_on_disk()
    }

    /// Brings to the disk what is only held of chats and of questions for a person. It waits for the disk.
    ///
    /// # Errors
    /// [`SaveError`]: it is known until the agent ends.
    pub fn keep(&self) -> Result<(), SaveError> {
        self.chats.flush()?;
        self.escalations.flush()
    }

    /// Looks whether `text` seems to lead the model astray; then that is noted, and it goes on all the same.
    ///
    /// # Errors
    /// When it can't be noted.
    pub fn look(&self, from: &Principal, text: &str) -> std::io::Result<Option<&'static str>> {
        self.wary.look(from, text, self.clock.now())
    }

    /// What the people of this chat call themselves; its key where nobody knows.
    #[must_use]
    pub fn name(&self, key: &SessionKey) -> String {
        let chats = self.chats.read();
        let name = chats.chat(key).map(|chat| chat.name.clone()).filter(|name| !name.is_empty());
        name.unwrap_or_else(|| key.to_string())
    }

    /// Whether a word of the owner's passes this question on to a person.
    #[must_use]
    pub fn escalates(&self, text: &str) -> bool {
        names(&self.profile.read().escalation.escalate_keywords, text).is_some()
    }

    /// The chat that is told of questions for a person.
    #[must_use]
    pub fn told(&self) -> SessionKey {
        let chat = self.profile.read().escalation.admin_chat.clone();
        let chat = chat.and_then(|chat| SessionKey::new(chat).ok());
        chat.filter(|chat| self.standing(chat) == ChatStanding::Allowed)
            .unwrap_or_else(SessionKey::owner)
    }

    /// Gives the chat `key` a mode of its own, or takes that back. Where nobody is answered, no question is open any more.
    ///
    /// # Errors
    /// Words for the owner: there is no such chat, or it holds until the agent ends.
    pub fn set(&self, key: &str, mode: Option<ChatMode>) -> Result<(), String> {
        let change = |chats: &mut ChatBook| match chats.set(key, mode) {
            true => Ok(()),
            false => Err(format!("there is no chat {key}; /mode lists them")),
        };
        let ((), saved) = self.chats.change(change)?;
        if let Some(ChatMode::Silent | ChatMode::Off) = mode
            && let Ok(key) = SessionKey::new(key)
            && self.answered(&key, &self.escalations())
        {
            self.keep().map_err(|error| error.to_string())?;
        }
        saved.map_err(|error| format!("it holds until the agent ends: {error}"))
    }

    /// Gives all chats this mode, or each its own again.
    ///
    /// # Errors
    /// [`SaveError`]: it holds until the agent ends.
    pub fn set_all(&self, mode: Option<ChatMode>) -> Result<(), SaveError> {
        self.chats.update(|chats| chats.all = mode)
    }

    /// The business is this one from now on.
    ///
    /// # Errors
    /// [`SaveError`]: it holds until the agent ends.
    pub fn set_profile(&self, profile: Profile) -> Result<(), SaveError> {
        self.profile.save(profile)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use protocol::Millis;

    use super::admission::{TOO_FAST, TOO_MANY};
    use super::*;

    struct House {
        _folder: tempfile::TempDir,
        reception: Reception,
        now: Arc<AtomicU64>,
    }

    fn house(bot_mode: BotMode, telegram: Option<ChatMode>) -> House {
        let folder = tempfile::tempdir().unwrap();
        let channels = Channels {
            modes: [("telegram".to_owned(), telegram)].into(),
            allowed: ["telegram-7".to_owned()].into(),
        };
        let now = Arc::new(AtomicU64::new(86_400_000));
        let read = Arc::clone(&now);
        let allowance =
            Allowance { per_day: 12, tokens: 100, all_tokens: 150, ..Allowance::default() };
        let reception = Reception::open(folder.path(), &Notices::default(), bot_mode, channels)
            .with_allowance(allowance)
            .with_clock(Clock::new(move || Millis(read.load(Ordering::Relaxed))));
        House { _folder: folder, reception, now }
    }

    fn key(key: &str) -> SessionKey {
        SessionKey::new(key).unwrap()
    }

    #[test]
    fn a_chat_stands_by_its_own_mode_then_the_channels_then_the_profiles_then_off() {
        let standing = |house: &House, chat: &str| house.reception.standing(&key(chat));
        let personal = house(BotMode::Personal, None);
        assert_eq!(standing(&personal, "telegram-8"), ChatStanding::In(ChatMode::Off));
        assert_eq!(standing(&personal, "telegram-7"), ChatStanding::Allowed);
        assert_eq!(standing(&personal, "http-build"), ChatStanding::Allowed);
        let business = house(BotMode::Business, None);
        assert_eq!(standing(&business, "telegram-8"), ChatStanding::In(ChatMode::Business));
        assert_eq!(standing(&business, "telegram-7"), ChatStanding::Allowed);
        let silent = house(BotMode::Business, Some(ChatMode::Silent));
        assert_eq!(standing(&silent, "telegram-8"), ChatStanding::In(ChatMode::Silent));
        silent.reception.saw(&key("telegram-8"), "Bob");
        silent.reception.set("telegram-8", Some(ChatMode::Business)).unwrap();
        assert_eq!(standing(&silent, "telegram-8"), ChatStanding::In(ChatMode::Business));
        assert!(silent.reception.set("telegram-1", None).unwrap_err().contains("/mode lists them"));
        personal.reception.turn(BotMode::Business);
        assert_eq!(standing(&personal, "telegram-8"), ChatStanding::In(ChatMode::Business));
    }

    #[test]
    fn off_for_all_is_off_for_everybody_but_the_owner() {
        let house = house(BotMode::Business, None);
        house.reception.saw(&key("telegram-8"), "Bob");
        house.reception.set("telegram-8", Some(ChatMode::Business)).unwrap();
        house.reception.set_all(Some(ChatMode::Off)).unwrap();
        for chat in ["telegram-7", "telegram-8", "telegram-9", "http-build"] {
            assert_eq!(
                house.reception.standing(&key(chat)),
                ChatStanding::In(ChatMode::Off),
                "{chat}"
            );
        }
        assert_eq!(house.reception.standing(&SessionKey::owner()), ChatStanding::Owner);
        house.reception.set_all(None).unwrap();
        assert!(house.reception.is_customer(&key("telegram-8")));
    }

    #[test]
    fn silent_for_all_keeps_nothing_of_those_who_are_off() {
        let House { reception, .. } = &house(BotMode::Personal, None);
        let [guest, bob, ann] = ["telegram-7", "telegram-8", "telegram-9"].map(key);
        for chat in [&bob, &ann] {
            reception.saw(chat, "X");
        }
        reception.set("telegram-9", Some(ChatMode::Business)).unwrap();
        reception.set_all(Some(ChatMode::Silent)).unwrap();
        assert_eq!(reception.standing(&bob), ChatStanding::In(ChatMode::Off), "a stranger");
        for chat in [&guest, &ann] {
            assert_eq!(reception.standing(chat), ChatStanding::In(ChatMode::Silent), "{chat}");
        }
        reception.set("telegram-9", Some(ChatMode::Off)).unwrap();
        assert_eq!(reception.standing(&ann), ChatStanding::In(ChatMode::Off));
    }

    #[test]
    fn of_a_stranger_in_a_silent_chat_so_much_is_kept_as_would_be_answered() {
        let House { reception, now, .. } = &house(BotMode::Personal, Some(ChatMode::Silent));
        let [guest, bob] = ["telegram-7", "telegram-8"].map(key);
        reception.saw(&bob, "Bob");
        assert!((0..10).all(|_| reception.keeps(&bob)) && !reception.keeps(&bob));
        now.fetch_add(60_000, Ordering::Relaxed);
        assert!((0..2).all(|_| reception.keeps(&bob)) && !reception.keeps(&bob), "twelve a day");
        assert!((0..100).all(|_| reception.keeps(&guest)), "the owner allows that chat");
    }

    #[test]
    fn a_chat_that_moves_keeps_its_name_and_its_mode() {
        let reception = house(BotMode::Business, None).reception;
        let (old, new) = (key("telegram-7"), key("telegram--1007"));
        reception.saw(&old, "Club");
        reception.set(old.as_str(), Some(ChatMode::Silent)).unwrap();
        assert_eq!(reception.moves(&old, &new), Ok(true));
        assert_eq!(reception.moves(&old, &new), Ok(false));
        assert_eq!(reception.standing(&new), ChatStanding::In(ChatMode::Silent));
        assert_eq!(reception.name(&new), "Club");
        assert!(reception.guests.is_allowed(&new) && !reception.guests.is_allowed(&old));
        assert_eq!(reception.moves(&key("telegram-8"), &key("telegram--1008")), Ok(false));
    }

    #[test]
    fn whoever_joins_is_allowed_and_who_is_unpaired_is_off_also_where_strangers_are_customers() {
        let reception = house(BotMode::Business, None).reception;
        let bob = key("telegram-8");
        reception.saw(&bob, "Bob");
        reception.set("telegram-8", Some(ChatMode::Silent)).unwrap();
        let code = reception.invite();
        assert_eq!(reception.joins(&bob, 8, &format!("/start {code}")), Joined::Yes);
        assert_eq!(reception.standing(&bob), ChatStanding::Allowed);
        assert_eq!(reception.unpair(&bob), Ok(true));
        assert_eq!(reception.standing(&bob), ChatStanding::In(ChatMode::Off));
        assert_eq!(reception.unpair(&bob), Ok(false));
        assert_eq!(reception.unpair(&key("telegram-7")), Ok(true), "one who never wrote");
        assert!(reception.is_muted(&key("telegram-7")));
    }

    #[test]
    fn a_sender_has_a_rate_and_is_told_once() {
        let House { reception, now, .. } = &house(BotMode::Business, None);
        let bob = key("telegram-8");
        reception.saw(&bob, "Bob");
        assert!((0..10).all(|_| reception.admit(&bob, "hi") == Admitted::Yes));
        assert_eq!(reception.admit(&bob, "hi"), Admitted::Told(TOO_FAST));
        assert_eq!(reception.admit(&bob, "hi"), Admitted::No);
        now.fetch_add(60_000, Ordering::Relaxed);
        assert_eq!(reception.admit(&bob, "hi"), Admitted::Yes);
        assert_eq!(reception.admit(&bob, "hi"), Admitted::Yes);
        assert_eq!(reception.admit(&bob, "hi"), Admitted::Told(TOO_MANY), "twelve a day");
        assert_eq!(reception.admit(&bob, "hi"), Admitted::No);
        now.fetch_add(86_400_000, Ordering::Relaxed);
        assert_eq!(reception.admit(&bob, "hi"), Admitted::Yes);
    }

    #[test]
    fn a_sender_and_all_together_have_tokens_for_a_day() {
        let House { reception, now, .. } = &house(BotMode::Business, None);
        let [ann, bob, cid] = ["telegram-8", "telegram-9", "telegram-10"].map(key);
        for who in [&ann, &bob, &cid] {
            reception.saw(who, "X");
        }
        let keywords = ["human".to_owned()].into();
        let escalation =
            crate::profile::Calls { escalate_keywords: keywords, ..Default::default() };
        reception.set_profile(Profile { escalation, ..Profile::default() }).unwrap();
        reception.spent(&ann, 100);
        assert_eq!(reception.admit(&ann, "hi"), Admitted::Told(TOO_MANY));
        for ask in ["/ask why?", " /Ask@my_bot why?"] {
            assert_eq!(reception.admit(&ann, ask), Admitted::No, "a model answers {ask}");
        }
        assert_eq!(reception.admit(&ann, "a human!"), Admitted::Yes, "that costs nothing");
        assert_eq!(reception.admit(&ann, "/help"), Admitted::Yes, "nor does that");
        assert_eq!(reception.admit_unread(&ann), Admitted::Yes);
        assert_eq!(reception.admit(&bob, "hi"), Admitted::Yes);
        reception.spent(&bob, 50);
        assert_eq!(reception.admit(&bob, "hi"), Admitted::UsedUp(Some(TOO_MANY)));
        assert_eq!(reception.admit(&cid, "hi"), Admitted::Told(TOO_MANY), "the owner knows");
        now.fetch_add(86_400_000, Ordering::Relaxed);
        assert_eq!(reception.admit(&cid, "hi"), Admitted::Yes);
    }

    #[test]
    fn the_owner_hears_that_nothing_is_left_whoever_was_told_something_before() {
        let House { reception, now, .. } = &house(BotMode::Business, None);
        let bob = key("telegram-9");
        reception.saw(&bob, "Bob");
        assert!((0..10).all(|_| reception.admit(&bob, "/help") == Admitted::Yes));
        assert_eq!(reception.admit(&bob, "hi"), Admitted::Told(TOO_FAST));
        assert_eq!(reception.admit_unread(&bob), Admitted::No, "a picture is a message, too");
        now.fetch_add(60_000, Ordering::Relaxed);
        reception.spent(&key("telegram-8"), 150);
        assert_eq!(reception.admit(&bob, "hi"), Admitted::UsedUp(None));
        assert_eq!(reception.admit(&bob, "hi"), Admitted::No);
    }

    #[test]
    fn a_question_is_open_until_it_is_answered_or_nobody_is_answered_there() {
        let reception = house(BotMode::Business, None).reception;
        let [ann, bob] = ["telegram-8", "telegram-9"].map(key);
        for who in [&ann, &bob] {
            reception.saw(who, "X");
            let line = reception.escalate(who, "Where is it?");
            assert!(line.ends_with("Customer: X, Question: Where is it?"), "{line}");
        }
        let answered = || reception.answered(&ann, &reception.escalations());
        assert!(answered() && !answered());
        reception.set("telegram-9", Some(ChatMode::Business)).unwrap();
        assert_eq!(reception.escalations().all().len(), 1);
        reception.set("telegram-9", Some(ChatMode::Silent)).unwrap();
        assert_eq!(reception.escalations().all(), []);
    }

    #[test]
    fn what_customers_take_is_brought_to_the_disk_later_and_a_mode_at_once() {
        let House { reception, _folder: folder, .. } = &house(BotMode::Business, None);
        let kept = || std::fs::read_to_string(folder.path().join("chats.json")).unwrap_or_default();
        let bob = key("telegram-9");
        reception.saw(&bob, "Bob");
        assert_eq!(reception.admit(&bob, "hi"), Admitted::Yes);
        reception.spent(&bob, 7);
        assert!(kept().is_empty() && !reception.is_kept());
        reception.set("telegram-9", Some(ChatMode::Business)).unwrap();
        assert!(kept().contains("Bob") && reception.is_kept());
        reception.spent(&bob, 93);
        assert!(!kept().contains("100"), "{}", kept());
        reception.keep().unwrap();
        assert!(kept().contains("\"tokens\": 100") && reception.is_kept(), "{}", kept());
    }

    #[test]
    fn an_admin_chat_counts_when_the_owner_has_allowed_it() {
        let reception = house(BotMode::Business, None).reception;
        let told = |chat: &str| {
            let admin_chat = Some(chat.to_owned());
            let escalation = crate::profile::Calls { admin_chat, ..Default::default() };
            reception.set_profile(Profile { escalation, ..Profile::default() }).unwrap();
            reception.told().to_string()
        };
        assert_eq!(told("telegram-7"), "telegram-7");
        assert_eq!(told("telegram-8"), "owner", "a customer's chat");
        assert_eq!(told("no key"), "owner");
    }
}
