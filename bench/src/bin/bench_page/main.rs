//! How soon the agent's page and the wall's window are painted in the browser that is installed here, what an agent
//! with many sessions holds, and what the router holds more while its window is on. Prints one figure a line,
//! `name value`, for `cargo xtask bench page`, which knows the budgets: milliseconds, or MB (10^6 bytes).
//!
//! The programs are those beside this one. A page of one word with the same headers is painted in between, and tells what the
//! browser itself takes. The browser keeps nothing from the time before.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "it is for whoever develops, and prints what it has found"
)]

mod house;
mod paint;

use std::time::Duration;

use anyhow::Result;
use testkit::{held_by, with_browser};

use house::{House, Window};
use paint::Paints;

/// How many sessions are open.
const SESSIONS: usize = 200;

/// How often a page is opened.
const LOOKS: usize = 15;

/// How many routers are looked at with the window, and as many without.
const ROUTERS: usize = 5;

/// A program that has had nothing to do for this long has settled.
const IDLE: Duration = Duration::from_secs(2);

#[tokio::main(worker_threads = 2)]
async fn main() -> Result<()> {
    let house = House::start(Window::On)?;
    for session in 0..SESSIONS {
        house.says(&format!("s{session}"), "How are you?")?;
    }
    let bare = paint::bare()?;
    let (mut page, mut window, mut word) =
        (Paints::default(), Paints::default(), Paints::default());
    with_browser(async |client| -> Result<()> {
        house.enter_page(client).await?;
        house.enter_window(client).await?;
        for _ in 0..LOOKS {
            word.add(client, &bare).await?;
            page.add(client, &house.page()).await?;
            window.add(client, &house.window()?).await?;
        }
        // The page stays open while its agent is looked at.
        page.add(client, &house.page()).await?;
        tokio::time::sleep(IDLE).await;
        println!("held {:.1}", held_by(house.agent())?);
        Ok(())
    })
    .await?;
    println!("page {:.1}\nwindow {:.1}\nword {:.1}", page.median(), window.median(), word.median());
    let with = routers(Window::On).await?;
    println!("window_held {:.2}", with - routers(Window::Off).await?);
    Ok(())
}

/// What a router holds that has had nothing to do, the median of some, in MB.
async fn routers(window: Window) -> Result<f64> {
    let mut held = Vec::new();
    for _ in 0..ROUTERS {
        let house = House::start(window)?;
        tokio::time::sleep(IDLE).await;
        held.push(held_by(house.router())?);
    }
    held.sort_by(f64::total_cmp);
    Ok(held[ROUTERS / 2])
}
