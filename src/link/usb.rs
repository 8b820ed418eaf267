//! A USB device that is spoken to directly: reports in and out of one HID interface, through libusb.
//!
//! libusb waits on the thread that asks, so each direction has a thread of its own, which is there for as long as the port is open. The
//! interface is the one whose report descriptor names the board's usage page; a kernel driver that has it is detached, and
//! has it back when the port is dropped, also when the board turns out to be another one.

use super::serial::{LineError, OpenError, group_of, holder};
use crate::boards::Hid;
use rusb::{Context, Device, DeviceHandle, Direction, TransferType, UsbContext};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// Longer than boards take from one report to the next, so that a thread wakes for reports only; and as long as dropping a port
/// may take.
const WAIT: Duration = Duration::from_millis(250);
/// A device that answers no control request for so long answers none. It has a millisecond for it by the bus's own rules.
const ANSWER: Duration = Duration::from_millis(500);
/// A board that takes no report for so long takes none.
const TAKE: Duration = Duration::from_secs(1);
/// Reports that may wait to be read: at five a second, more than a task is ever late. Those after them wait in the device.
const WAITING: usize = 32;

/// An open device, ours alone as long as it lives.
#[derive(Debug)]
pub struct Port {
    reports: mpsc::Receiver<Result<Vec<u8>, LineError>>,
    /// Taken when the port is dropped, which ends its thread.
    writes: Option<mpsc::Sender<Outgoing>>,
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

/// A report to be sent, and who waits for it.
type Outgoing = (Vec<u8>, oneshot::Sender<Result<(), LineError>>);

impl Port {
    /// Opens the device at this file, e.g. `/dev/bus/usb/001/004` or a link to it, and finds the board's interface.
    ///
    /// # Errors
    /// Each says what to do, as those of a serial port do.
    pub async fn open(path: &Path, hid: Hid) -> Result<Port, OpenError> {
        let (opened, port) = oneshot::channel();
        let other = |reason: &str| OpenError::Other { port: path.to_path_buf(), reason: reason.to_owned() };
        let path = path.to_path_buf();
        std::thread::Builder::new()
            .name("usb open".to_owned())
            .spawn({
                let path = path.clone();
                move || opened.send(open(&path, hid))
            })
            .map_err(|why| other(&why.to_string()))?;
        port.await.map_err(|_| other("libusb failed"))?
    }

    /// Waits for a report and tells how long it is, at least one byte. What does not fit into `buf` is cut off. Loses
    /// nothing when cancelled.
    pub async fn read(&mut self, buf: &mut [u8]) -> Result<usize, LineError> {
        let report = self.reports.recv().await.unwrap_or(Err(LineError::Gone))?;
        let length = report.len().min(buf.len());
        if let (Some(to), Some(from)) = (buf.get_mut(..length), report.get(..length)) {
            to.copy_from_slice(from);
        }
        Ok(length)
    }

