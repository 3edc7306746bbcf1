//! The processes that stay: one for each conversation, one for what several actions share, and of every other skill as many
//! as calls of it run at a time.

use std::collections::HashMap;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex as StdMutex, PoisonError};
use std::time::Duration;

use protocol::{Code, Effect, Stopped};
use secrets::Secrets;
use tokio::sync::Mutex;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::gate::Gate;
use super::outcome;
use crate::call::Call;
use crate::catalog::{Catalog, Per, Skill, are_of_one_process};
use crate::sandbox::{RunError, Warm};
use crate::session_key::key_of;

/// How many conversations may have processes of their own at a time.
const SESSIONS: usize = 8;

/// How long a conversation's process stays without a call.
const IDLE: Duration = Duration::from_secs(30 * 60);

/// How often idle ones are looked for.
const LOOK: Duration = Duration::from_secs(60);

/// A process that stays, with the gate that it reaches the network through.
pub(super) struct WarmSkill {
    /// The skill that it was started for.
    skill: Arc<Skill>,
    process: Mutex<Warm>,
    /// How many calls have been given this one and are not over.
    callers: AtomicUsize,
    /// When a call of it began or ended last.
    used: StdMutex<Instant>,
    gate: Option<Gate>,
    /// The generation of the secrets that its gate has.
    generation: u64,
    /// The folder that it has instead of what router/config.json names.
    opened: Option<PathBuf>,
    /// Is cancelled when it has to end with all that it does.
    ending: CancellationToken,
}

impl WarmSkill {
    pub(super) fn new(skill: Arc<Skill>, process: Warm, gate: Option<Gate>) -> Self {
        let used = StdMutex::new(Instant::now());
        Self {
            skill,
            process: Mutex::new(process),
            callers: AtomicUsize::new(0),
            used,
            gate,
            generation: 0,
            opened: None,
            ending: CancellationToken::new(),
        }
    }

    /// The same, with this folder that a person has opened.
    pub(super) fn opened(self, folder: Option<&Path>) -> Self {
        Self { opened: folder.map(Path::to_owned), ..self }
    }

    /// Sends one line and waits for its answer, at most `wall`, the wait for earlier calls included. The mark stands in the log
    /// in front of what the skill writes there meanwhile.
    pub(super) async fn call(
        &self,
        (line, mark): (&[u8], &str),
        wall: Duration,
        effect: Effect,
    ) -> Result<Vec<u8>, Stopped> {
        let until = Instant::now() + wall;
        let mut has_begun = false;
        let work = async {
            let Ok(mut process) = tokio::time::timeout_at(until, self.process.lock()).await else {
                let why = "earlier calls took all of its time; it was not begun";
                return Err(Stopped::new(Code::Timeout, why));
            };
            has_begun = true;
            self.touch();
            let answered = tokio::time::timeout_at(until, process.call_marked(line, mark)).await;
            self.touch();
            if let Some(gate) = &self.gate {
                gate.settle().await;
            }
            let late = Err(RunError::TimedOut { after: wall });
            answered.unwrap_or(late).map_err(|error| outcome::stopped(&error, effect))
        };
        let done = tokio::select! {
            done = work => Some(done),
            () = self.ending.cancelled() => None,
        };
        done.unwrap_or_else(|| {
            let why = "its process was ended, because the folder was closed, changed or put back meanwhile";
            let stopped = Stopped::new(Code::SkillFailed, why);
            Err(if has_begun { outcome::with_effect(stopped, effect) } else { stopped })
        })
    }

    /// Whether it runs `skill`, too, as `skill` is now.
    fn runs(&self, skill: &Arc<Skill>) -> bool {
        Arc::ptr_eq(&self.skill, skill) || are_of_one_process(&self.skill, skill)
    }

