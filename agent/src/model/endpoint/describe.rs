//! Asks a server what it is.

use std::time::Duration;

use super::{Endpoint, Failure};
use crate::model::ModelError;
use crate::model::provider::Listed;

/// How long the server may take to say how large its window is. It need not.
const DESCRIBE: Duration = Duration::from_secs(5);

impl Endpoint {
    /// Asks the server what it is: how large its window and the model are, whether that sees, and in which versions. It is taken to
    /// be so for an hour. Only a server that is not there is an error.
    pub(super) async fn described(&self) -> Result<(), ModelError> {
        if !self.memo.wants_description() {
            return Ok(());
        }
        let provider = self.provider.as_ref();
        let (mut said, mut is_whole) = (Listed::default(), true);
        for request in provider.describe(&self.model) {
            let body = match self.wire.fetch(provider, &self.model, &request, DESCRIBE).await {
                Ok(body) => body,
                Err(Failure { error: error @ ModelError::Unreachable { .. }, .. }) => {
                    return Err(error);
                }
                Err(_) => {
                    // Whoever told the window has told the versions, too.
                    is_whole &= said.window.is_some();
                    continue;
                }
            };
            for listed in provider.listed(&body).unwrap_or_default() {
                if listed.name.is_empty() || listed.name == self.model {
                    said.add(listed);
                }
            }
            if said.window.is_some() && said.parameters.is_some() {
                break;
            }
        }
        // Half of the versions would be taken for other ones.
        said.build = said.build.filter(|_| is_whole);
        self.memo.described(said);
        Ok(())
    }
}
