//! A USB device without a kernel driver: reports in and out of one HID interface through libusb.
//!
//! libusb blocks the calling thread, so each direction has its own thread for as long as the port is open. The interface is the one
//! whose report descriptor contains the board's usage page. Its kernel driver is detached, and attached again when the port is
//! dropped, also when the device turns out to be another model.

use super::serial::{LineError, OpenError, group_of, holder};
use crate::boards::HidInterface;
use rusb::{Context, Device, DeviceHandle, Direction, TransferType, UsbContext};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// Read timeout: longer than the interval between a board's reports, so that a thread wakes only for reports; also the maximum time
/// to drop a port.
const READ_TIMEOUT: Duration = Duration::from_millis(250);
/// Timeout of control requests. By the USB specification a device answers within a millisecond.
const CONTROL_TIMEOUT: Duration = Duration::from_millis(500);
/// Write timeout for a report.
const WRITE_TIMEOUT: Duration = Duration::from_secs(1);
/// Capacity of the queue of received reports: at five a second it covers longer than a task is ever late. Further reports wait in
/// the device.
const REPORT_QUEUE: usize = 32;

/// An open device, held exclusively until it is dropped.
#[derive(Debug)]
pub struct Port {
    reports: mpsc::Receiver<Result<Vec<u8>, LineError>>,
    /// Set to `None` when the port is dropped, which ends the write thread.
    writes: Option<mpsc::Sender<PendingReport>>,
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

/// A report to send, and the channel for its outcome.
type PendingReport = (Vec<u8>, oneshot::Sender<Result<(), LineError>>);

impl Port {
    /// Opens the device at this node, e.g. `/dev/bus/usb/001/004` or a link to it, and finds the board's interface.
    ///
    /// # Errors
    /// Each error says what to do, as for a serial port.
    pub async fn open(path: &Path, hid: HidInterface) -> Result<Port, OpenError> {
        let (opened, port) = oneshot::channel();
        let failed = |reason: &str| OpenError::Other { port: path.to_path_buf(), reason: reason.to_owned() };
        let path = path.to_path_buf();
        std::thread::Builder::new()
            .name("usb open".to_owned())
            .spawn({
                let path = path.clone();
                move || opened.send(open(&path, hid))
            })
            .map_err(|error| failed(&error.to_string()))?;
        port.await.map_err(|_| failed("libusb failed"))?
    }

    /// Reads a report into `buf` and returns its length, at least one byte. A report longer than `buf` is truncated. Cancel safe.
    pub async fn read(&mut self, buf: &mut [u8]) -> Result<usize, LineError> {
        let report = self.reports.recv().await.unwrap_or(Err(LineError::Gone))?;
        let length = report.len().min(buf.len());
        if let (Some(to), Some(from)) = (buf.get_mut(..length), report.get(..length)) {
            to.copy_from_slice(from);
        }
        Ok(length)
    }

