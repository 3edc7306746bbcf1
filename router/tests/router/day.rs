//! An everyday day, and a plan of many steps: how often a person is asked.

use super::*;

/// What the owner of these tests has set beside the effects.
const MORE: &str = "irreversible = \"ask\"\n[limits]\nper_minute = 500\nper_hour = 2000\nsame_in_a_row = 50\n\
    [hosts]\nnamed = [\"*.news.example\", \"docs.example.org\", \"wiki.example.org\"]\n";

/// Manifests as honest authors write them: name, effect, the rest, and the parameters.
const SKILLS: [(&str, &str, &str, &str); 14] = [
    ("weather", "none", "[net]\nhosts = [\"weather.example\"]", "text = { type = \"string\" }"),
    ("mail", "none", "reads = \"private\"\n[net]\nhosts = [\"mail.example\"]", ""),
    ("news", "none", "[net]\nhosts = [\"news.example\"]", "text = { type = \"string\" }"),
    ("fetch", "none", "[net]\nhosts = [\"*\"]", "url = { type = \"string\", format = \"uri\" }"),
    (
        "search",
        "none",
        "[net]\nhosts = [\"search.example\"]",
        "text = { type = \"string\", text = true }",
    ),
    ("shopping", "local", "", "text = { type = \"string\", text = true }"),
    ("lights", "local", "", "room = { type = \"string\", enum = [\"kitchen\"] }"),
    ("calendar", "none", "reads = \"private\"", ""),
    (
        "remind",
        "external",
        "[net]\nhosts = [\"calendar.example\"]",
        "text = { type = \"string\", text = true }",
    ),
    (
        "send",
        "external",
        "[net]\nhosts = [\"mail.example\"]",
        "to = { type = \"string\", text = false }\ntext = { type = \"string\", text = true }",
    ),
    (
        "publish",
        "external",
        "[net]\nhosts = [\"social.example\"]",
        "text = { type = \"string\", text = true }",
    ),
    (
        "pay",
        "irreversible",
        "",
        "to = { type = \"string\", text = false }\namount = { type = \"integer\" }",
    ),
    ("run_code", "local", "", "code = { type = \"string\", text = true }"),
    (
        "write_file",
        "local",
        "",
        "folder = { type = \"string\", text = false }\nname = { type = \"string\", text = true }\ncontent = { type = \"string\", text = true }",
    ),
];

fn furnish(home: &TempHome, policy: &str) {
    home.put("router/policy.toml", policy);
    for (name, effect, more, params) in SKILLS {
        skill(home, name, effect, "");
        let manifest = format!(
            "name = {:?}\ninstruction = \"Test.\"\neffect = {effect:?}\ncommand = [\"./run\"]\n{}\n[params]\n{params}\n{}\n",
            name.to_ascii_uppercase(),
            more.split('[').next().unwrap_or_default(),
            more.find('[').map(|at| &more[at..]).unwrap_or_default(),
        );
        home.put(format!("router/skills/{name}/skill.toml"), manifest);
    }
}

/// A person who says yes, and "always" wherever that is offered.
struct Day {
    house: House,
    events: mpsc::UnboundedReceiver<Event>,
    typed: Vec<String>,
    asked: Vec<String>,
}

impl Day {
    async fn begin(effects: &str) -> Self {
        let policy = format!("[effects]\nnone = \"allow\"\nlocal = \"allow\"\n{effects}\n{MORE}");
        let house = house_with(|home| furnish(home, &policy), 8);
        house.let_run(1_000);
        let events = house.events().await;
        Self { house, events, typed: Vec::new(), asked: Vec::new() }
    }

    /// The model calls `action` for a message of the owner's.
    async fn step(&mut self, said: &str, action: &str, params: Value) {
        self.typed
            .extend(said.split(' ').filter(|word| word.starts_with("https://")).map(str::to_owned));
        let id = uuid::Uuid::now_v7().to_string();
        let mut command = command(&id, action, params);
        command.envelope.said = Some(said.to_owned());
        command.envelope.typed = self.typed.clone();
        let reply = self.house.agent.request(command, LONG).await.unwrap();
        if matches!(reply.outcome, Outcome::Done(_)) {
            return;
        }
        let (id, text) = question(&reply);
        let code = text.contains("to allow it, type").then(|| code_in(&text).to_owned());
        let always = reply.fields["approval"].get("grant").is_some();
        let answer = if always { "always" } else { "yes" };
        done(&self.house.answer(&id, answer, code.as_deref()).await);
        done(&result(&mut self.events).await);
        self.asked.push(action.to_owned());
    }

