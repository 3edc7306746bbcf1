//! The clock: a channel without people, over which jobs speak that are due.
//!
//! It sleeps until the next job is due. What is due is marked on the disk before it is said. Jobs that tell people something are
//! told at once, also while a turn runs, and are over once people have them; those that the model is told wait for their turn. A watch is looked at beside all that,
//! and speaks only when it has news, which waits until the quiet hours are over.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use conversation::message::{Addressed, Origin, Outgoing, Receipt, Reports, Ticket, taken};
use protocol::{Millis, Principal, SessionKey, Taint};
use schedule::{Book, Due, JobId, QuietHours, Watch};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::{Channel, ChannelError, Incoming, Line, Said};

/// How soon that is said again for which the session had no room.
const AGAIN: Duration = Duration::from_secs(1);

/// The longest sleep towards the end of quiet hours, because a sleep does not count while the machine is suspended.
const SLEEP_MOST: Duration = Duration::from_secs(10);

/// How long people may take to have what they are told at the end of the agent.
const LAST_WORDS: Duration = Duration::from_millis(1_500);

/// A sleep without a job: the clock is woken when there is one.
const NOTHING: Duration = Duration::from_secs(3_600);

/// Says what is due in the owner's session.
pub struct ClockChannel {
    /// The jobs.
    pub book: Arc<Book>,
    /// Who looks at what is watched.
    pub looks: Arc<dyn Looks>,
    /// When watches tell nothing.
    pub quiet: Option<QuietHours>,
}

/// Looks at what is watched.
#[async_trait]
pub trait Looks: Send + Sync {
    /// Takes one look for a job whose watch this is. What it finds stands in the watch as `news`.
    async fn look(&self, due: &Due, watch: Watch) -> Looked;
}

/// What a look has come to.
#[derive(Debug)]
pub struct Looked {
    /// How the watch is now.
    pub watch: Watch,
    /// The trust bits of what it has found.
    pub brings: Taint,
}

/// How many watches are looked at side by side.
const SIDE_BY_SIDE: usize = 4;

#[async_trait]
impl Channel for ClockChannel {
    fn name(&self) -> &'static str {
        "clock"
    }

    fn has_people(&self) -> bool {
        false
    }

    async fn run(self: Box<Self>, line: Line) -> Result<(), ChannelError> {
        let Line { incoming, outgoing } = line;
        let Self { book, looks, quiet } = *self;
        let slots = Arc::new(Semaphore::new(SIDE_BY_SIDE));
        let (lanes, looking, held) = Default::default();
        AtWork { book, looks, quiet, incoming, lanes, looking, held, slots }.run(outgoing).await;
        Ok(())
    }
}

/// A clock that runs.
struct AtWork {
    book: Arc<Book>,
    looks: Arc<dyn Looks>,
    quiet: Option<QuietHours>,
    /// What watches have found in quiet hours. It stands on the disk, too, and nothing is looked at again before it is told.
    held: Vec<Due>,
    /// The looks that are under way.
    looking: JoinSet<(Due, Looked)>,
    slots: Arc<Semaphore>,
    incoming: mpsc::Sender<Incoming>,
    /// What people are told, and what the model is told.
    lanes: [Lane; 2],
}

/// What is due, one after the other.
#[derive(Debug, Default)]
struct Lane {
    waiting: VecDeque<Due>,
    said: Option<UnderWay>,
    /// When the next may be said, if there was no room for it.
    again: Option<Instant>,
    /// What people are told by now. Each ends once a channel has it, which it says, or none ever will.
    told: JoinSet<(JobId, bool)>,
    /// What is told or done, and not yet noted on the disk.
    done: Vec<JobId>,
    /// What nobody has, nor will, and that is not yet noted on the disk.
    unheard: Vec<JobId>,
}

/// What was handed to the session.
#[derive(Debug)]
struct UnderWay {
    ticket: Ticket,
    due: Due,
    /// What becomes of it where people are told.
    reports: Reports,
    /// Its turn has begun.
    is_begun: bool,
}

impl AtWork {
    async fn run(mut self, mut outgoing: mpsc::UnboundedReceiver<Addressed>) {
        let unfinished = self.with_book(|book| book.unfinished()).await;
        let (reports, found) = unfinished.into_iter().partition(|due: &Due| due.is_report);
        self.take(reports);
        self.held = found;
        loop {
            self.tell_held();
            let due = self.with_book(|book| book.begin_due()).await;
            self.take(due);
            self.go_on().await;
            if !self.wait(&mut outgoing).await {
                return self.end(outgoing).await;
            }
        }
    }

