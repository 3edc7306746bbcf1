//! What a person is asked, and what the answer is worth.

use super::*;

#[tokio::test]
async fn what_is_seen_elsewhere_runs_only_after_a_persons_yes() {
    let house = house();
    let mut events = house.events().await;
    house.let_run(1);
    let reply = house.ask("POST", json!({"text": "Grüße\u{202e}"})).await;
    let (id, shown) = question(&reply);
    let (what, why) = shown.split_once("\nwhat it does: Test.\nasked because").unwrap();
    assert_eq!(what, "POST {\n  \"text\": \"Grüße\\u{202e}\"\n}");
    assert!(why.contains("it is seen elsewhere") && why.contains("digest "), "{why}");
    assert_eq!(house.ran(), 0);
    done(&house.answer(&id, "yes", None).await);
    let ran = result(&mut events).await;
    assert_eq!(done(&ran).result["said"]["text"], "Grüße\u{202e}");
    assert_eq!(ran.message_id, reply.message_id);
    assert!(house.audit().contains("approved by console:owner"));
    let deed = "\"by\":\"console:owner\",\"way\":\"channel\",\"deed\":\"answer\"";
    assert!(house.audit().contains(deed), "{}", house.audit());
    let again = house.answer(&id, "yes", None).await;
    assert_eq!(stopped(&again).code, Code::BadParams, "an answer counts once");
    assert_eq!(house.ran(), 1);
}

#[tokio::test]
async fn what_can_not_be_taken_back_needs_the_code_that_stands_in_the_question() {
    let house = house();
    let mut events = house.events().await;
    house.let_run(1);
    let reply = house.ask("WIPE", json!({})).await;
    let (id, shown) = question(&reply);
    assert_eq!(reply.fields["approval"]["code"], true);
    assert_eq!(reply.fields["approval"].get("grant"), None, "it is asked each time");
    for (answer, code) in [("yes", None), ("yes", Some("0000")), ("always", Some(code_in(&shown)))]
    {
        assert_eq!(stopped(&house.answer(&id, answer, code).await).code, Code::BadParams);
    }
    assert_eq!(house.ran(), 0);
    let typed = code_in(&shown).to_ascii_lowercase();
    done(&house.answer(&id, "yes", Some(&typed)).await);
    done(&result(&mut events).await);
}

#[tokio::test]
async fn a_code_can_not_be_guessed() {
    let house = house();
    let mut events = house.events().await;
    let (id, shown) = question(&house.ask("WIPE", json!({})).await);
    for _ in 0..5 {
        let guessed = house.answer(&id, "yes", Some("0000")).await;
        assert_eq!(stopped(&guessed).code, Code::BadParams);
    }
    assert_eq!(stopped(&result(&mut events).await).code, Code::Owner);
    let known = house.answer(&id, "yes", Some(code_in(&shown))).await;
    assert_eq!(stopped(&known).code, Code::BadParams);
    assert_eq!(house.ran(), 0);
}

#[tokio::test]
async fn always_allows_the_kind_for_an_hour_and_no_other() {
    let house = house_with(
        |home| {
            let manifest = "name = \"SEND\"\ninstruction = \"Test.\"\neffect = \"external\"\ncommand = [\"./run\"]\n\
                [params]\nto = { type = \"string\", enum = [\"X\", \"Y\"] }\ntext = { type = \"string\", text = true }\n";
            skill(home, "send", "external", "");
            home.put("router/skills/send/skill.toml", manifest);
        },
        8,
    );
    let mut events = house.events().await;
    house.let_run(9);
    let send = |to, text| json!({"to": to, "text": text});
    let reply = house.ask("SEND", send("X", "a")).await;
    let kind = "SEND with to = \"X\" and any text";
    let offered = reply.fields["approval"]["grant"].as_str().unwrap();
    assert_eq!(offered, format!("{kind} (it would have allowed 0 in the last 30 days)"));
    let answered = house.answer(&question(&reply).0, "always", None).await;
    assert_eq!(done(&answered).result["granted"], kind);
    let audit = house.audit();
    assert!(audit.contains("\"way\":\"channel\",\"deed\":\"grant\""), "{audit}");
    done(&result(&mut events).await);
    done(&house.ask("SEND", send("X", "b")).await);
    question(&house.ask("SEND", send("Y", "b")).await);
    let mut foreign = command("f1", "SEND", send("X", "c"));
    foreign.envelope.session = Some(SessionKey::new("guest").unwrap());
    question(&house.agent.request(foreign, LONG).await.unwrap());
    let mut tainted = command("f2", "SEND", send("X", "d"));
    tainted.envelope.taint = protocol::Taint { untrusted: true, private: true };
    question(&house.agent.request(tainted, LONG).await.unwrap());
}

