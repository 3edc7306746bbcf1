//! The PIN, from the router's own side: set, taken away, and unlocked after too many wrong ones.

use home::Home;
use protocol::{Millis, Pin};

use super::OwnerError;
use super::places::{StorePlace, deeds, now, places};
use crate::audit::{Deed, OwnersLog};
use crate::pin::{self, PinLock};

/// Has `pin` count from now on; no chat has entered it yet.
///
/// # Errors
/// [`OwnerError`]; then the one before counts, if there was one.
pub(crate) fn set_pin(home: &Home, deeds: &OwnersLog, pin: Pin) -> Result<(), OwnerError> {
    deeds.doing_now(&Deed::SetPin, || Ok(pin::set(&home.router(), pin)?))
}

/// Takes it away; `false` when there is none.
///
/// # Errors
/// [`OwnerError`].
pub(crate) fn remove_pin(home: &Home, deeds: &OwnersLog) -> Result<bool, OwnerError> {
    deeds.doing_now(&Deed::RemovePin, || Ok(pin::remove(&home.router())?))
}

/// Unlocks it in every place; `false` when it was not typed wrong.
///
/// # Errors
/// [`OwnerError`].
pub(crate) async fn unlock_pin(home: &Home, deeds: &OwnersLog) -> Result<bool, OwnerError> {
    let all = async {
        let mut was_wrong = false;
        for StorePlace { store, .. } in places(home)? {
            was_wrong |= PinLock::new(&home.router(), store).unlock().await?;
        }
        Ok(was_wrong)
    };
    deeds.doing(&Deed::UnlockPin, all).await
}

/// Whether one is set, and until when it is locked, if it is.
///
/// # Errors
/// [`OwnerError`].
pub(crate) async fn pin_status(home: &Home) -> Result<(bool, Option<Millis>), OwnerError> {
    let (mut is_set, mut locked) = (false, None);
    for StorePlace { store, .. } in places(home)? {
        let pin = PinLock::new(&home.router(), store);
        is_set = pin.is_set()?;
        locked = locked.max(pin.locked(now()).await?);
    }
    Ok((is_set, locked))
}

/// What is to become of the PIN, decided and not done yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PinWish {
    /// This one counts.
    Set(Pin),
    /// None is asked for.
    Remove,
}

/// Why nothing became of the PIN, in words that say what to do.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct PinFault(#[from] OwnerError);

impl PinWish {
    /// Fulfils it in `home` as `pin set` and `pin remove` do, with a row in the audit log.
    ///
    /// # Errors
    /// [`PinFault`]; then the PIN is as it was.
    pub fn fulfil(&self, home: &Home) -> Result<(), PinFault> {
        match self {
            Self::Set(pin) => set_pin(home, &deeds(home), *pin)?,
            Self::Remove => drop(remove_pin(home, &deeds(home))?),
        }
        Ok(())
    }

    /// Whether a PIN is set in `home`.
    ///
    /// # Errors
    /// [`PinFault`] when router/pin.json can't be used.
    pub fn is_there(home: &Home) -> Result<bool, PinFault> {
        Ok(pin::is_set(&home.router()).map_err(OwnerError::from)?)
    }
}
