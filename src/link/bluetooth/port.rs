//! An open connection to a board: tasks that read its characteristics or its serial port, write to it, and notice its end.

use super::Address;
use super::bluez::{Bluez, CHARACTERISTIC, DEVICE, Options};
use super::loss::LossMonitor;
use super::socket::Socket;
use crate::boards::bluetooth::DEFAULT_MTU;
use crate::link::LineError;
use futures_util::StreamExt;
use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use zbus::{Message, MessageStream, OwnedVariant};

/// Bytes of a packet that are not the board's.
pub(super) const PACKET_HEADER: u16 = 3;
/// The longest value of a characteristic; more bytes of a serial port are read with the next call.
const MAX_PACKET: usize = 512;
/// Capacity of the queue of received packets.
const RECEIVE_QUEUE: usize = 256;
/// Capacity of the queue of writes.
const WRITE_QUEUE: usize = 64;
/// Timeout of one packet.
const WRITE_TIMEOUT: Duration = Duration::from_secs(5);
/// Time between the end of a connection and the question why it ended: an adapter that is switched off ends its connections before
/// it is off.
const SETTLE_TIME: Duration = Duration::from_millis(250);
/// Timeout of the end of the connection.
const HANG_UP_TIMEOUT: Duration = Duration::from_secs(2);

/// What a port is made of.
pub(super) struct Wiring {
    pub bluez: Bluez,
    /// Object path of the device.
    pub device: String,
    pub inputs: Inputs,
    pub output: Output,
    /// Minimum time between two writes.
    pub write_interval: Duration,
}

/// Where bytes come from. Each input is read by a task of its own from the moment on when it is added, also while the board is still
/// being opened: signals that nobody reads would hold up the connection to the bus.
pub(super) struct Inputs {
    reports: Reports,
    received: mpsc::Receiver<Result<Vec<u8>, LineError>>,
    /// Aborted when the inputs, or the port that has taken them, are dropped.
    tasks: JoinSet<()>,
}

impl Inputs {
    pub(super) fn new(bluez: &Bluez, board: Address) -> Inputs {
        let (sender, received) = mpsc::channel(RECEIVE_QUEUE);
        Inputs { reports: Reports { sender, bluez: bluez.clone(), board }, received, tasks: JoinSet::new() }
    }

    /// Reads an acquired socket, or a serial port.
    pub(super) fn read_socket(&mut self, socket: Arc<Socket>) {
        let reports = self.reports.clone();
        self.tasks.spawn(async move {
            read_socket(&socket, &reports).await;
            reports.end().await;
        });
    }

    /// Reads changes of a characteristic's value.
    pub(super) fn read_signals(&mut self, values: MessageStream) {
        let reports = self.reports.clone();
        self.tasks.spawn(async move {
            read_signals(values, &reports).await;
            reports.end().await;
        });
    }

    /// Reports the end of the connection when the device is gone.
    pub(super) fn watch(&mut self, mut loss: LossMonitor) {
        let reports = self.reports.clone();
        self.tasks.spawn(async move {
            loss.wait().await;
            reports.end().await;
        });
    }
}

/// Where bytes go.
pub(super) enum Output {
    /// An acquired socket: one packet with each write.
    Packets {
        /// The socket.
        socket: Socket,
        /// MTU of the connection.
        mtu: u16,
    },
    /// A call for each packet.
    Calls {
        /// Object path of the characteristic.
        path: String,
        /// `command`: the board does not confirm it; `request`: it does.
        kind: &'static str,
        /// MTU of the connection.
        mtu: u16,
    },
    /// A serial port.
    Stream(Arc<Socket>),
}

/// An open connection to a board. Nothing that it does waits for the radio.
#[derive(Debug)]
pub struct Port {
    received: mpsc::Receiver<Result<Vec<u8>, LineError>>,
    writes: mpsc::Sender<Vec<u8>>,
    /// The rest of a packet that was longer than the reader's buffer.
    rest: Vec<u8>,
    /// Aborted when the port is dropped.
    tasks: JoinSet<()>,
    bluez: Bluez,
    device: String,
}

impl Port {
    pub(super) fn start(wiring: Wiring) -> Port {
        let Wiring { bluez, device, inputs, output, write_interval } = wiring;
        let Inputs { reports, received, mut tasks } = inputs;
        let (writes, queue) = mpsc::channel(WRITE_QUEUE);
        tasks.spawn({
            let bluez = bluez.clone();
            async move {
                match write(&bluez, output, queue, write_interval).await {
                    Ok(()) => {}
                    Err(error) if error.kind() == io::ErrorKind::TimedOut => reports.fail(error).await,
                    Err(_) => reports.end().await,
                }
            }
        });
        Port { received, writes, rest: Vec::new(), tasks, bluez, device }
    }

    /// Reads bytes into `buf` and returns their number, at least one. Cancel safe.
    ///
    /// # Errors
    /// The connection has ended: why, and what to do.
    pub async fn read(&mut self, buf: &mut [u8]) -> Result<usize, LineError> {
        while self.rest.is_empty() {
            self.rest = self.received.recv().await.unwrap_or(Err(LineError::Gone))?;
        }
        let length = self.rest.len().min(buf.len());
        let taken = self.rest.drain(..length);
        buf.iter_mut().zip(taken).for_each(|(to, from)| *to = from);
        Ok(length)
    }

