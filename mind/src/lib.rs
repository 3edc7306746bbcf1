//! What all sessions of one agent think and act with.

pub mod answering;
pub mod links;
pub mod slash;
pub mod storm;
pub mod turn;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use action::{ACTS, Actions, RECALL, Sets};
use business::Reception;
use conversation::message::Origin;
use conversation::workspace::{Cards, Workspace};
use model::{Switch, Usage};
use persona::{Cast, PolicyFolder, PolicySkills, SkillRole};
use prompt::Sources;
use protocol::{ActionCard, Principal, SessionKey, SetName};
use schedule::Book;
use session::{OwnersStanding, Replies, Session};
use settings::AgentConfig;

use crate::links::Links;

/// What a completion counts for whose server does not say how many tokens it took.
const UNTOLD: u64 = 2_000;

/// The action that reads a page.
pub(crate) const READS_PAGES: &str = "WEB_FETCH";

/// Everything that a turn needs besides its session. All sessions share it, so nothing in it may tell one of another.
pub struct Mind {
    /// The agent's files.
    pub workspace: Arc<Workspace>,
    /// Who thinks.
    pub model: Arc<Switch>,
    /// The personas, and the models that they think with.
    pub cast: Cast,
    /// How people of each role are answered, whoever answers.
    pub skills: PolicyFolder,
    /// What prompts are made of.
    pub sources: Sources,
    /// What can be done.
    pub actions: Actions,
    /// The sets of actions that are on.
    pub sets: Sets,
    /// Who is received, and how.
    pub reception: Arc<Reception>,
    /// Where people's words go that are meant for another conversation than theirs.
    pub replies: Replies,
    /// The jobs of the clock; none where it is off.
    pub book: Option<Arc<Book>>,
    /// How often a turn may think.
    pub max_steps: usize,
    /// How much a task at the workbench may take before a person is asked.
    pub budget: drive::TaskBudget,
    /// Links that sign a browser in on the page, if it is on.
    pub links: Option<Links>,
    /// Whether people see actions by their names, as programs do, and not in words.
    pub by_name: bool,
    /// How the owner's conversation stands.
    pub standing: OwnersStanding,
    /// Who sits at a terminal of this process and talks: the questions from before are put there.
    pub seated: Option<Principal>,
    /// Lines for `/status`: what was found at start.
    pub found: Vec<String>,
    /// The channels that have failed, and why.
    pub lost: Lost,
}

/// Channels that were set up and have failed since, each with the reason.
#[derive(Debug, Default)]
pub struct Lost(Mutex<BTreeMap<&'static str, String>>);

impl Lost {
    /// Takes in that `channel` has failed.
    pub fn note(&self, channel: &'static str, why: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(channel, why);
    }

    /// Why `channel` has failed, if it has.
    #[must_use]
    pub fn why(&self, channel: &str) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(channel).cloned()
    }

    /// A line for each.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let lost = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lost.values().map(|why| format!("off: {why}")).collect()
    }
}

/// What a completion counts, in tokens.
#[must_use]
pub fn tokens(usage: &Usage) -> u64 {
    match (usage.read, usage.written) {
        (None, None) => UNTOLD,
        (read, written) => read.unwrap_or(0).saturating_add(written.unwrap_or(0)),
    }
}

impl Mind {
    /// A mind that thinks with `model` and can do `actions`, and is set as an agent is whose owner has set nothing: without a
    /// clock and a page.
    #[must_use]
    pub fn new(workspace: Arc<Workspace>, model: Arc<Switch>, actions: Actions) -> Self {
        let owners = AgentConfig::default();
        Self {
            cast: Cast::new(workspace.personas()),
            skills: PolicyFolder::new(workspace.folder().join("skills")),
            sources: Sources::built_in(),
            actions,
            sets: Sets::default(),
            reception: Arc::new(Reception::of(workspace.folder())),
            replies: Replies::default(),
            book: None,
            max_steps: owners.max_steps.count(),
            budget: owners.workbench,
            links: None,
            by_name: false,
            standing: OwnersStanding::default(),
            seated: None,
            found: Vec::new(),
            lost: Lost::default(),
            workspace,
            model,
        }
    }

    /// The cards of every action: the local ones, then the router's.
    #[must_use]
    pub fn cards(&self) -> [Arc<Cards>; 2] {
        let words = self.workspace.agent_actions.read();
        [self.actions.local_cards(words), self.workspace.router_actions.read()]
    }

    /// A model has answered in this session to what came from there: what that took counts, if it was for a customer or the clock.
    pub fn spent(&self, session: &SessionKey, origin: Origin, usage: &Usage) {
        let tokens = tokens(usage);
        if let (Origin::Clock(_), Some(book)) = (origin, &self.book) {
            book.took(tokens);
        }
        if self.reception.is_customer(session) {
            self.reception.spent(session, tokens);
        }
    }

    /// What a model is told that answers in the conversation `key`: `soul`, and what the policies say behind it.
    #[must_use]
    pub(crate) fn instructions(&self, key: &SessionKey, soul: &str) -> String {
        match self.skills.now().instructions(self.role(key)) {
            Some(told) => format!("{}\n\n{told}", soul.trim_end()),
            None => soul.to_owned(),
        }
    }

    /// Who is in the conversation `key`.
    #[must_use]
    pub(crate) fn role(&self, key: &SessionKey) -> SkillRole {
        match () {
            () if key.is_owner() => SkillRole::Owner,
            () if self.reception.is_customer(key) => SkillRole::Customer,
            () => SkillRole::Guest,
        }
    }

    /// The cards that are offered in `session`. Guests are offered no set but what anybody may ask the library, and a persona
    /// only those of the sets that are on which it names.
    #[must_use]
    pub(crate) fn cards_for(&self, session: &Session) -> [Arc<Cards>; 2] {
        let mut sets = if session.is_owners() { self.sets.on() } else { self.sets.for_guests() };
        if session.may_recall() {
            sets.extend(SetName::new(RECALL));
        }
        if session.has_acted {
            sets.extend(SetName::new(ACTS));
        }
        if let Some(own) = session.speaker.as_ref().and_then(|speaker| speaker.sets.as_ref()) {
            sets.retain(|set| own.contains(set));
        }
        let cards = self.cards().map(|cards| self.sets.offered(cards, &sets));
        let (skills, role) = (self.skills.now(), self.role(&session.key));
        let cards = cards.map(|cards| narrowed(cards, &skills, role));
        if !self.reception.is_customer(&session.key) {
            return cards;
        }
        let has_pages = !self.reception.profile().allowed_urls.is_empty();
        cards.map(|cards| Arc::new(Cards(customers(&cards, has_pages))))
    }
}

/// Those of `cards` that the policy skills leave to people of a role.
fn narrowed(cards: Arc<Cards>, skills: &PolicySkills, role: SkillRole) -> Arc<Cards> {
    let is_left = |card: &&ActionCard| skills.offer(role, card.name.as_str());
    if cards.0.iter().all(|card| is_left(&card)) {
        return cards;
    }
    Arc::new(Cards(cards.0.iter().filter(is_left).cloned().collect()))
}

/// Those of `cards` that are offered to a customer: what looks into the customer's own conversations and into the public part of
/// the library, and what reads the pages of the business, if it has some.
fn customers(cards: &Cards, has_pages: bool) -> Vec<ActionCard> {
    let is_offered = |card: &&ActionCard| match card.name.as_str() {
        "_RECALL_MEMORY" | "SEARCH_PUBLIC_DOCS" => true,
        READS_PAGES => has_pages,
        _ => false,
    };
    cards.0.iter().filter(is_offered).cloned().collect()
}