    async fn live(mut self) -> Vec<String> {
        self.step("What is the weather in Berlin?", "WEATHER", json!({"text": "Berlin"})).await;
        self.step("Read my mail", "MAIL", json!({})).await;
        self.step("Sum it up", "LOOK", json!({})).await;
        self.step("Show me the news links", "NEWS", json!({"text": "links"})).await;
        self.step("Open the first one", "FETCH", json!({"url": "https://a.example/"})).await;
        let look =
            json!({"action": "_BROWSER_VISION", "params": {"url": "https://typed.example/x"}});
        self.step("Look at https://typed.example/x", "PERMIT", look).await;
        self.step("Find me a recipe for pasta", "SEARCH", json!({"text": "pasta recipe"})).await;
        self.step("Put milk on the list", "SHOPPING", json!({"text": "milk"})).await;
        self.step("Light in the kitchen", "LIGHTS", json!({"room": "kitchen"})).await;
        self.step("What is on today?", "CALENDAR", json!({})).await;
        self.step("Remind me: call mother", "REMIND", json!({"text": "call mother"})).await;
        self.step("Remind me: buy milk", "REMIND", json!({"text": "Buy milk"})).await;
        self.step(
            "Tell anna: dinner is ready",
            "SEND",
            json!({"to": "anna", "text": "Dinner is ready"}),
        )
        .await;
        self.step("Tell anna: at eight", "SEND", json!({"to": "anna", "text": "at eight"})).await;
        self.step("Write “hello” to bob", "SEND", json!({"to": "bob", "text": "hello"})).await;
        self.step(
            "Post something nice on the bridge",
            "PUBLISH",
            json!({"text": "What a bridge!"}),
        )
        .await;
        self.step("Delete draft 7", "WIPE", json!({"text": "draft 7"})).await;
        self.step("Pay bob 5", "PAY", json!({"to": "bob", "amount": 5})).await;
        self.step(
            "What do the papers say?",
            "FETCH",
            json!({"url": "https://www.news.example/today"}),
        )
        .await;
        self.step("And in Hamburg?", "WEATHER", json!({"text": "Hamburg"})).await;
        self.step("Thank you", "LOOK", json!({})).await;
        self.asked
    }
}

#[tokio::test]
async fn an_everyday_day_asks_six_times_and_three_times_where_the_owner_allows_what_is_seen_elsewhere()
 {
    let asked = Day::begin("external = \"ask\"").await.live().await;
    assert_eq!(asked, ["REMIND", "SEND", "SEND", "PUBLISH", "WIPE", "PAY"]);
    let asked = Day::begin("external = \"allow\"").await.live().await;
    assert_eq!(asked, ["PUBLISH", "WIPE", "PAY"]);
}

#[tokio::test]
async fn a_plan_of_sixty_three_steps_asks_no_more_than_six_times_its_posts_among_them() {
    let rules = "external = \"ask\"\nirreversible = \"ask\"\n[limits]\nper_minute = 500\nper_hour = 2000\nsame_in_a_row = 50\n\
        [hosts]\nnamed = [\"*.example.org\"]\n[[rules]]\naction = \"RUN_CODE\"\nthen = \"ask\"\n\
        [[rules]]\naction = \"WRITE_FILE\"\nthen = \"ask\"\n";
    let day = Day::begin("").await;
    day.house.home.put(
        "router/policy.toml",
        format!("[effects]\nnone = \"allow\"\nlocal = \"allow\"\n{rules}"),
    );
    let mut day = Day { house: day.house.restarted().await, ..day };
    day.house.let_run(1_000);
    day.events = day.house.events().await;
    for n in 0..10 {
        let url = format!("https://{}.example.org/{n}", ["docs", "wiki", "data", "blog"][n % 4]);
        day.step("Study the bridges of the world", "FETCH", json!({ "url": url })).await;
    }
    for n in 0..45 {
        day.step("Study them", "RUN_CODE", json!({"code": format!("print({n})")})).await;
    }
    for n in 0..5 {
        let file = json!({"folder": "bridges", "name": format!("{n}.md"), "content": "text"});
        day.step("Write them down", "WRITE_FILE", file).await;
    }
    for n in 0..3 {
        day.step("And post three findings", "PUBLISH", json!({"text": format!("finding {n}")}))
            .await;
    }
    assert_eq!(day.asked, ["RUN_CODE", "WRITE_FILE", "PUBLISH", "PUBLISH", "PUBLISH"]);
}

