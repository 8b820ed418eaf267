//! Random bytes from the system.

use std::io;

/// Fills it with what nobody can foresee.
///
/// # Errors
/// The system gives none.
pub fn fill(into: &mut [u8]) -> io::Result<()> {
    let mut filled = 0;
    while let Some(rest) = into.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        filled += rustix::rand::getrandom(rest, rustix::rand::GetRandomFlags::empty())?;
    }
    Ok(())
}