    /// Waits until there is something to do; `false` when the agent ends.
    async fn wait(&mut self, outgoing: &mut mpsc::UnboundedReceiver<Addressed>) -> bool {
        let until = Instant::now() + self.with_book(|book| book.wait()).await.unwrap_or(NOTHING);
        let again = self.lanes.iter().filter_map(|lane| lane.again).min();
        let until = again.map_or(until, |again| until.min(again));
        let loud = self.quiet_until().filter(|_| !self.held.is_empty());
        let loud = loud.map(|loud| Instant::now() + loud.since(self.book.now()).min(SLEEP_MOST));
        let until = loud.map_or(until, |loud| until.min(loud));
        let book = Arc::clone(&self.book);
        loop {
            tokio::select! {
                said = outgoing.recv() => match said {
                    // Most of what is said is none of the clock's business.
                    Some(said) if self.hear(&said) => return true,
                    Some(_) => {}
                    None => return false,
                },
                () = book.changed() => return true,
                Some(Ok((due, looked))) = self.looking.join_next() => {
                    self.looked(due, looked).await;
                    return true;
                }
                Some(Ok(told)) = self.lanes[0].told.join_next() => {
                    self.lanes[0].was_told(told);
                    return true;
                }
                () = tokio::time::sleep_until(until) => return true,
                () = self.incoming.closed() => return false,
            }
        }
    }

    /// Sorts what is due.
    fn take(&mut self, due: Vec<Due>) {
        for due in due {
            if let Some(watch) = due.watch.clone() {
                self.look(due, *watch);
                continue;
            }
            self.lanes[usize::from(due.is_agentic)].waiting.push_back(due);
        }
    }

    /// Begins a look.
    fn look(&mut self, due: Due, watch: Watch) {
        let (looks, slots) = (Arc::clone(&self.looks), Arc::clone(&self.slots));
        self.looking.spawn(async move {
            // Nobody closes it.
            let _slot = slots.acquire().await;
            let looked = looks.look(&due, watch).await;
            (due, looked)
        });
    }

    /// Takes in what a look has come to, and has people told if there is news.
    async fn looked(&mut self, due: Due, looked: Looked) {
        let Looked { watch, brings } = looked;
        let (id, news) = (due.id.clone(), watch.news.clone());
        let is_there = self.with_book(move |book| book.looked(&id, watch)).await;
        match news {
            Some(text) if is_there => {
                let bits = due.bits.with(brings);
                self.held.push(Due { text, bits, watch: None, ..due });
            }
            _ => self.with_book(move |book| book.finish(&[due.id])).await,
        }
    }

    /// Until when watches tell nothing, if that is so.
    fn quiet_until(&self) -> Option<Millis> {
        self.quiet.as_ref()?.until(self.book.now(), self.book.zone())
    }

    /// Has people told of what watches have found, unless the hours are quiet or the job was taken back meanwhile.
    fn tell_held(&mut self) {
        if self.held.is_empty() || self.quiet_until().is_some() {
            return;
        }
        let jobs = self.book.jobs();
        let is_there = |due: &Due| jobs.all().iter().any(|job| job.id == due.id);
        self.lanes[0].waiting.extend(self.held.drain(..).filter(is_there));
    }

    /// Says what comes next in each lane, and notes what is over.
    async fn go_on(&mut self) {
        for place in 0..self.lanes.len() {
            let next = self.lanes[place].next();
            if let Some(incoming) = next {
                // Whoever has gone is seen by the wait.
                let _ = self.incoming.send(incoming).await;
            }
            self.note(place).await;
        }
    }

    /// Notes what is done. What people are told is over at once and noted together; a model takes its time, and a job that it
    /// has done would be told as not done after an end in the middle.
    async fn note(&mut self, place: usize) {
        let lane = &mut self.lanes[place];
        let is_model = place == usize::from(true);
        let is_over = is_model || (lane.said.is_none() && lane.waiting.is_empty());
        if is_over && !lane.done.is_empty() {
            let done = std::mem::take(&mut lane.done);
            self.with_book(move |book| book.finish(&done)).await;
        }
        let unheard = std::mem::take(&mut self.lanes[place].unheard);
        if !unheard.is_empty() {
            self.with_book(move |book| book.unheard(&unheard)).await;
        }
    }