#[tokio::test]
async fn always_counts_as_often_and_as_long_as_the_person_says() {
    let mut day = Day::begin("external = \"ask\"").await;
    let send = |n: usize| json!({"to": "anna", "text": format!("part {n}")});
    let mut ids = Vec::new();
    for n in 0..8 {
        ids.push(question(&day.house.ask("SEND", send(n)).await).0);
    }
    let always = |times: Value, minutes: Value| json!({"id": ids[0], "answer": "always", "times": times, "minutes": minutes});
    for (times, minutes) in
        [(1.into(), 5.into()), (5.into(), 10_081.into()), ("5".into(), 5.into())]
    {
        let refused = day.house.ask("APPROVE", always(times, minutes)).await;
        assert_eq!(stopped(&refused).code, Code::BadParams);
    }
    // Of the steps that are alike as many run as were allowed; the others go on waiting.
    let answered = day.house.ask("APPROVE", always(6.into(), 120.into())).await;
    let told = &done(&answered).result;
    assert_eq!((&told["with_it"], &told["times"]), (&json!(5), &json!(6)));
    for _ in 0..6 {
        done(&result(&mut day.events).await);
    }
    let waiting = day.house.ask("APPROVALS", json!({})).await;
    assert_eq!(done(&waiting).result["approvals"].as_array().unwrap().len(), 2);
    let held = day.house.ask("GRANTS", json!({})).await;
    let grant = &done(&held).result["grants"][0];
    assert_eq!((&grant["used"], &grant["times"]), (&json!(6), &json!(6)));
    question(&day.house.ask("SEND", send(9)).await);
    // What comes later uses it up as well: beside others' text, what the owner types.
    let tell_bob = async |text: &str| {
        let params = json!({"to": "bob", "text": text});
        let mut command = command(&format!("bob-{text}"), "SEND", params);
        command.envelope.said = Some(format!("Tell bob: {text}"));
        day.house.agent.request(command, LONG).await.unwrap()
    };
    let (id, _) = question(&tell_bob("one").await);
    done(&day.house.ask("APPROVE", json!({"id": id, "answer": "always", "times": 3})).await);
    done(&result(&mut day.events).await);
    for text in ["two", "three"] {
        done(&tell_bob(text).await);
    }
    question(&tell_bob("four").await);
}

#[tokio::test]
async fn the_policy_may_want_what_allows_more_than_one_call_at_the_routers_own_side() {
    let house = house_with(
        |home| {
            furnish(home, "[effects]\nexternal = \"ask\"\n[approval]\ngrants = \"router\"\n");
        },
        8,
    );
    house.let_run(10);
    let mut events = house.events().await;
    let asked = house.ask("SEND", json!({"to": "anna", "text": "hello"})).await;
    let (id, _) = question(&asked);
    assert!(asked.fields["approval"].get("grant").is_none(), "it is not offered");
    let refused = house.answer(&id, "always", None).await;
    assert_eq!(stopped(&refused).code, Code::Owner);
    assert!(stopped(&refused).message.contains("approvals"));
    done(&house.answer(&id, "yes", None).await);
    done(&result(&mut events).await);
}