    /// Sends one report; returns when the device has taken it.
    pub async fn write_all(&mut self, bytes: &[u8]) -> Result<(), LineError> {
        let (done, outcome) = oneshot::channel();
        let Some(writes) = &self.writes else { return Err(LineError::Gone) };
        writes.send((bytes.to_vec(), done)).await.map_err(|_| LineError::Gone)?;
        outcome.await.unwrap_or(Err(LineError::Gone))
    }
}

impl Drop for Port {
    /// Gives the interface back before it returns: whoever ends after this has left nothing behind.
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.reports.close();
        self.writes = None;
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// The interface of a board, claimed. Dropped: released, and the kernel's driver has it back.
struct Claimed {
    handle: DeviceHandle<Context>,
    interface: u8,
    endpoints: Endpoints,
}

/// Where an interface is read from and written to.
#[derive(Clone, Copy)]
struct Endpoints {
    input: u8,
    /// What one packet from there holds at most. More must not be asked for at once: a full packet would be waited on for the next.
    packet: usize,
    /// Without one, reports go out as control requests.
    output: Option<u8>,
}

fn open(path: &Path, hid: Hid) -> Result<Port, OpenError> {
    let claimed = Arc::new(claim(path, hid)?);
    let (reports, incoming) = mpsc::channel(WAITING);
    let (writes, outgoing) = mpsc::channel(1);
    let stop = Arc::new(AtomicBool::new(false));
    let start = |name: &str, work: Box<dyn FnOnce() + Send>| {
        let other = |why: io::Error| OpenError::Other { port: path.to_path_buf(), reason: why.to_string() };
        std::thread::Builder::new().name(name.to_owned()).spawn(work).map_err(other)
    };
    let (reader, writer, told) = (Arc::clone(&claimed), claimed, Arc::clone(&stop));
    let reading = start("usb read", Box::new(move || reader.read(&reports, &told)))?;
    // Should the second not start, the first ends by itself: nobody reads what it reads.
    let writing = start("usb write", Box::new(move || writer.write(outgoing)))?;
    Ok(Port { reports: incoming, writes: Some(writes), stop, threads: vec![reading, writing] })
}

/// Finds the device of this file and the interface in it that is the board.
fn claim(path: &Path, hid: Hid) -> Result<Claimed, OpenError> {
    let port = || path.to_path_buf();
    let missing = || OpenError::NoSuchDevice { port: port() };
    let node = path.canonicalize().map_err(|_| missing())?;
    let number = |part: Option<&Path>| part?.file_name()?.to_str()?.parse::<u8>().ok();
    let (Some(bus), Some(address)) = (number(node.parent()), number(Some(&node))) else {
        return Err(OpenError::NotUsb { port: port() });
    };
    let why = |error: rusb::Error| match error {
        rusb::Error::Access => OpenError::NoPermission { group: group_of(&node), port: port() },
        rusb::Error::Busy => OpenError::Busy { holder: holder(&node), port: port() },
        rusb::Error::NoDevice | rusb::Error::NotFound => missing(),
        other => OpenError::Other { port: port(), reason: other.to_string() },
    };
    let devices = Context::new().and_then(|context| context.devices()).map_err(why)?;
    let device = devices.iter().find(|device| (device.bus_number(), device.address()) == (bus, address)).ok_or_else(missing)?;
    let handle = device.open().map_err(why)?;
    // Where the kernel cannot, there is no driver to be detached.
    let _ = handle.set_auto_detach_kernel_driver(true);
    let mut refused = None;
    for (interface, endpoints) in candidates(&device).map_err(why)? {
        if let Err(error) = handle.claim_interface(interface) {
            refused = Some(error);
            continue;
        }
        match report_descriptor(&handle, interface) {
            Ok(descriptor) if usage_pages(&descriptor).any(|page| page == hid.usage_page) => {
                return Ok(Claimed { handle, interface, endpoints });
            }
            Ok(_) => {}
            // It may be another interface's trouble.
            Err(error) => refused = Some(error),
        }
        handle.release_interface(interface).map_err(why)?;
    }
    match refused {
        Some(error) => Err(why(error)),
        None => Err(OpenError::Other {
            port: port(),
            reason: format!(
                "none of its interfaces has usage page {:04x}: it is no such board, or a newer one",
                hid.usage_page
            ),
        }),
    }
}

/// HID interfaces with an interrupt endpoint to read from, by number.
fn candidates(device: &Device<Context>) -> rusb::Result<Vec<(u8, Endpoints)>> {
    const HID: u8 = 3;
    let config = device.active_config_descriptor()?;
    let described = config.interfaces().filter_map(|interface| {
        let descriptor = interface.descriptors().find(|descriptor| descriptor.class_code() == HID)?;
        let endpoint = |direction| {
            let mut all = descriptor.endpoint_descriptors();
            all.find(|one| one.transfer_type() == TransferType::Interrupt && one.direction() == direction)
        };
        let input = endpoint(Direction::In)?;
        // The upper bits say how many packets a microframe may carry.
        let packet = usize::from(input.max_packet_size() & 0x7ff);
        let output = endpoint(Direction::Out).map(|output| output.address());
        Some((interface.number(), Endpoints { input: input.address(), packet, output }))
    });
    Ok(described.collect())
}

fn report_descriptor(handle: &DeviceHandle<Context>, interface: u8) -> rusb::Result<Vec<u8>> {
    /// Standard request to an interface, device to host.
    const FROM_INTERFACE: u8 = 0x81;
    const GET_DESCRIPTOR: u8 = 6;
    const REPORT: u16 = 0x2200;
    let mut descriptor = vec![0; 4096];
    let length = handle.read_control(FROM_INTERFACE, GET_DESCRIPTOR, REPORT, u16::from(interface), &mut descriptor, ANSWER)?;
    descriptor.truncate(length);
    Ok(descriptor)
}

/// The usage pages that a report descriptor names, in order (HID 1.11, 6.2.2).
fn usage_pages(descriptor: &[u8]) -> impl Iterator<Item = u16> {
    let mut rest = descriptor;
    std::iter::from_fn(move || {
        while let [prefix, after @ ..] = rest {
            let size = match (prefix, after) {
                // A long item tells its size, then its tag.
                (0xfe, [size, ..]) => 2 + usize::from(*size),
                _ => [0, 1, 2, 4][usize::from(prefix & 3)],
            };
            let data = after.get(..size).unwrap_or(after);
            rest = after.get(size..).unwrap_or_default();
            if prefix & 0xfc == 0x04 {
                // Data come low byte first; pages have two bytes.
                return Some(data.iter().take(2).rev().fold(0, |page, &byte| page << 8 | u16::from(byte)));
            }
        }
        None
    })
}

impl Claimed {
    /// Hands reports over until the port is dropped or the device is gone.
    fn read(&self, reports: &mpsc::Sender<Result<Vec<u8>, LineError>>, stop: &AtomicBool) {
        let mut buffer = vec![0; self.endpoints.packet];
        while !stop.load(Ordering::Relaxed) {
            let read = match self.handle.read_interrupt(self.endpoints.input, &mut buffer, WAIT) {
                // Some devices answer "nothing" in place of waiting.
                Ok(0) | Err(rusb::Error::Timeout | rusb::Error::Interrupted) => continue,
                Ok(length) => Ok(buffer.get(..length).unwrap_or_default().to_vec()),
                Err(error) => Err(failed(error)),
            };
            let over = read.is_err();
            if reports.blocking_send(read).is_err() || over {
                return;
            }
        }
    }