#[tokio::test]
async fn what_another_router_has_taken_over_is_stopped_here_and_told_of_by_that_one() {
    let house = house();
    let mut events = house.events().await;
    let (id, _) = question(&house.ask("POST", json!({})).await);
    done(&house.answer(&id, "yes", None).await);
    eventually("it runs", async || house.running() == 1).await;
    let entry = format!("router/state/approvals/{id}.entry");
    let taken_up = |entry: &str| entry.split("\"by\":\"").nth(1).unwrap()[..36].to_owned();
    eventually("it is taken up", async || house.home.text(&entry).contains("taken_up")).await;
    // Another router's entry: of the same length, for the store counts the bytes.
    let (before, other) = (house.home.text(&entry), uuid::Uuid::new_v4().to_string());
    house.home.put(&entry, before.replace(&taken_up(&before), &other));
    eventually("it is stopped", async || house.running() == 0).await;
    eventually("its end is written down", async || house.audit().contains("interrupted")).await;
    assert!(house.home.text(&entry).contains(&other), "the other one still has it");
    assert!(events.try_recv().is_err(), "both have told of it");
    assert_eq!(house.ran(), 0);
}

#[tokio::test]
async fn a_question_and_an_answer_outlive_their_router() {
    let house = house();
    let (id, shown) = question(&house.ask("POST", json!({"text": "later"})).await);
    let house = house.restarted().await;
    let open = house.ask("APPROVALS", json!({})).await;
    let open = done(&open).result["approvals"].as_array().unwrap().clone();
    assert_eq!((open.len(), &open[0]["id"], &open[0]["question"]), (1, &json!(id), &json!(shown)));
    let mut events = house.events().await;
    house.let_run(1);
    done(&house.answer(&id, "yes", None).await);
    assert_eq!(done(&result(&mut events).await).result["said"]["text"], "later");
}

#[tokio::test]
async fn a_no_sticks_for_just_this_and_three_noes_stop_the_session() {
    let house = house();
    let mut events = house.events().await;
    let mut told = Vec::new();
    for text in ["a", "b", "c", "d"] {
        let (id, _) = question(&house.ask("POST", json!({ "text": text })).await);
        done(&house.answer(&id, "no", None).await);
        let ended = loop {
            let event = events.recv().await.unwrap();
            told.extend(event.text);
            if let Some(fields) = event.reply {
                break Reply::from_fields(fields);
            }
        };
        assert_eq!(stopped(&ended).code, Code::Owner);
        if text == "a" {
            let again = house.ask("POST", json!({ "text": text })).await;
            assert_eq!(stopped(&again).code, Code::Owner, "it is not asked again");
            house.let_run(1);
            done(&house.ask("LOOK", json!({})).await);
        }
    }
    assert!(told.len() == 1 && told[0].contains("/unlock lets it go on"), "{told:?}");
    assert_eq!(stopped(&house.ask("LOOK", json!({})).await).code, Code::Budget);
}

#[tokio::test]
async fn where_only_the_routers_own_side_approves_an_agents_yes_is_none() {
    let policy = "[effects]\nexternal = \"ask\"\n[approval]\nvia = \"router\"\n";
    let house = house_with(|home| home.put("router/policy.toml", policy), 8);
    assert_eq!(stopped(&house.ask("UNLOCK_SESSION", json!({})).await).code, Code::Owner);
    let mut events = house.events().await;
    let (id, _) = question(&house.ask("POST", json!({})).await);
    assert_eq!(stopped(&house.answer(&id, "yes", None).await).code, Code::Owner);
    done(&house.answer(&id, "no", None).await);
    assert_eq!(stopped(&result(&mut events).await).code, Code::Owner);
    assert_eq!(house.ran(), 0);
}