#[tokio::test]
async fn a_conversation_is_told_what_was_done_in_it_and_nothing_of_the_one_before() {
    let day = Day::begin("external = \"allow\"").await;
    let act = async |id: &str, begun: Option<u64>, action: &str, params: Value| {
        let mut command = command(id, action, params);
        command.envelope.begun = begun.map(Millis);
        day.house.agent.request(command, LONG).await.unwrap()
    };
    let told = |reply: &Reply| {
        let acts = done(reply).result["acts"].as_array().unwrap().clone();
        acts.iter()
            .map(|act| act["params"]["text"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    for (id, begun, text) in [("a", None, "first"), ("b", Some(1_000), "second")] {
        done(&act(id, begun, "SHOPPING", json!({ "text": text })).await);
    }
    let here = json!({"conversation": true});
    let asked = act("c", Some(1_000), "ACTS", here.clone()).await;
    assert_eq!(told(&asked), ["second"]);
    assert_eq!(told(&act("d", None, "ACTS", here.clone()).await), ["first"]);
    assert_eq!(told(&act("e", Some(2_000), "ACTS", here).await), [""; 0]);
    assert_eq!(told(&act("f", Some(2_000), "ACTS", json!({})).await), ["first", "second"]);
}

#[tokio::test]
async fn steps_that_are_alike_are_one_question() {
    let mut day = Day::begin("external = \"ask\"").await;
    let mut ids = Vec::new();
    for n in 0..8 {
        let id = format!("alike-{n}");
        let params = json!({"to": "anna", "text": format!("part {n}")});
        let reply = day.house.agent.request(command(&id, "SEND", params), LONG).await.unwrap();
        assert_eq!(reply.fields["approval"].get("beside").is_some(), n > 0);
        ids.push(question(&reply).0);
    }
    let answered = day.house.answer(&ids[0], "always", None).await;
    assert_eq!(done(&answered).result["with_it"], 7);
    for _ in 0..8 {
        done(&result(&mut day.events).await);
    }
    let held = day.house.ask("GRANTS", json!({})).await;
    let id = done(&held).result["grants"][0]["id"].as_str().unwrap().to_owned();
    let held = day.house.ask("GRANTS", json!({ "revoke": id })).await;
    assert_eq!(done(&held).result["grants"], json!([]));
    let after = day.house.ask("SEND", json!({"to": "anna", "text": "more"})).await;
    let offered = after.fields["approval"]["grant"].as_str().unwrap();
    assert!(offered.contains("it would have allowed 8 in the last 30 days"), "{offered}");
    let acts = day.house.ask("ACTS", json!({"count": 3})).await;
    let acts = done(&acts).result["acts"].as_array().unwrap().clone();
    assert_eq!(acts.len(), 3);
    assert!(
        acts.iter().all(|act| act["action"].is_string() && act["status"].is_string()),
        "{acts:?}"
    );
    // What the agent does itself is told by its own name.
    let look = json!({"action": "_BROWSER_VISION", "params": {"url": "https://nobody.example/x"}});
    day.house.ask("PERMIT", look).await;
    let acts = day.house.ask("ACTS", json!({"count": 1})).await;
    assert_eq!(done(&acts).result["acts"][0]["action"], "_BROWSER_VISION");
}

#[tokio::test]
async fn a_preview_counts_this_conversation_and_what_was_refused_in_it() {
    let mut day = Day::begin("external = \"ask\"").await;
    let send = |id: &str, session: &str, text: &str| {
        let params = json!({"to": "anna", "text": text});
        let mut command = command(id, "SEND", params);
        command.envelope.session = Some(SessionKey::new(session).unwrap());
        command
    };
    let calls = [("a", "owner", "yes"), ("b", "owner", "no"), ("c", "telegram-7", "yes")];
    for (id, session, answer) in calls {
        let asked = day.house.agent.request(send(id, session, id), LONG).await.unwrap();
        done(&day.house.answer(&question(&asked).0, answer, None).await);
    }
    done(&result(&mut day.events).await);
    let asked = day.house.agent.request(send("d", "owner", "d"), LONG).await.unwrap();
    let offered = asked.fields["approval"]["grant"].as_str().unwrap();
    let told = "it would have allowed 2 in the last 30 days, 1 of which were refused";
    assert!(offered.contains(told), "{offered}");
}
