//! Asks a server what it is.

use super::Endpoint;
use crate::ModelError;

impl Endpoint {
    /// Asks the server what it is. It is taken to be so for an hour. Only a server that is not there is an error.
    pub(super) async fn described(&self) -> Result<(), ModelError> {
        if self.memo.wants_description() {
            self.memo.described(self.server.describe().await?);
        }
        Ok(())
    }
}