    /// Sends what is to be sent until the port is dropped.
    fn write(&self, mut writes: mpsc::Receiver<Outgoing>) {
        while let Some((bytes, done)) = writes.blocking_recv() {
            let _ = done.send(self.send(&bytes).map_err(failed));
        }
    }

    fn send(&self, bytes: &[u8]) -> rusb::Result<()> {
        /// Class request to an interface, host to device.
        const TO_INTERFACE: u8 = 0x21;
        const SET_REPORT: u8 = 9;
        const OUTPUT: u16 = 0x0200;
        match self.endpoints.output {
            Some(endpoint) => self.handle.write_interrupt(endpoint, bytes, TAKE)?,
            None => {
                let report = OUTPUT | u16::from(bytes.first().copied().unwrap_or(0));
                self.handle.write_control(TO_INTERFACE, SET_REPORT, report, u16::from(self.interface), bytes, TAKE)?
            }
        };
        Ok(())
    }
}

/// A transfer that fails is the end of the port. A device that is being unplugged answers some of them with I/O errors.
fn failed(error: rusb::Error) -> LineError {
    match error {
        rusb::Error::NoDevice | rusb::Error::Io | rusb::Error::NotFound => LineError::Gone,
        rusb::Error::Timeout => LineError::Failed(io::Error::new(io::ErrorKind::TimedOut, "the board takes nothing")),
        other => LineError::Failed(io::Error::other(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::usage_pages;

    #[test]
    fn pages_of_report_descriptors() {
        let check = |descriptor: &[u8], expect: &[u16]| {
            assert_eq!(usage_pages(descriptor).collect::<Vec<_>>(), expect, "{descriptor:02x?}");
        };
        check(&[0x06, 0x00, 0xff, 0x09, 0x01, 0xa1, 0x01], &[0xff00]);
        check(&[0x05, 0x01, 0x09, 0x06, 0xa1, 0x01, 0x05, 0x07], &[1, 7]);
        // What stands in data is no item; four bytes of data; a long item; an end too soon.
        check(&[0x26, 0x06, 0x00, 0x05, 0x0c], &[0x0c]);
        check(&[0x07, 0x00, 0xff, 0x00, 0x00], &[0xff00]);
        check(&[0xfe, 0x02, 0x05, 0x05, 0x09, 0x05, 0x02], &[2]);
        check(&[0x06, 0x00], &[0]);
        check(&[0xfe], &[]);
        check(&[], &[]);
    }
}