    /// Learns what has become of what was said; `true` if that changes anything.
    fn hear(&mut self, said: &Addressed) -> bool {
        // Both look, because each has a message of its own under way.
        said.session.is_owner()
            && self.lanes.iter_mut().fold(false, |moved, lane| lane.hear(&said.outgoing) | moved)
    }

    /// At the end of the agent what was not begun is as if it had not been due, and what nobody has is told at the next start.
    async fn end(mut self, mut outgoing: mpsc::UnboundedReceiver<Addressed>) {
        while let Some(said) = outgoing.recv().await {
            self.hear(&said);
        }
        let heard = async {
            let lane = &mut self.lanes[0];
            while let Some(Ok((id, is_taken))) = lane.told.join_next().await {
                lane.done.extend(is_taken.then_some(id));
            }
        };
        let _ = tokio::time::timeout(LAST_WORDS, heard).await;
        let mut left = Vec::new();
        for lane in &mut self.lanes {
            left.extend(lane.said.take_if(|said| !said.is_begun).map(|said| said.due));
            left.extend(lane.waiting.drain(..));
        }
        left.retain(|due| !due.is_report);
        if !left.is_empty() {
            self.with_book(move |book| book.put_back(&left)).await;
        }
        for place in 0..self.lanes.len() {
            self.note(place).await;
        }
    }

    /// Does something that may wait for the disk.
    async fn with_book<R: Send + Default + 'static>(
        &self,
        work: impl FnOnce(&Book) -> R + Send + 'static,
    ) -> R {
        let book = Arc::clone(&self.book);
        // It fails only if it panics.
        tokio::task::spawn_blocking(move || work(&book)).await.unwrap_or_default()
    }
}

impl Lane {
    /// What is said next, unless something is under way.
    fn next(&mut self) -> Option<Incoming> {
        self.again.take_if(|again| *again <= Instant::now());
        if self.said.is_some() || self.again.is_some() {
            return None;
        }
        let due = self.waiting.pop_front()?;
        let (ticket, (receipt, reports)) = (Ticket::new(), Receipt::new());
        // Every id is such a name.
        let from = Principal::new(format!("clock:{}", due.id)).ok()?;
        self.said = Some(UnderWay { ticket, due: due.clone(), reports, is_begun: false });
        let (origin, said) = (Origin::Clock(due.bits), Said::Job(due, receipt));
        Some(Incoming { ticket, session: SessionKey::owner(), from, origin, said })
    }

    /// Takes in what is said in the session; `true` if it concerns what is under way.
    fn hear(&mut self, outgoing: &Outgoing) -> bool {
        let Some(said) = &mut self.said else { return false };
        match outgoing {
            Outgoing::Begin { ticket, .. } if *ticket == said.ticket => said.is_begun = true,
            Outgoing::End if said.is_begun => self.is_over(),
            // One that was taken back meanwhile is told aside, with nothing.
            Outgoing::Aside { ticket, .. } if *ticket == said.ticket => self.is_over(),
            Outgoing::Reminder { ticket, .. } if *ticket == said.ticket => {
                if let Some(UnderWay { due, reports, .. }) = self.said.take() {
                    self.told.spawn(async move { (due.id, taken(reports).await.is_ok()) });
                }
            }
            Outgoing::Refused { ticket, .. } if *ticket == said.ticket => {
                self.waiting.extend(self.said.take().map(|said| said.due));
                self.waiting.rotate_right(1);
                self.again = Some(Instant::now() + AGAIN);
            }
            _ => return false,
        }
        true
    }

    /// Takes in whether people have one that they were told.
    fn was_told(&mut self, (id, is_taken): (JobId, bool)) {
        if is_taken { self.done.push(id) } else { self.unheard.push(id) }
    }