    /// Sends one report; returns when the device has accepted it.
    pub async fn write_all(&mut self, bytes: &[u8]) -> Result<(), LineError> {
        let (done, outcome) = oneshot::channel();
        let Some(writes) = &self.writes else { return Err(LineError::Gone) };
        writes.send((bytes.to_vec(), done)).await.map_err(|_| LineError::Gone)?;
        outcome.await.unwrap_or(Err(LineError::Gone))
    }
}

impl Drop for Port {
    /// Waits until the interface is released, so that the process can exit without leaving it claimed.
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.reports.close();
        self.writes = None;
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// A board's claimed interface. Dropping it releases the interface and attaches the kernel driver again.
struct ClaimedInterface {
    handle: DeviceHandle<Context>,
    interface: u8,
    endpoints: Endpoints,
}

/// Endpoints of an interface.
#[derive(Clone, Copy)]
struct Endpoints {
    input: u8,
    /// Maximum packet size of the input endpoint. Reads must not request more: after a full packet they would wait for the next
    /// one.
    packet: usize,
    /// Output endpoint. Without one, reports are sent as control requests.
    output: Option<u8>,
}

fn open(path: &Path, hid: HidInterface) -> Result<Port, OpenError> {
    let claimed = Arc::new(claim(path, hid)?);
    let (reports, incoming) = mpsc::channel(REPORT_QUEUE);
    let (writes, outgoing) = mpsc::channel(1);
    let stop = Arc::new(AtomicBool::new(false));
    let start = |name: &str, work: Box<dyn FnOnce() + Send>| {
        let failed = |error: io::Error| OpenError::Other { port: path.to_path_buf(), reason: error.to_string() };
        std::thread::Builder::new().name(name.to_owned()).spawn(work).map_err(failed)
    };
    let (reader, writer, stop_reading) = (Arc::clone(&claimed), claimed, Arc::clone(&stop));
    let reading = start("usb read", Box::new(move || reader.read(&reports, &stop_reading)))?;
    // If the second thread does not start, the first ends by itself, because its channel has no receiver.
    let writing = start("usb write", Box::new(move || writer.write(outgoing)))?;
    Ok(Port { reports: incoming, writes: Some(writes), stop, threads: vec![reading, writing] })
}

/// Finds the device at this node and claims the board's interface.
fn claim(path: &Path, hid: HidInterface) -> Result<ClaimedInterface, OpenError> {
    let port = || path.to_path_buf();
    let missing = || OpenError::NoSuchDevice { port: port() };
    let node = path.canonicalize().map_err(|_| missing())?;
    let number = |part: Option<&Path>| part?.file_name()?.to_str()?.parse::<u8>().ok();
    let (Some(bus), Some(address)) = (number(node.parent()), number(Some(&node))) else {
        return Err(OpenError::NotUsb { port: port() });
    };
    let open_error = |error: rusb::Error| match error {
        rusb::Error::Access => OpenError::NoPermission { group: group_of(&node), port: port() },
        rusb::Error::Busy => OpenError::Busy { holder: holder(&node), port: port() },
        rusb::Error::NoDevice | rusb::Error::NotFound => missing(),
        other => OpenError::Other { port: port(), reason: other.to_string() },
    };
    let devices = Context::new().and_then(|context| context.devices()).map_err(open_error)?;
    let device = devices.iter().find(|device| (device.bus_number(), device.address()) == (bus, address)).ok_or_else(missing)?;
    let handle = device.open().map_err(open_error)?;
    // An error means that the platform has no kernel driver to detach.
    let _ = handle.set_auto_detach_kernel_driver(true);
    let mut refused = None;
    for (interface, endpoints) in hid_interfaces(&device).map_err(open_error)? {
        if let Err(error) = handle.claim_interface(interface) {
            refused = Some(error);
            continue;
        }
        match report_descriptor(&handle, interface) {
            Ok(descriptor) if usage_pages(&descriptor).any(|page| page == hid.usage_page) => {
                return Ok(ClaimedInterface { handle, interface, endpoints });
            }
            Ok(_) => {}
            // The error may concern another interface.
            Err(error) => refused = Some(error),
        }
        handle.release_interface(interface).map_err(open_error)?;
    }
    match refused {
        Some(error) => Err(open_error(error)),
        None => Err(OpenError::Other {
            port: port(),
            reason: format!(
                "none of its interfaces has usage page {:04x}: it is not such a board, or a newer version",
                hid.usage_page
            ),
        }),
    }
}

/// Returns the HID interfaces that have an interrupt input endpoint, by number.
fn hid_interfaces(device: &Device<Context>) -> rusb::Result<Vec<(u8, Endpoints)>> {
    const HID: u8 = 3;
    let config = device.active_config_descriptor()?;
    let described = config.interfaces().filter_map(|interface| {
        let descriptor = interface.descriptors().find(|descriptor| descriptor.class_code() == HID)?;
        let endpoint = |direction| {
            let mut all = descriptor.endpoint_descriptors();
            all.find(|endpoint| endpoint.transfer_type() == TransferType::Interrupt && endpoint.direction() == direction)
        };
        let input = endpoint(Direction::In)?;
        // The upper bits give the number of packets per microframe.
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
    let length =
        handle.read_control(FROM_INTERFACE, GET_DESCRIPTOR, REPORT, u16::from(interface), &mut descriptor, CONTROL_TIMEOUT)?;
    descriptor.truncate(length);
    Ok(descriptor)
}

/// Returns the usage pages in a report descriptor, in order (HID 1.11, 6.2.2).
fn usage_pages(descriptor: &[u8]) -> impl Iterator<Item = u16> {
    let mut rest = descriptor;
    std::iter::from_fn(move || {
        while let [prefix, after @ ..] = rest {
            let size = match (prefix, after) {
                // A long item contains its size, then its tag.
                (0xfe, [size, ..]) => 2 + usize::from(*size),
                _ => [0, 1, 2, 4][usize::from(prefix & 3)],
            };
            let data = after.get(..size).unwrap_or(after);
            rest = after.get(size..).unwrap_or_default();
            if prefix & 0xfc == 0x04 {
                // Data are little-endian; usage pages have two bytes.
                return Some(data.iter().take(2).rev().fold(0, |page, &byte| page << 8 | u16::from(byte)));
            }
        }
        None
    })
}

impl ClaimedInterface {
    /// Queues reports until the port is dropped or the device disappears.
    fn read(&self, reports: &mpsc::Sender<Result<Vec<u8>, LineError>>, stop: &AtomicBool) {
        let mut buffer = vec![0; self.endpoints.packet];
        while !stop.load(Ordering::Relaxed) {
            let read = match self.handle.read_interrupt(self.endpoints.input, &mut buffer, READ_TIMEOUT) {
                // Some devices return an empty report instead of waiting.
                Ok(0) | Err(rusb::Error::Timeout | rusb::Error::Interrupted) => continue,
                Ok(length) => Ok(buffer.get(..length).unwrap_or_default().to_vec()),
                Err(error) => Err(line_error(error)),
            };
            let has_failed = read.is_err();
            if reports.blocking_send(read).is_err() || has_failed {
                return;
            }
        }
    }

    /// Sends queued reports until the port is dropped.
    fn write(&self, mut writes: mpsc::Receiver<PendingReport>) {
        while let Some((bytes, done)) = writes.blocking_recv() {
            let _ = done.send(self.send(&bytes).map_err(line_error));
        }
    }

    fn send(&self, bytes: &[u8]) -> rusb::Result<()> {
        /// Class request to an interface, host to device.
        const TO_INTERFACE: u8 = 0x21;
        const SET_REPORT: u8 = 9;
        const OUTPUT: u16 = 0x0200;
        match self.endpoints.output {
            Some(endpoint) => self.handle.write_interrupt(endpoint, bytes, WRITE_TIMEOUT)?,
            None => {
                let report = OUTPUT | u16::from(bytes.first().copied().unwrap_or(0));
                self.handle.write_control(TO_INTERFACE, SET_REPORT, report, u16::from(self.interface), bytes, WRITE_TIMEOUT)?
            }
        };
        Ok(())
    }
}

/// Converts the error of a failed transfer, which ends the port. Some transfers of a device that is being unplugged fail with I/O
/// errors.
fn line_error(error: rusb::Error) -> LineError {
    match error {
        rusb::Error::NoDevice | rusb::Error::Io | rusb::Error::NotFound => LineError::Gone,
        rusb::Error::Timeout => LineError::Failed(io::Error::new(io::ErrorKind::TimedOut, "the board accepts no data")),
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
        // Data bytes are not items; four bytes of data; a long item; a truncated descriptor.
        check(&[0x26, 0x06, 0x00, 0x05, 0x0c], &[0x0c]);
        check(&[0x07, 0x00, 0xff, 0x00, 0x00], &[0xff00]);
        check(&[0xfe, 0x02, 0x05, 0x05, 0x09, 0x05, 0x02], &[2]);
        check(&[0x06, 0x00], &[0]);
        check(&[0xfe], &[]);
        check(&[], &[]);
    }
}
