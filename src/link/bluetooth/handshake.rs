//! Confirms which board a device on the Nordic UART service is, with requests that harm the boards of none of its makers.

use super::{Address, Lookup, Port, Radio, Unavailable, open_unless};
use crate::boards::Model;
use crate::boards::bluetooth::{HANDSHAKES, Handshake};
use crate::link::LineError;
use std::pin::pin;
use tokio::time::{Duration, Instant, timeout_at};

/// A device could not be asked which board it is.
#[derive(Debug, thiserror::Error)]
pub enum HandshakeError {
    /// It cannot be reached, or the connection has ended.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// The connection failed, with what to do.
    #[error("{0}")]
    Line(String),
}

impl From<LineError> for HandshakeError {
    fn from(error: LineError) -> HandshakeError {
        match error {
            LineError::Disconnected(reason) => HandshakeError::Unavailable(reason),
            error => HandshakeError::Line(error.advice()),
        }
    }
}

/// Connects to a device that is one of these models by its name, and returns those that what it sends confirms: several if they send
/// the same. Nothing is written but the requests of [`HANDSHAKES`]. Returns `None` if `stop` is ready first; the connection has ended
/// then, too. Not cancel safe: the device may stay connected.
///
/// # Errors
/// The device cannot be reached, was lost, or is connected already: another program would be disturbed by the requests, and lose the
/// connection.
pub async fn confirm_model(
    radio: &Radio,
    address: Address,
    models: &[&'static Model],
    stop: impl Future<Output = ()>,
) -> Result<Option<Vec<&'static Model>>, HandshakeError> {
    let Some(first) = models.first() else { return Ok(Some(Vec::new())) };
    if let Lookup::Known(device) = radio.bluez().await?.objects().await?.look_up(address)?
        && device.is_connected
    {
        return Err(Unavailable::InUse(address).into());
    }
    let mut stop = pin!(stop);
    // All of them have the same characteristics.
    let Ok(opened) = open_unless(radio, address, first, stop.as_mut()).await else { return Ok(None) };
    let mut port = opened?;
    let confirmed = tokio::select! {
        biased;
        () = stop => None,
        confirmed = confirm(&mut port, models) => Some(confirmed),
    };
    port.close().await;
    Ok(confirmed.transpose()?)
}

/// Tries the handshakes of these models in the order of the table.
async fn confirm(port: &mut Port, models: &[&'static Model]) -> Result<Vec<&'static Model>, LineError> {
    let of_models = || HANDSHAKES.iter().filter(|handshake| models.iter().any(|model| model.name == handshake.model));
    let is_same = |a: &Handshake, b: &Handshake| (a.write, a.replies) == (b.write, b.replies);
    // Before anything is written: a board that sends by itself would take a request for something else, whatever its name is.
    let listening = HANDSHAKES.iter().filter(|handshake| handshake.write.is_empty());
    let mut tried: Vec<&Handshake> = Vec::new();
    for handshake in listening.chain(of_models()) {
        if tried.iter().any(|other| is_same(other, handshake)) {
            continue;
        }
        if is_answered(port, handshake).await? {
            let same: Vec<&str> = of_models().filter(|other| is_same(other, handshake)).map(|other| other.model).collect();
            return Ok(models.iter().copied().filter(|model| same.contains(&model.name)).collect());
        }
        tried.push(handshake);
    }
    Ok(Vec::new())
}

/// Sends the request of a handshake, if it has one; returns whether the reply that confirms the model arrives in time.
async fn is_answered(port: &mut Port, handshake: &Handshake) -> Result<bool, LineError> {
    if !handshake.write.is_empty() {
        port.write(handshake.write)?;
    }
    let end = Instant::now() + Duration::from_millis(handshake.timeout);
    // Longer than any notification: each is read as a whole.
    let mut buffer = [0; 1024];
    while let Ok(read) = timeout_at(end, port.read(&mut buffer)).await {
        let length = read?;
        if handshake.is_confirmed_by(buffer.get(..length).unwrap_or_default()) {
            return Ok(true);
        }
    }
    Ok(false)
}