#[tokio::test]
async fn only_those_whom_the_policy_names_approve() {
    let policy = "[effects]\nexternal = \"ask\"\n[approval]\nby = [\"telegram:42\"]\n";
    let house = house_with(|home| home.put("router/policy.toml", policy), 8);
    let (id, _) = question(&house.ask("POST", json!({})).await);
    assert_eq!(stopped(&house.answer(&id, "yes", None).await).code, Code::Owner);
    let mut known = command("a1", "APPROVE", json!({"id": id, "answer": "yes"}));
    known.envelope.principal = Some(Principal::new("telegram:42").unwrap());
    done(&house.agent.request(known, LONG).await.unwrap());
}

#[tokio::test]
async fn a_yes_counts_at_once_also_where_one_runs_at_a_time() {
    let house = house_with(|_| {}, 1);
    let mut events = house.events().await;
    house.let_run(1);
    let (id, _) = question(&house.ask("POST", json!({})).await);
    house.ask("APPROVE", json!({"id": id, "answer": "yes"})).await;
    let event = tokio::time::timeout(LONG, events.recv()).await.unwrap().unwrap();
    done(&Reply::from_fields(event.reply.unwrap()));
}

#[tokio::test]
async fn a_no_is_a_no() {
    let house = house();
    let mut events = house.events().await;
    let (id, _) = question(&house.ask("POST", json!({})).await);
    house.ask("APPROVE", json!({"id": id, "answer": "no"})).await;
    let result = Reply::from_fields(events.recv().await.unwrap().reply.unwrap());
    assert_eq!(stopped(&result).code, Code::Owner);
    assert_eq!(house.ran(), 0);
}

#[tokio::test]
async fn no_answer_is_a_no() {
    let policy = "[effects]\nexternal = \"ask\"\n[approval]\nexpires = \"10s\"\n";
    let house = house_with(|home| home.put("router/policy.toml", policy), 8);
    let (id, _) = question(&house.ask("POST", json!({})).await);
    // The time passes while no router is there.
    let entry = house.home.router_state().join(format!("approvals/{id}.entry"));
    let text = std::fs::read_to_string(&entry).unwrap();
    let (header, parked) = text.split_once('\n').unwrap();
    let lifetime = header.split(' ').next().unwrap();
    let mut parked: Value = serde_json::from_str(parked).unwrap();
    parked["until"] = json!(Millis::of_this_machine().0 - 1);
    let parked = parked.to_string();
    std::fs::write(entry, format!("{lifetime} {}\n{parked}", parked.len())).unwrap();
    let late = house.answer(&id, "yes", None).await;
    assert_eq!(stopped(&late).code, Code::BadParams);
    let house = house.restarted().await;
    let mut events = house.events().await;
    assert_eq!(stopped(&result(&mut events).await).code, Code::Owner);
    // Nobody refused it: whoever was away is asked again.
    question(&house.ask("POST", json!({})).await);
    assert_eq!(house.ran(), 0);
}

#[tokio::test]
async fn an_answer_counts_only_from_the_session_that_asked_and_in_a_name() {
    let house = house();
    let (id, _) = question(&house.ask("POST", json!({})).await);
    let answer = || command("a1", "APPROVE", json!({"id": id, "answer": "yes"}));
    let mut foreign = answer();
    foreign.envelope.session = Some(SessionKey::new("guest").unwrap());
    let mut nobody = answer();
    nobody.envelope.principal = None;
    for answer in [foreign, nobody] {
        let reply = house.agent.request(answer, LONG).await.unwrap();
        assert_eq!(stopped(&reply).code, Code::Owner);
    }
    for params in [
        json!({}),
        json!({"id": id}),
        json!({"id": "x", "answer": "yes"}),
        json!({"id": id, "answer": true}),
    ] {
        assert_eq!(stopped(&house.ask("APPROVE", params).await).code, Code::BadParams);
    }
    assert_eq!(house.ran(), 0);
}