    /// Queues bytes, which are cut into packets.
    ///
    /// # Errors
    /// The board has accepted nothing for a long time.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), LineError> {
        match self.writes.try_send(bytes.to_vec()) {
            // If the connection has ended, `read` returns why.
            Ok(()) | Err(mpsc::error::TrySendError::Closed(_)) => Ok(()),
            Err(mpsc::error::TrySendError::Full(_)) => Err(LineError::Failed(no_data())),
        }
    }

    /// Ends the connection, also one that an earlier process has left, so that the board can be used by others.
    pub async fn close(mut self) {
        self.tasks.shutdown().await;
        let _ = timeout(HANG_UP_TIMEOUT, self.bluez.call(&self.device, DEVICE, "Disconnect", &())).await;
    }
}

fn no_data() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "the board accepts no data")
}

/// What the tasks of a port report.
#[derive(Clone)]
struct Reports {
    sender: mpsc::Sender<Result<Vec<u8>, LineError>>,
    bluez: Bluez,
    board: Address,
}

impl Reports {
    /// Reports that the connection has ended, and why.
    async fn end(&self) {
        sleep(SETTLE_TIME).await;
        let reason = match self.bluez.objects().await {
            Ok(objects) => objects.loss(self.board),
            Err(reason) => reason,
        };
        self.report(LineError::Disconnected(reason)).await;
    }

    async fn fail(&self, error: io::Error) {
        self.report(LineError::Failed(error)).await;
    }

    async fn report(&self, error: LineError) {
        // The reader takes the first report; if it is gone, nobody is interested.
        let _ = self.sender.send(Err(error)).await;
    }
}

/// Reads until the other end is closed.
async fn read_socket(socket: &Socket, reports: &Reports) {
    let mut buffer = vec![0; MAX_PACKET];
    loop {
        match socket.read(&mut buffer).await {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(0) | Err(_) => return,
            Ok(length) => {
                let packet = buffer.get(..length).unwrap_or_default().to_vec();
                if reports.sender.send(Ok(packet)).await.is_err() {
                    return;
                }
            }
        }
    }
}

/// Reads until the bus is gone. Never waits for the reader: that would hold up the connection to the bus, and all other boards.
async fn read_signals(mut values: MessageStream, reports: &Reports) {
    while let Some(Ok(message)) = values.next().await {
        let Some(packet) = value_of(&message).filter(|packet| !packet.is_empty()) else { continue };
        if reports.sender.try_send(Ok(packet)).is_err() {
            return;
        }
    }
}

/// Returns the new value of a characteristic.
fn value_of(message: &Message) -> Option<Vec<u8>> {
    let body = message.body();
    let (interface, mut values, _) = body.deserialize::<(String, HashMap<String, OwnedVariant>, Vec<String>)>().ok()?;
    let value = values.remove("Value").filter(|_| interface == CHARACTERISTIC)?;
    Vec::<u8>::try_from(value).ok()
}

/// Writes what is queued, until the port is dropped. `interval`: minimum time from one write to the next.
async fn write(bluez: &Bluez, output: Output, mut queue: mpsc::Receiver<Vec<u8>>, interval: Duration) -> io::Result<()> {
    let mut free_at = Instant::now();
    while let Some(bytes) = queue.recv().await {
        sleep_until(free_at).await;
        free_at = Instant::now() + interval;
        for packet in packets(&bytes, &output) {
            timeout(WRITE_TIMEOUT, write_packet(bluez, &output, packet)).await.map_err(|_| no_data())??;
        }
    }
    Ok(())
}

/// Cuts bytes into packets.
fn packets<'a>(bytes: &'a [u8], output: &Output) -> impl Iterator<Item = &'a [u8]> {
    let longest = match output {
        Output::Packets { mtu, .. } | Output::Calls { mtu, .. } => usize::from((*mtu).max(DEFAULT_MTU) - PACKET_HEADER),
        Output::Stream(_) => MAX_PACKET,
    };
    bytes.chunks(longest.min(MAX_PACKET))
}

async fn write_packet(bluez: &Bluez, output: &Output, packet: &[u8]) -> io::Result<()> {
    match output {
        Output::Packets { socket, .. } => socket.write(packet).await.map(drop),
        Output::Stream(socket) => {
            let mut rest = packet;
            while !rest.is_empty() {
                let written = socket.write(rest).await?;
                rest = rest.get(written..).unwrap_or_default();
            }
            Ok(())
        }
        Output::Calls { path, kind, .. } => {
            let options = Options::from([("type", (*kind).into())]);
            let written = bluez.call(path, CHARACTERISTIC, "WriteValue", &(packet, options)).await;
            written.map(drop).map_err(|error| io::Error::other(format!("{error:?}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_are_cut_to_the_mtu() {
        let cut = |mtu: u16, length: usize| {
            let output = Output::Calls { path: String::new(), kind: "command", mtu };
            packets(&vec![0; length], &output).map(<[u8]>::len).collect::<Vec<_>>()
        };
        assert_eq!(cut(23, 10), [10]);
        assert_eq!(cut(23, 45), [20, 20, 5]);
        assert_eq!(cut(517, 600), [512, 88]);
        // Smaller than any that is allowed.
        assert_eq!(cut(0, 21), [20, 1]);
    }
}
