//! The model on the page: what filled its window, and another one that is chosen.

use std::fs::read_to_string;

use serde_json::json;
use testkit::page::{click, find, see, text};
use testkit::{Says, complaints, serious_findings, show_as, with_browser};

use crate::house::House;

#[tokio::test]
async fn the_window_tells_what_filled_it_and_another_model_is_chosen() {
    let counted = Says::Counted("Hello there.".to_owned(), 1_200, 40);
    let house = House::start([counted, Says::text("ready"), Says::text("It is me now.")]);
    with_browser(async |client| {
        house.sign_in(client).await;
        click(client, "#show-model").await;
        see(client, "#model-window", "8,192 tokens").await;
        find(client, "#text").await.send_keys("hi").await.unwrap();
        click(client, "#send").await;
        see(client, "#log .agent", "Hello there.").await;
        see(client, "#log .agent .who", "llama3.1:8B").await;
        // The panel that is open is filled again.
        see(client, "#model-window", "1,240 of 8,192 tokens (15 %)").await;
        let parts = text(client, "#model-window ul").await;
        let told = |line: &str| {
            let (_, rest) = parts.split_once(line).unwrap_or_else(|| panic!("{line}: {parts}"));
            rest.trim().split(' ').next().unwrap().parse::<u32>().unwrap()
        };
        let shares = ["Who it is (SOUL.md)", "How to answer"].map(told);
        assert!(shares.iter().all(|share| (1..100).contains(share)), "{parts}");
        for (screen, is_dark) in [((1280, 900), false), ((360, 740), true)] {
            show_as(client, screen, is_dark).await;
            let wider = "return document.documentElement.scrollWidth - document.documentElement.clientWidth";
            assert_eq!(client.execute(wider, Vec::new()).await.unwrap(), json!(0), "{screen:?}");
            assert_eq!(serious_findings(client).await, Vec::<String>::new(), "{screen:?} {is_dark}");
        }
        assert!(text(client, "#model-list").await.contains("llama3.1:8B"));
        click(client, "#model-list button[aria-label='qwen3:4b: Use from now on']").await;
        see(client, "#log", "kept for every start from now on").await;
        see(client, "#standing", "qwen3:4b").await;
        find(client, "#text").await.send_keys("and now?").await.unwrap();
        click(client, "#send").await;
        see(client, "#log .agent:last-of-type", "").await;
        see(client, "#log", "It is me now.").await;
        client.refresh().await.unwrap();
        see(client, "#log", "It is me now.").await;
        let who = "return [...document.querySelectorAll('#log .agent .who')].map(who => who.textContent)";
        let who = client.execute(who, Vec::new()).await.unwrap().to_string();
        let at = |model: &str| who.find(model).unwrap_or_else(|| panic!("{model}: {who}"));
        assert!(at("llama3.1:8B") < at("qwen3:4b"), "{who}");
        assert_eq!(complaints(client).await, Vec::<String>::new());
    })
    .await;
    let chosen = read_to_string(house.home.root().join("workspace/chosen.json")).unwrap();
    assert!(chosen.contains("qwen3:4b"), "{chosen}");
}