    fn touch(&self) {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// Since when it has had nothing to do; nothing while it has.
    fn idle_since(&self) -> Option<Instant> {
        let is_at_rest = self.callers.load(Ordering::SeqCst) == 0;
        is_at_rest.then(|| *self.used.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Which process a call goes to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    process: String,
    /// The conversation, where each has its own.
    session: Option<String>,
}

impl Key {
    fn of(call: &Call) -> Self {
        let process = &call.skill.process;
        let session = (process.per == Per::Session).then(|| key_of(&call.command).to_owned());
        Self { process: process.name.clone(), session }
    }
}

/// A process that a call has been given, until this is dropped.
pub(super) struct Given(Arc<WarmSkill>);

impl Given {
    fn new(warm: &Arc<WarmSkill>) -> Self {
        warm.callers.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(warm))
    }
}

impl Deref for Given {
    type Target = WarmSkill;
    fn deref(&self) -> &WarmSkill {
        &self.0
    }
}

impl Drop for Given {
    fn drop(&mut self) {
        self.0.callers.fetch_sub(1, Ordering::SeqCst);
    }
}

type Processes = HashMap<Key, Vec<Arc<WarmSkill>>>;

/// The processes. Clones share them.
#[derive(Clone)]
pub(super) struct WarmSkills {
    // Held while a process is being prepared, so that two first calls do not make two more than there may be.
    by_key: Arc<Mutex<Processes>>,
    /// How many processes one skill may have.
    most: usize,
    secrets: Secrets,
}

impl WarmSkills {
    /// None yet; of one skill at most `most`, with what it needs of `secrets`.
    pub(super) fn new(most: usize, secrets: Secrets) -> Self {
        Self { by_key: Arc::default(), most, secrets }
    }

    /// The generation of what `skill` needs of the secrets; always the same where it needs none.
    fn generation(&self, skill: &Skill) -> u64 {
        if skill.secrets.is_empty() { 0 } else { self.secrets.generation() }
    }

    /// The process for `call` that has the fewest calls, made by `start` if each has one and there may be more; those of an
    /// older version, with other secrets or with another folder than what is `opened` are ended.
    pub(super) async fn of(
        &self,
        call: &Call,
        opened: Option<&Path>,
        start: impl AsyncFnOnce() -> Result<WarmSkill, Stopped>,
    ) -> Result<Given, Stopped> {
        let key = Key::of(call);
        // What a conversation or several actions share is the state of one process.
        let is_one = key.session.is_some() || call.skill.process.is_shared;
        let most = if is_one { 1 } else { self.most };
        let mut by_key = self.by_key.lock().await;
        let mut there = by_key.remove(&key).unwrap_or_default();
        // Asked before the gate is opened: what changes meanwhile ends the process at the next call.
        let generation = self.generation(&call.skill);
        there.retain(|warm| {
            let is_as_now = warm.opened.as_deref() == opened && warm.generation == generation;
            is_as_now && warm.runs(&call.skill)
        });
        let callers = |warm: &&Arc<WarmSkill>| warm.callers.load(Ordering::SeqCst);
        let freest = there.iter().min_by_key(callers);
        let given = match freest.filter(|warm| callers(warm) == 0 || there.len() >= most) {
            Some(warm) => Ok(Given::new(warm)),
            None => self.another(&key, &mut by_key, start).await.map(|warm| {
                there.push(Arc::new(WarmSkill { generation, ..warm }));
                Given::new(&there[there.len() - 1])
            }),
        };
        if !there.is_empty() {
            by_key.insert(key, there);
        }
        given
    }

    async fn another(
        &self,
        key: &Key,
        by_key: &mut Processes,
        start: impl AsyncFnOnce() -> Result<WarmSkill, Stopped>,
    ) -> Result<WarmSkill, Stopped> {
        if key.session.is_some() {
            make_room(by_key)?;
        }
        start().await
    }

    /// Ends the processes that the session `key` has of its own, and what they do.
    pub(super) async fn end_session(&self, key: &str) {
        let is_its = |of: &Key| of.session.as_deref() == Some(key);
        let ended: Vec<_> = self.by_key.lock().await.extract_if(|of, _| is_its(of)).collect();
        for warm in ended.iter().flat_map(|(_, there)| there) {
            warm.ending.cancel();
            drop(warm.process.lock().await);
        }
    }

    /// Ends each process when the skill that it was started for is changed, switched off or removed.
    pub(super) async fn end_with(self, mut catalog: Catalog) {
        while catalog.changed().await {
            self.by_key.lock().await.retain(|_, there| {
                there.retain(|warm| catalog.serves(&warm.skill));
                !there.is_empty()
            });
        }
    }

    /// Ends what has had nothing to do for long: the processes of conversations, and of other skills all but one. What has a
    /// secret that was changed or removed ends as well.
    pub(super) async fn end_idle(self) {
        loop {
            tokio::time::sleep(LOOK).await;
            let is_idle =
                |warm: &WarmSkill| warm.idle_since().is_some_and(|since| since.elapsed() >= IDLE);
            self.by_key.lock().await.retain(|key, there| {
                let mut stays = usize::from(key.session.is_none());
                there.retain(|warm| warm.generation == self.generation(&warm.skill));
                there.retain(|warm| {
                    let is_kept = stays > 0;
                    stays = stays.saturating_sub(1);
                    is_kept || !is_idle(warm)
                });
                !there.is_empty()
            });
        }
    }
}

/// Ends the process that has had nothing to do for longest, where there are as many as may be.
fn make_room(by_key: &mut Processes) -> Result<(), Stopped> {
    let of_sessions = by_key.iter().filter(|(key, _)| key.session.is_some());
    if of_sessions.clone().count() < SESSIONS {
        return Ok(());
    }
    let idle = of_sessions.filter_map(|(key, there)| Some((there.first()?.idle_since()?, key)));
    let Some((_, oldest)) = idle.min_by_key(|(since, _)| *since) else {
        let why = format!(
            "{SESSIONS} conversations have processes of their own, and all are at work; try again later"
        );
        return Err(Stopped::new(Code::QueueFull, why));
    };
    let oldest = oldest.clone();
    tracing::info!("the process {} of an idle conversation ends to make room", oldest.process);
    by_key.remove(&oldest);
    Ok(())
}

#[cfg(test)]
mod tests {
    use protocol::{ActionName, Command, Envelope, MessageId, Millis, Object, SessionKey};
    use testkit::TempHome;

    use super::*;
    use crate::catalog::{Found, scan};
    use crate::config::RouterConfig;
    use crate::runner::job;
    use crate::sandbox::{Launcher, SelfCommand};

    const TOKEN: &str = "[net]\nhosts = [\"a.example\"]\n[secrets.TOKEN]\nhost = \"a.example\"\nheader = \"Authorization\"\n";

    struct House {
        catalog: Catalog,
        launcher: Arc<Launcher>,
        warm: WarmSkills,
        secrets: Secrets,
        _home: TempHome,
    }

    impl House {
        /// Two actions of one process for each conversation, one of its own for all, and one with a secret.
        async fn new() -> Self {
            let home = TempHome::new();
            let shared = "process = \"desk\"\nper = \"session\"\n";
            for (name, more) in
                [("READ", shared), ("WRITE", shared), ("CLOCK", ""), ("TOKENED", TOKEN)]
            {
                let folder = name.to_ascii_lowercase();
                let manifest = format!(
                    "name = \"{name}\"\ninstruction = \"x\"\neffect = \"none\"\nbuiltin = \"hello_world\"\nmode = \"serve\"\n{more}"
                );
                home.put(format!("router/skills/{folder}/skill.toml"), manifest);
            }
            let found = scan(&home.router_skills(), &RouterConfig::default(), &Found::default());
            assert_eq!(found.broken, []);
            // Nothing is started here: a process begins with its first line.
            let me = SelfCommand { exe: "/bin/true".into(), prefix: Vec::new() };
            let launcher = Arc::new(Launcher::open(me, &std::env::temp_dir()).await.unwrap());
            let secrets = Secrets::new([("TOKEN", "first")]);
            let warm = WarmSkills::new(2, secrets.clone());
            Self { catalog: Catalog::fixed(found), launcher, warm, secrets, _home: home }
        }

        async fn of(&self, action: &str, session: &str) -> Result<Arc<WarmSkill>, Stopped> {
            Ok(Arc::clone(&self.given(action, session).await?.0))
        }

        /// The process that a call has been given which is not over.
        async fn given(&self, action: &str, session: &str) -> Result<Given, Stopped> {
            let command = Command {
                message_id: MessageId::new("m1").unwrap(),
                action: ActionName::new(action).unwrap(),
                params: Object::new(),
                envelope: Envelope {
                    session: SessionKey::new(session).ok(),
                    ..Envelope::default()
                },
            };
            let call = Call::new(command, 1, &self.catalog, &self.secrets, Millis(0)).unwrap();
            let skill = Arc::clone(&call.skill);
            let start = async || {
                let job = job(&skill, None, skill.timeout);
                let process = self.launcher.serve(job, PathBuf::from("/dev/null"));
                Ok(WarmSkill::new(Arc::clone(&skill), process, None))
            };
            self.warm.of(&call, None, start).await
        }

        async fn is_same(&self, one: (&str, &str), other: (&str, &str)) -> bool {
            let one = self.of(one.0, one.1).await.unwrap();
            Arc::ptr_eq(&one, &self.of(other.0, other.1).await.unwrap())
        }
    }

    #[tokio::test]
    async fn a_conversation_has_one_process_for_all_its_actions_and_no_other_has_it() {
        let house = House::new().await;
        assert!(house.is_same(("READ", "a"), ("WRITE", "a")).await);
        assert!(!house.is_same(("READ", "a"), ("READ", "b")).await);
        assert!(house.is_same(("CLOCK", "a"), ("CLOCK", "b")).await);
        assert!(!house.is_same(("CLOCK", "a"), ("READ", "a")).await);
    }

    #[tokio::test]
    async fn a_skill_has_a_process_for_each_call_up_to_its_bound_and_what_is_shared_has_one() {
        let house = House::new().await;
        let one = house.given("CLOCK", "a").await.unwrap();
        let two = house.given("CLOCK", "a").await.unwrap();
        assert!(!Arc::ptr_eq(&one.0, &two.0));
        drop(two);
        let third = house.given("CLOCK", "a").await.unwrap();
        let fourth = house.given("CLOCK", "a").await.unwrap();
        assert!(!Arc::ptr_eq(&one.0, &third.0));
        assert!(Arc::ptr_eq(&one.0, &fourth.0) || Arc::ptr_eq(&third.0, &fourth.0));
        let read = house.given("READ", "a").await.unwrap();
        assert!(Arc::ptr_eq(&read.0, &house.given("WRITE", "a").await.unwrap().0));
    }

    #[tokio::test]
    async fn a_process_ends_when_its_secret_is_another_one() {
        let house = House::new().await;
        tokio::time::pause();
        let (token, clock) =
            (house.of("TOKENED", "a").await.unwrap(), house.of("CLOCK", "a").await.unwrap());
        assert!(Arc::ptr_eq(&token, &house.of("TOKENED", "a").await.unwrap()));
        house.secrets.replace([("TOKEN", "second")]);
        let second = house.of("TOKENED", "a").await.unwrap();
        assert!(!Arc::ptr_eq(&token, &second));
        assert!(Arc::ptr_eq(&clock, &house.of("CLOCK", "a").await.unwrap()));
        // Also without a call: nothing goes on with a secret that is gone.
        house.secrets.replace([]);
        tokio::spawn(house.warm.clone().end_idle());
        tokio::time::sleep(2 * LOOK).await;
        assert_eq!(Arc::strong_count(&second), 1);
        assert!(Arc::strong_count(&clock) > 1);
    }

    #[tokio::test]
    async fn a_ninth_conversation_takes_the_place_of_the_one_that_was_idle_longest() {
        let house = House::new().await;
        let mut held = Vec::new();
        for n in 0..SESSIONS {
            held.push(house.of("READ", &format!("s{n}")).await.unwrap());
        }
        // The oldest has a call that nothing has been sent for yet, so the next oldest goes.
        let at_work = house.given("READ", "s0").await.unwrap();
        house.of("READ", "ninth").await.unwrap();
        assert!(Arc::ptr_eq(&held[0], &house.of("READ", "s0").await.unwrap()));
        assert!(!Arc::ptr_eq(&held[1], &house.of("READ", "s1").await.unwrap()));
        drop(at_work);
    }

    #[tokio::test]
    async fn where_all_are_at_work_a_ninth_is_told_to_wait() {
        let house = House::new().await;
        let mut held = Vec::new();
        for n in 0..SESSIONS {
            held.push(house.given("READ", &format!("s{n}")).await.unwrap());
        }
        let refused = house.of("READ", "ninth").await.err().unwrap();
        assert_eq!(refused.code, Code::QueueFull);
    }

    #[tokio::test]
    async fn what_a_process_does_ends_with_its_session() {
        let house = House::new().await;
        let given = house.given("READ", "a").await.unwrap();
        let (warm, all) = (Arc::clone(&given.0), house.warm.clone());
        let at_work = warm.process.lock().await;
        let hour = Duration::from_secs(3_600);
        let call =
            tokio::spawn(async move { given.call((b"{}\n", "m"), hour, Effect::External).await });
        let ending = tokio::spawn(async move { all.end_session("a").await });
        let stopped = call.await.unwrap().unwrap_err();
        assert!(stopped.message.contains("its process was ended"), "{stopped:?}");
        assert!(!ending.is_finished(), "something runs there still");
        drop(at_work);
        ending.await.unwrap();
    }

    #[tokio::test]
    async fn one_that_nobody_uses_ends_and_one_for_all_stays() {
        let house = House::new().await;
        tokio::time::pause();
        tokio::spawn(house.warm.clone().end_idle());
        let (read, given) =
            (house.of("READ", "a").await.unwrap(), house.given("CLOCK", "a").await.unwrap());
        let (clock, more) = (Arc::clone(&given.0), house.of("CLOCK", "a").await.unwrap());
        drop(given);
        tokio::time::sleep(IDLE / 2).await;
        assert!(Arc::ptr_eq(&read, &house.of("READ", "a").await.unwrap()));
        tokio::time::sleep(IDLE + 2 * LOOK).await;
        assert!(!Arc::ptr_eq(&read, &house.of("READ", "a").await.unwrap()));
        let first = house.given("CLOCK", "a").await.unwrap();
        assert!(Arc::ptr_eq(&clock, &first.0));
        assert!(!Arc::ptr_eq(&more, &house.of("CLOCK", "a").await.unwrap()));
    }
}