    fn is_over(&mut self) {
        self.done.extend(self.said.take().map(|said| said.due.id));
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use document::{Clock, Notices};
    use schedule::{NewJob, When, Zone};
    use tokio::task::{JoinHandle, yield_now};
    use tokio::time::timeout;

    use super::*;

    /// What takes longer does not come.
    const LONG: Duration = Duration::from_secs(60);

    struct NoLooks;

    #[async_trait]
    impl Looks for NoLooks {
        async fn look(&self, _: &Due, watch: Watch) -> Looked {
            Looked { watch, brings: Taint::CLEAN }
        }
    }

    /// A clock at work, with a session that says at once what is due.
    struct House {
        book: Arc<Book>,
        incoming: mpsc::Receiver<Incoming>,
        outgoing: mpsc::UnboundedSender<Addressed>,
        clock: JoinHandle<Result<(), ChannelError>>,
    }

    fn house(folder: &Path) -> House {
        let (path, zone) = (folder.join("scheduler.json"), Zone::named("UTC").unwrap());
        let book = Book::open(path, &Notices::default(), zone, Clock::default(), true);
        let book = Arc::new(book);
        let (sender, incoming) = mpsc::channel(16);
        let (outgoing, heard) = mpsc::unbounded_channel();
        let channel =
            ClockChannel { book: Arc::clone(&book), looks: Arc::new(NoLooks), quiet: None };
        let line = Line { incoming: sender, outgoing: heard };
        House { book, incoming, outgoing, clock: tokio::spawn(Box::new(channel).run(line)) }
    }

    impl House {
        fn is_due(&self, text: &str) {
            let by = Principal::new("console:owner").unwrap();
            let (text, when, bits) = (text.to_owned(), When::Once(Millis(1)), Taint::CLEAN);
            let (is_agentic, is_models, typed, watch) = (false, false, Vec::new(), None);
            let new = NewJob { text, when, is_agentic, by, is_models, bits, typed, watch };
            self.book.add(new).unwrap();
        }

        /// What is told next, with the receipt of whoever has it.
        async fn told(&mut self) -> (String, Receipt) {
            let Incoming { ticket, session, said, .. } =
                timeout(LONG, self.incoming.recv()).await.unwrap().unwrap();
            let Said::Job(due, receipt) = said else { panic!("{said:?}") };
            let (text, told) = (due.text.clone(), receipt.clone());
            let outgoing = Outgoing::Reminder { ticket, text, receipt: told };
            self.outgoing.send(Addressed { session, outgoing }).unwrap();
            (due.text, receipt)
        }

        fn jobs(&self) -> Vec<(String, bool)> {
            let jobs = self.book.jobs();
            jobs.all().iter().map(|job| (job.text.clone(), job.begun.is_some())).collect()
        }

        async fn has(&self, jobs: &[(&str, bool)]) {
            let is = |now: Vec<(String, bool)>| {
                now.iter().map(|(text, begun)| (text.as_str(), *begun)).eq(jobs.iter().copied())
            };
            let becomes = async {
                while !is(self.jobs()) {
                    yield_now().await;
                }
            };
            timeout(LONG, becomes).await.expect("the jobs become these");
        }

        async fn ended(self) {
            drop((self.incoming, self.outgoing));
            self.clock.await.unwrap().unwrap();
        }
    }

    #[tokio::test]
    async fn a_reminder_is_over_once_people_have_it_and_holds_up_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let mut house = house(folder.path());
        house.is_due("tea");
        let (tea, first) = house.told().await;
        house.is_due("coffee");
        let (coffee, second) = house.told().await;
        assert!(tea.starts_with("Reminder: tea") && coffee.starts_with("Reminder: coffee"));
        second.taken();
        house.has(&[("tea", true)]).await;
        first.failed("nobody is there");
        first.taken();
        house.has(&[]).await;
        house.ended().await;
    }

    #[tokio::test]
    async fn what_nobody_has_goes_on_if_it_comes_again_and_else_is_told_at_the_next_start_until_somebody_has_it()
     {
        let folder = tempfile::tempdir().unwrap();
        let job = r#"{"id": "job-1", "text": "stand-up", "next": 1, "by": "console:owner", "made": 0, "cron": "0 0 1 1 *"}"#;
        let jobs = format!(r#"{{"zone": "UTC", "jobs": [{job}]}}"#);
        std::fs::write(folder.path().join("scheduler.json"), jobs).unwrap();
        let mut before = house(folder.path());
        drop(before.told().await);
        before.is_due("tea");
        drop(before.told().await);
        before.has(&[("stand-up", false), ("tea", true)]).await;
        assert!(before.book.jobs().all()[0].unheard.is_some());
        before.ended().await;
        for is_taken in [false, true] {
            let mut after = house(folder.path());
            let (text, receipt) = after.told().await;
            assert!(text.contains("job-2 may not have reached you"), "{text}");
            if is_taken {
                receipt.taken();
                after.has(&[("stand-up", false)]).await;
            }
            drop(receipt);
            after.ended().await;
        }
        assert_eq!(house(folder.path()).jobs(), [("stand-up".to_owned(), false)]);
    }
}
