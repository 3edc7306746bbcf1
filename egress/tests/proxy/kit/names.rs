//! A resolver that answers what a test wants, and may change its mind.

use std::collections::VecDeque;
use std::io;
use std::net::IpAddr;
use std::sync::Mutex;

use async_trait::async_trait;
use egress::Resolve;

/// Every name is 127.0.0.1, unless there is an answer in line.
#[derive(Default)]
pub(crate) struct Names {
    answers: Mutex<VecDeque<Vec<IpAddr>>>,
    asked: Mutex<Vec<String>>,
}

impl Names {
    /// Puts the answer to a coming question in line; the addresses stand with spaces between them.
    pub(crate) fn then(&self, addresses: &str) {
        let addresses = addresses.split_whitespace().map(|text| text.parse().unwrap()).collect();
        self.answers.lock().unwrap().push_back(addresses);
    }

    /// The names that were asked for.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

#[async_trait]
impl Resolve for Names {
    async fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        self.asked.lock().unwrap().push(name.to_owned());
        let answer = self.answers.lock().unwrap().pop_front();
        Ok(answer.unwrap_or_else(|| vec!["127.0.0.1".parse().unwrap()]))
    }
}
