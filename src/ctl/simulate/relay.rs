//! A network between a machine and a server: a TCP relay that can be interrupted and disturbed.

use crate::simulate::rng::Rng;
use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Size of the largest piece of data that is forwarded at once, in bytes.
const CHUNK: usize = 16 * 1024;
/// How many pieces of data may be on their way in one direction.
const MAX_IN_FLIGHT: usize = 64;
/// The interval at which it is checked whether a stalled network delivers again.
const STALL_POLL_INTERVAL: Duration = Duration::from_millis(20);
/// The pause after a failure to accept a connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// The shortest retransmission timeout of TCP on Linux.
const RETRANSMISSION_TIMEOUT: Duration = Duration::from_millis(200);
/// How often in a row the same data may be lost.
const MAX_LOSSES: u32 = 5;

/// Forwards connections from a port of this computer, which is chosen by the system, to another one.
pub struct Relay {
    port: u16,
    network: Arc<Network>,
}

/// What happens to the data, and the connections on which it is.
#[derive(Default)]
struct Network {
    conditions: Mutex<Conditions>,
    connections: Mutex<Connections>,
}

/// What happens to data.
#[derive(Clone, Copy, Default)]
struct Conditions {
    /// Nothing is delivered, and the connections stay open.
    is_stalled: bool,
    /// The additional time of each piece of data.
    latency: Duration,
    /// How many thousandths of the pieces of data are lost on their way, and sent again by TCP.
    loss: u32,
}

/// The open connections.
#[derive(Default)]
struct Connections {
    /// No connection is accepted.
    is_cut: bool,
    /// The relay has ended.
    is_closed: bool,
    /// The number of the next connection.
    next: u64,
    open: BTreeMap<u64, [TcpStream; 2]>,
}

