//! Real parts for tests, in one line each: a Redis server, a home, waiting for something to come true.
//!
//! Everything here panics when it fails, with what to do about it, for it runs in tests alone.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]
#![allow(clippy::disallowed_types, reason = "the servers that tests need are processes")]

mod bot_api;
mod browser;
pub mod cards;
mod chat;
mod drawing;
mod http;
mod ollama;
pub mod page;
mod ports;
mod processes;
mod programs;
mod redis;
mod temp_home;
mod terminal;
mod wait;

pub use bot_api::{BOT_TOKEN, BotApi, Called, Shown, Trouble};
pub use browser::{
    Driver, complaints, forget_files, reads, runs_first, serious_findings, show_as, with_browser,
};
pub use chat::Chat;
pub use http::{Arrived, json_server};
pub use ollama::{OllamaServer, Says};
pub use ports::free_port;
pub use processes::{children_of, held_by, wait_until_runs};
pub use programs::copy_program;
pub use redis::{RedisCluster, RedisServer, RedisSetup};
pub use temp_home::TempHome;
pub use terminal::Terminal;
pub use wait::{eventually, wait_until};
