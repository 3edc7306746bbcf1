//! The questions that `/business setup` asks, one after the other. `cancel` ends them at any time, and nothing is changed then.

use super::{Page, Profile, Topic};

/// How long one answer may be, in characters.
const ANSWER: usize = 500;

/// How many topics, rules, pages and words there may be.
const MOST: usize = 50;

/// A set-up that waits for an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setup {
    step: Step,
    profile: Profile,
    /// How many entries of the list at hand were written by now; the first one replaces what was there before.
    written: usize,
}

/// What comes of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answered {
    /// The next question.
    Ask(String),
    /// All is said and confirmed.
    Done(Box<Profile>),
    /// It is not wanted any more.
    Cancelled,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Name,
    Greeting,
    Topics,
    Rules,
    Pages,
    Words,
    AdminChat,
    Confirm,
}

impl Step {
    fn next(self) -> Self {
        match self {
            Self::Name => Self::Greeting,
            Self::Greeting => Self::Topics,
            Self::Topics => Self::Rules,
            Self::Rules => Self::Pages,
            Self::Pages => Self::Words,
            Self::Words => Self::AdminChat,
            Self::AdminChat | Self::Confirm => Self::Confirm,
        }
    }
}

impl Setup {
    /// A set-up that begins with what is set by now, and its first question.
    #[must_use]
    pub fn begin(profile: Profile) -> (Self, String) {
        let setup = Self { step: Step::Name, profile, written: 0 };
        let ask = format!(
            "{}\n`cancel` ends this at any time, and nothing is changed then.",
            setup.question()
        );
        (setup, ask)
    }

    /// Takes an answer. What is wrong with it is said, and asked again.
    pub fn answer(&mut self, text: &str) -> Answered {
        let text = text.trim();
        if is(text, "cancel") {
            return Answered::Cancelled;
        }
        if text.chars().count() > ANSWER {
            return self.again(&format!("that is too long: at most {ANSWER} characters"));
        }
        let skips = text.is_empty() || is(text, "skip") || is(text, "done");
        match self.take(text, skips) {
            Ok(Next::Question) => {
                (self.step, self.written) = (self.step.next(), 0);
                Answered::Ask(self.question())
            }
            Ok(Next::More) => {
                self.written += 1;
                Answered::Ask("Noted. The next one, or `done`.".to_owned())
            }
            Ok(Next::End) => Answered::Done(Box::new(self.profile.clone())),
            Err(why) => self.again(&why),
        }
    }

    fn again(&self, why: &str) -> Answered {
        Answered::Ask(format!("{why}.\n{}", self.question()))
    }

    fn take(&mut self, text: &str, skips: bool) -> Result<Next, String> {
        let (profile, is_first) = (&mut self.profile, self.written == 0);
        match self.step {
            Step::Name if skips && !profile.is_set() => Err("a business needs a name".to_owned()),
            Step::Name if !skips => {
                text.clone_into(&mut profile.name);
                Ok(Next::Question)
            }
            Step::Greeting if !skips => {
                text.clone_into(&mut profile.greeting);
                Ok(Next::Question)
            }
            Step::Topics if !skips => add(&mut profile.topics, topic(text)?, is_first),
            Step::Rules if !skips => add(&mut profile.rules, text.to_owned(), is_first),
            Step::Pages if !skips => add(&mut profile.allowed_urls, Page::read(text)?, is_first),
            Step::Words if is(text, "none") => {
                profile.escalation.escalate_keywords.clear();
                Ok(Next::Question)
            }
            Step::Words if !skips => {
                let words = text.split([',', '\n']).map(str::trim).filter(|word| !word.is_empty());
                profile.escalation.escalate_keywords =
                    words.take(MOST).map(str::to_lowercase).collect();
                Ok(Next::Question)
            }
            Step::AdminChat if is(text, "me") => {
                profile.escalation.admin_chat = None;
                Ok(Next::Question)
            }
            Step::AdminChat if !skips => {
                protocol::SessionKey::new(text).map_err(|error| error.to_string())?;
                profile.escalation.admin_chat = Some(text.to_owned());
                Ok(Next::Question)
            }
            Step::Confirm if is(text, "yes") => Ok(Next::End),
            Step::Confirm => Err("write yes, or cancel".to_owned()),
            _ => Ok(Next::Question),
        }
    }