impl Relay {
    /// Forwards to this port.
    ///
    /// # Errors
    /// No port can be opened, or no thread can be started.
    pub fn to(target: u16) -> io::Result<Relay> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let relay = Relay { port: listener.local_addr()?.port(), network: Arc::default() };
        let network = Arc::clone(&relay.network);
        thread::Builder::new().name("relay".to_owned()).spawn(move || accept(&listener, target, &network))?;
        Ok(relay)
    }

    /// Returns the port on which it listens.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Ends all connections, and accepts no more.
    pub fn cut(&self) {
        let mut connections = self.network.connections();
        connections.is_cut = true;
        connections.end_all();
    }

    /// Accepts connections again, and delivers data again.
    pub fn mend(&self) {
        self.network.connections().is_cut = false;
        *self.network.conditions() = Conditions::default();
    }

    /// Delivers nothing more. Connections stay open, as when a cable is pulled: neither end is informed.
    pub fn stall(&self) {
        self.network.conditions().is_stalled = true;
    }

    /// Delays all data by this time in each direction.
    pub fn set_latency(&self, latency: Duration) {
        self.network.conditions().latency = latency;
    }

    /// Loses this number of thousandths of the data. TCP sends it again after its timeout, and what follows waits for it.
    pub fn set_loss(&self, thousandths: u32) {
        self.network.conditions().loss = thousandths;
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        {
            let mut connections = self.network.connections();
            connections.is_closed = true;
            connections.end_all();
        }
        // Wakes the thread that accepts connections.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

impl Network {
    fn conditions(&self) -> MutexGuard<'_, Conditions> {
        self.conditions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn connections(&self) -> MutexGuard<'_, Connections> {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Connections {
    fn end_all(&mut self) {
        for stream in std::mem::take(&mut self.open).into_values().flatten() {
            // It may have ended by itself.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

/// Accepts connections until the relay has ended.
fn accept(listener: &TcpListener, target: u16, network: &Arc<Network>) {
    for incoming in listener.incoming() {
        if network.connections().is_closed {
            return;
        }
        // A connection that cannot be forwarded is closed: the client tries again.
        let opened = incoming.and_then(|incoming| open(incoming, target, network));
        if opened.is_err() {
            thread::sleep(ACCEPT_PAUSE);
        }
    }
}

/// Connects to the target, and forwards in both directions.
fn open(incoming: TcpStream, target: u16, network: &Arc<Network>) -> io::Result<()> {
    if network.connections().is_cut {
        return Ok(());
    }
    let outgoing = TcpStream::connect(("127.0.0.1", target))?;
    // While nothing listens there, TCP may connect a port with itself.
    if outgoing.local_addr()? == outgoing.peer_addr()? {
        return Ok(());
    }
    for stream in [&incoming, &outgoing] {
        stream.set_nodelay(true)?;
    }
    let directions = [
        (incoming.try_clone()?, outgoing.try_clone()?, incoming.try_clone()?, outgoing.try_clone()?),
        (outgoing.try_clone()?, incoming.try_clone()?, outgoing.try_clone()?, incoming.try_clone()?),
    ];
    let number = {
        let mut connections = network.connections();
        if connections.is_cut || connections.is_closed {
            return Ok(());
        }
        let number = connections.next;
        connections.next += 1;
        connections.open.insert(number, [incoming, outgoing]);
        number
    };
    for (direction, (from, to, reader_end, writer_end)) in (0..).zip(directions) {
        let (sender, receiver) = sync_channel(MAX_IN_FLIGHT);
        let rng = Rng::new(number, direction);
        let (reading, writing) = (Arc::clone(network), Arc::clone(network));
        thread::Builder::new().spawn(move || {
            receive(from, &sender, &reading, rng);
            drop(sender);
            // The other thread still delivers what is on its way.
            let _ = reader_end.shutdown(Shutdown::Read);
        })?;
        thread::Builder::new().spawn(move || {
            deliver(to, &receiver, &writing);
            let _ = writer_end.shutdown(Shutdown::Both);
            if let Some(streams) = writing.connections().open.remove(&number) {
                streams.iter().for_each(|stream| _ = stream.shutdown(Shutdown::Both));
            }
        })?;
    }
    Ok(())
}

/// Reads data until the connection ends, and sends each piece with the time at which it arrives.
fn receive(mut from: TcpStream, sender: &SyncSender<(Instant, Vec<u8>)>, network: &Network, mut rng: Rng) {
    let mut chunk = vec![0; CHUNK];
    let mut last = Instant::now();
    while let Ok(count @ 1..) = from.read(&mut chunk) {
        let Conditions { latency, loss, .. } = *network.conditions();
        let losses = (0..MAX_LOSSES).take_while(|_| rng.chance(loss)).count();
        let mut due = Instant::now() + latency;
        // The timeout doubles each time.
        (0..losses).for_each(|nth| due += RETRANSMISSION_TIMEOUT * (1_u32 << nth));
        last = last.max(due);
        if sender.send((last, chunk.get(..count).unwrap_or_default().to_vec())).is_err() {
            return;
        }
    }
}

/// Writes each piece of data at its time.
fn deliver(mut to: TcpStream, receiver: &Receiver<(Instant, Vec<u8>)>, network: &Network) {
    while let Ok((due, bytes)) = receiver.recv() {
        thread::sleep(due.saturating_duration_since(Instant::now()));
        while network.conditions().is_stalled {
            thread::sleep(STALL_POLL_INTERVAL);
        }
        if to.write_all(&bytes).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A server that returns what it receives, and a relay to it.
    fn echo() -> Relay {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                thread::spawn(move || _ = io::copy(&mut stream.try_clone().unwrap(), &mut stream));
            }
        });
        Relay::to(port).unwrap()
    }

    fn connect(relay: &Relay) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", relay.port())).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream
    }

    fn exchange(stream: &mut TcpStream, text: &[u8]) -> io::Result<Vec<u8>> {
        stream.write_all(text)?;
        let mut reply = vec![0; text.len()];
        stream.read_exact(&mut reply)?;
        Ok(reply)
    }

    #[test]
    fn a_cut_ends_connections_and_refuses_new_ones() {
        let relay = echo();
        let mut stream = connect(&relay);
        assert_eq!(exchange(&mut stream, b"one").unwrap(), b"one");
        relay.cut();
        assert!(exchange(&mut stream, b"two").is_err());
        assert!(exchange(&mut connect(&relay), b"three").is_err());
        relay.mend();
        assert_eq!(exchange(&mut connect(&relay), b"four").unwrap(), b"four");
    }

    #[test]
    fn disturbed_data_arrives_late_and_in_order() {
        let relay = echo();
        let mut stream = connect(&relay);
        relay.set_latency(Duration::from_millis(100));
        relay.set_loss(500);
        let begun = Instant::now();
        for number in 0..4_u8 {
            assert_eq!(exchange(&mut stream, &[number; 100]).unwrap(), [number; 100]);
        }
        assert!(begun.elapsed() >= Duration::from_millis(800), "{:?}", begun.elapsed());
    }

    #[test]
    fn a_stalled_network_delivers_later() {
        let relay = echo();
        let mut stream = connect(&relay);
        assert_eq!(exchange(&mut stream, b"one").unwrap(), b"one");
        relay.stall();
        stream.write_all(b"two").unwrap();
        stream.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
        assert!(stream.read(&mut [0; 3]).is_err());
        relay.mend();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let mut reply = [0; 3];
        stream.read_exact(&mut reply).unwrap();
        assert_eq!(&reply, b"two");
    }
}
