//! A network between a machine and a server, which can be interrupted.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// Forwards connections to a port of this computer.
pub struct Proxy {
    port: u16,
    is_cut: Arc<AtomicBool>,
    streams: Arc<Mutex<Vec<TcpStream>>>,
}

impl Proxy {
    /// Forwards to this port.
    pub fn to(target: u16) -> Proxy {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let (is_cut, streams) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(Vec::new())));
        let proxy = Proxy { port, is_cut: Arc::clone(&is_cut), streams: Arc::clone(&streams) };
        std::thread::spawn(move || {
            for incoming in listener.incoming().map_while(Result::ok) {
                let Ok(outgoing) = TcpStream::connect(("127.0.0.1", target)) else { continue };
                let mut open = streams.lock().unwrap();
                if is_cut.load(Ordering::SeqCst) {
                    continue;
                }
                for (from, to) in [(&incoming, &outgoing), (&outgoing, &incoming)] {
                    let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    std::thread::spawn(move || forward(from, to));
                }
                open.extend([incoming, outgoing]);
            }
        });
        proxy
    }

    /// The port on which it listens.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Ends all connections, and accepts no more.
    pub fn cut(&self) {
        let mut streams = self.streams.lock().unwrap();
        self.is_cut.store(true, Ordering::SeqCst);
        streams.drain(..).for_each(|stream| _ = stream.shutdown(Shutdown::Both));
    }

    /// Accepts connections again.
    pub fn mend(&self) {
        self.is_cut.store(false, Ordering::SeqCst);
    }
}

fn forward(mut from: TcpStream, mut to: TcpStream) {
    let mut chunk = [0; 16 * 1024];
    while let Ok(count @ 1..) = from.read(&mut chunk) {
        if to.write_all(&chunk[..count]).is_err() {
            break;
        }
    }
    let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
}