    fn question(&self) -> String {
        let keeps =
            |is_set: bool| if is_set { "`skip` keeps what is set" } else { "`skip` leaves it out" };
        let profile = &self.profile;
        match self.step {
            Step::Name if profile.is_set() => {
                format!(
                    "What is the business called? It is {} now; `skip` keeps that.",
                    profile.name
                )
            }
            Step::Name => "What is the business called?".to_owned(),
            Step::Greeting => {
                format!("What does a customer hear first? {}.", keeps(!profile.greeting.is_empty()))
            }
            Step::Topics => format!(
                "What are customers answered about? One topic a message, such as `Pricing: plans and billing`, or `Returns: our \
                 return policy, escalate` for one that a person answers. `done` ends the list; {}.",
                keeps(!profile.topics.is_empty())
            ),
            Step::Rules => format!(
                "Which rules hold for every answer? One a message, such as `Always answer in English`. `done` ends the list; {}.",
                keeps(!profile.rules.is_empty())
            ),
            Step::Pages => format!(
                "Which pages may be read and named? One a message, such as `Pricing https://acme.com/pricing`. `done` ends the \
                 list; {}.",
                keeps(!profile.allowed_urls.is_empty())
            ),
            Step::Words => format!(
                "Which words call a person at once? With commas between, such as `refund, complaint, a real person`, or `none`; {}.",
                keeps(!profile.escalation.escalate_keywords.is_empty())
            ),
            Step::AdminChat => format!(
                "Which chat is told then? Its name as /mode shows it, such as `telegram-123`, or `me`; {}.",
                keeps(profile.escalation.admin_chat.is_some())
            ),
            Step::Confirm => {
                format!(
                    "This will be set:\n{}\nIs that right? `yes`, or `cancel`.",
                    profile.shown()
                )
            }
        }
    }
}

/// What follows on an answer that was taken.
enum Next {
    Question,
    More,
    End,
}

fn add<T>(list: &mut Vec<T>, entry: T, is_first: bool) -> Result<Next, String> {
    if is_first {
        list.clear();
    }
    if list.len() >= MOST {
        return Err(format!("there are {MOST} already, and more are not kept; write done"));
    }
    list.push(entry);
    Ok(Next::More)
}

/// `Returns: our return policy, escalate`
fn topic(text: &str) -> Result<Topic, String> {
    let ends = |rest: &&str| rest.is_empty() || rest.ends_with([' ', ',', ':', '(']);
    let (text, escalate) = match text.trim_end_matches(')').strip_suffix("escalate").filter(ends) {
        Some(rest) => (rest.trim_end_matches([' ', ',', '(']), true),
        None => (text, false),
    };
    let (name, description) = text.split_once(':').unwrap_or((text, ""));
    let (name, description) = (name.trim().to_owned(), description.trim().to_owned());
    if name.is_empty() {
        return Err("a topic needs a name".to_owned());
    }
    Ok(Topic { name, description, escalate })
}

fn is(text: &str, word: &str) -> bool {
    text.eq_ignore_ascii_case(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(setup: &mut Setup, answers: &[&str]) -> Answered {
        let mut last = Answered::Cancelled;
        for answer in answers {
            last = setup.answer(answer);
        }
        last
    }

    const ANSWERS: &[&str] = &[
        "Acme Support",
        "Hi!",
        "Pricing: plans, and billing",
        "Returns: our policy, escalate",
        "Jobs (escalate)",
        "done",
        "Always answer in English",
        "done",
        "Pricing https://acme.com/pricing",
        "done",
        "Refund, a real person,",
        "telegram-5",
    ];

    #[test]
    fn all_is_asked_for_shown_and_confirmed() {
        let (mut setup, first) = Setup::begin(Profile::default());
        assert!(first.contains("`cancel` ends this at any time"), "{first}");
        let Answered::Ask(shown) = answered(&mut setup, ANSWERS) else { panic!() };
        insta::assert_snapshot!(shown);
        assert!(matches!(setup.answer("well"), Answered::Ask(_)));
        let Answered::Done(profile) = setup.answer("YES") else { panic!() };
        assert_eq!(profile.topics[0].description, "plans, and billing");
        assert_eq!(
            profile.topics.iter().map(|it| it.escalate).collect::<Vec<_>>(),
            [false, true, true]
        );
        // Asked again, all that is skipped stays.
        let (mut setup, _) = Setup::begin((*profile).clone());
        assert!(matches!(answered(&mut setup, &["skip"; 7]), Answered::Ask(_)));
        assert_eq!(setup.answer("yes"), Answered::Done(profile.clone()));
        let (mut setup, _) = Setup::begin(*profile);
        let again = ["Acme", "skip", "Sizes", "done", "done", "done", "none", "me", "yes"];
        let Answered::Done(profile) = answered(&mut setup, &again) else { panic!() };
        assert_eq!((profile.topics.len(), profile.rules.len()), (1, 1));
        assert!(
            profile.escalation.escalate_keywords.is_empty()
                && profile.escalation.admin_chat.is_none()
        );
    }

    #[test]
    fn it_can_be_cancelled_at_every_question() {
        for at in 0..=ANSWERS.len() {
            let (mut setup, _) = Setup::begin(Profile::default());
            let _ = answered(&mut setup, &ANSWERS[..at]);
            assert_eq!(setup.answer(" Cancel "), Answered::Cancelled, "after {at} answers");
        }
    }

    #[test]
    fn what_is_wrong_is_said_and_asked_again() {
        let (mut setup, _) = Setup::begin(Profile::default());
        let mut told = |answer: &str| match setup.answer(answer) {
            Answered::Ask(text) => text,
            other => panic!("{other:?}"),
        };
        assert!(told("skip").starts_with("a business needs a name.\nWhat is the business called?"));
        assert!(told(&"x".repeat(501)).starts_with("that is too long"));
        for answer in ["Acme", "skip", "done", "done"] {
            told(answer);
        }
        assert!(told("our page").starts_with("\"page\" is no address"));
        told("done");
        told("skip");
        assert!(told("../x y").contains("session key"));
    }
}