/// The same as [`command`], from a guest.
fn of_guest(id: &str, action: &str, params: Value) -> Command {
    let mut command = command(id, action, params);
    command.envelope.session = Some(SessionKey::new("telegram-7").unwrap());
    command.envelope.principal = Some(Principal::new("telegram:7").unwrap());
    command
}

#[tokio::test]
async fn a_guests_question_is_the_owners_to_answer() {
    let house = house();
    let mut events = house.agent.events(&SessionKey::new("telegram-7").unwrap()).await;
    house.let_run(1);
    let reply = house.agent.request(of_guest("g1", "POST", json!({})), LONG).await.unwrap();
    let (id, shown) = question(&reply);
    assert!(
        shown.contains("\nwhat it does: Test.\nasked by: telegram:7, in telegram-7\nasked because"),
        "{shown}"
    );
    let yes = of_guest("g2", "APPROVE", json!({"id": id, "answer": "yes"}));
    let answered = house.agent.request(yes, LONG).await.unwrap();
    assert_eq!(stopped(&answered).code, Code::Owner);
    let (own, _) = question(&house.ask("POST", json!({"text": "the owner's"})).await);
    let open = of_guest("g3", "APPROVALS", json!({}));
    let open = house.agent.request(open, LONG).await.unwrap();
    assert_eq!(done(&open).result["approvals"].as_array().unwrap().len(), 1);
    let open = house.ask("APPROVALS", json!({})).await;
    let open = done(&open).result["approvals"].as_array().unwrap().clone();
    let ids: Vec<&str> = open.iter().filter_map(|open| open["id"].as_str()).collect();
    assert!(ids.contains(&id.as_str()) && ids.contains(&own.as_str()), "{ids:?}");
    assert!(open.iter().any(|open| open["message_id"] == "g1"), "{open:?}");
    let answered = house.answer(&id, "yes", None).await;
    assert_eq!(done(&answered).result["session"], "telegram-7");
    done(&result(&mut events).await);
    assert_eq!(house.ran(), 1);
}

#[tokio::test]
async fn a_guest_answers_what_the_policy_lets_the_guest_answer_and_nothing_of_others() {
    let house = house();
    let policy = "[effects]\nexternal = \"ask\"\n[approval]\nby = [\"telegram:7\"]\n";
    let house = house.restarted_with(|home| home.put("router/policy.toml", policy)).await;
    let reply = house.agent.request(of_guest("g1", "POST", json!({})), LONG).await.unwrap();
    let (id, _) = question(&reply);
    let (other, _) = question(&house.ask("POST", json!({"text": "the owner's"})).await);
    for (name, id, counts) in [("g2", other, false), ("g3", id, true)] {
        let yes = of_guest(name, "APPROVE", json!({"id": id, "answer": "yes"}));
        let answered = house.agent.request(yes, LONG).await.unwrap();
        assert_eq!(matches!(answered.outcome, Outcome::Done(_)), counts, "{answered:?}");
    }
}

#[tokio::test]
async fn a_question_is_shown_again_to_the_command_whose_router_died_before_it_could_tell() {
    let house = house();
    let ask = async |house: &House, id: &str| {
        let again = of_guest(id, "POST", json!({}));
        house.agent.request(again, LONG).await.unwrap()
    };
    let (id, shown) = question(&ask(&house, "g1").await);
    let house = house.restarted().await;
    assert_eq!(question(&ask(&house, "g1").await), (id, shown));
    let other = ask(&house, "g2").await;
    assert!(stopped(&other).message.contains("just this waits"), "{other:?}");
}

#[tokio::test]
async fn a_session_can_not_pile_up_questions() {
    let house = house();
    question(&house.ask("POST", json!({"text": "0"})).await);
    let same = house.ask("POST", json!({"text": "0"})).await;
    assert!(stopped(&same).message.contains("just this waits"), "{same:?}");
    for n in 1..3 {
        question(&house.ask("POST", json!({ "text": n.to_string() })).await);
    }
    let fourth = house.ask("POST", json!({"text": "one more"})).await;
    assert!(stopped(&fourth).message.contains("3 questions wait"), "{fourth:?}");
}
