//! A stand-in for BlueZ on a private bus, with virtual boards in the air: an adapter that is switched on and off, boards that come
//! into range and go, and a bluetoothd that is restarted.
//!
//! It runs on a thread of its own, so that a test may block. Paths, errors and the order of signals are those of BlueZ 5.66, as its
//! documentation and its sources have them.

mod objects;
pub mod radio_board;

pub use radio_board::RadioBoard;

use super::PrivateBus;
use objects::{Adapter, ProfileManager, adapter_path, announce, remove_device, remove_services, serve_device, serve_services};
use std::sync::{Arc, Mutex, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use zbus::Connection;
use zbus::fdo::ObjectManager;

/// Interval at which boards send and receive.
const AIR: Duration = Duration::from_millis(5);

/// What is in the air, and what BlueZ knows of it.
#[derive(Default)]
pub struct World {
    pub(super) state: Mutex<WorldState>,
}

/// The state of the adapter, and the boards.
#[derive(Default)]
pub(super) struct WorldState {
    pub is_on: bool,
    pub is_blocked: bool,
    pub is_discovering: bool,
    /// The number of connections that the adapter holds; `None`: any number.
    pub capacity: Option<usize>,
    /// How long a connection waits for a board that is out of range.
    pub patience: Option<Duration>,
    /// How often a scan began.
    pub scans: usize,
    pub boards: Vec<Arc<RadioBoard>>,
    /// The client that takes serial ports, and its object.
    pub serial: Option<(String, String)>,
}

impl World {
    pub(super) fn boards(&self) -> Vec<Arc<RadioBoard>> {
        self.state.lock().unwrap().boards.clone()
    }
}

/// The stand-in.
pub struct Bluez {
    address: String,
    world: Arc<World>,
    handle: Handle,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
    /// `None`: bluetoothd does not run.
    connection: Mutex<Option<Connection>>,
}

impl Bluez {
    /// Starts bluetoothd, with an adapter that is on.
    pub fn start(bus: &PrivateBus) -> Bluez {
        let bluez = Bluez::stopped(bus);
        bluez.run_daemon();
        bluez
    }

    /// An adapter that is on, without bluetoothd.
    pub fn stopped(bus: &PrivateBus) -> Bluez {
        let (send_handle, handle) = mpsc::channel();
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            send_handle.send(runtime.handle().clone()).unwrap();
            let _ = runtime.block_on(stopped);
        });
        let world = Arc::new(World::default());
        world.state.lock().unwrap().is_on = true;
        let handle = handle.recv().unwrap();
        Bluez { address: bus.address(), world, handle, stop: Some(stop), thread: Some(thread), connection: Mutex::default() }
    }

    /// Runs something on the thread of the stand-in.
    fn run<T: Send + 'static>(&self, work: impl Future<Output = T> + Send + 'static) -> T {
        let (done, outcome) = mpsc::channel();
        self.handle.spawn(async move { done.send(work.await) });
        outcome.recv().unwrap()
    }

    /// Starts bluetoothd, which knows the devices that it knew before.
    pub fn run_daemon(&self) {
        let (address, world) = (self.address.clone(), Arc::clone(&self.world));
        let connection = self.run(async move {
            let builder = zbus::connection::Builder::address(address.as_str());
            let connection = builder.build().await.unwrap();
            let server = connection.object_server();
            server.at("/", ObjectManager).await.unwrap();
            server.at("/org/bluez", ProfileManager(Arc::clone(&world))).await.unwrap();
            server.at(adapter_path(), Adapter(Arc::clone(&world))).await.unwrap();
            for board in world.boards().iter().filter(|board| board.state().is_known) {
                serve_device(&connection, &world, board).await;
            }
            connection.request_name("org.bluez").await.unwrap();
            tokio::spawn(air(connection.clone(), world));
            connection
        });
        *self.connection.lock().unwrap() = Some(connection);
    }

    /// Ends bluetoothd, and with it all connections.
    pub fn kill_daemon(&self) {
        if let Some(connection) = self.connection.lock().unwrap().take() {
            for board in self.world.boards() {
                board.hang_up();
            }
            self.world.state.lock().unwrap().is_discovering = false;
            self.run(async move { connection.close().await.unwrap() });
        }
    }

    /// Puts a board into the air.
    pub fn add(&self, board: RadioBoard) -> Arc<RadioBoard> {
        let board = Arc::new(board);
        self.world.state.lock().unwrap().boards.push(Arc::clone(&board));
        board
    }

    fn connection(&self) -> Connection {
        self.connection.lock().unwrap().clone().expect("bluetoothd runs")
    }

    /// Switches the adapter on or off, or lets rfkill do it.
    pub fn set_power(&self, is_on: bool, is_blocked: bool) {
        let (connection, world) = (self.connection(), Arc::clone(&self.world));
        self.run(async move {
            if !is_on {
                for board in world.boards() {
                    disconnect(&connection, &board).await;
                }
            }
            {
                let mut state = world.state.lock().unwrap();
                (state.is_on, state.is_blocked) = (is_on, is_blocked);
                state.is_discovering = false;
            }
            announce(&connection, &adapter_path(), "org.bluez.Adapter1", "Powered", is_on).await;
        });
    }

    /// Lets the adapter hold only this number of connections; `None`: any number.
    pub fn set_capacity(&self, connections: Option<usize>) {
        self.world.state.lock().unwrap().capacity = connections;
    }

    /// Lets connections wait this long for boards that are out of range.
    pub fn set_patience(&self, patience: Duration) {
        self.world.state.lock().unwrap().patience = Some(patience);
    }

    /// Pulls the adapter.
    pub fn unplug_adapter(&self) {
        let (connection, world) = (self.connection(), Arc::clone(&self.world));
        self.run(async move {
            for board in world.boards() {
                disconnect(&connection, &board).await;
                remove_device(&connection, &board).await;
            }
            connection.object_server().remove::<Adapter, _>(adapter_path()).await.unwrap();
        });
    }

    /// Carries a board out of range, or back.
    pub fn set_in_range(&self, board: &Arc<RadioBoard>, is_in_range: bool) {
        let (connection, board) = (self.connection(), Arc::clone(board));
        board.state().is_in_range = is_in_range;
        if !is_in_range {
            self.run(async move { disconnect(&connection, &board).await });
        }
    }

    /// Removes the services of a board, which stays connected, or restores them: as when its firmware restarts.
    pub fn set_services(&self, board: &Arc<RadioBoard>, are_there: bool) {
        let (connection, board) = (self.connection(), Arc::clone(board));
        self.run(async move {
            board.state().has_services = are_there;
            board.close_sockets();
            match are_there {
                true if board.state().is_connected => serve_services(&connection, &board).await,
                true => {}
                false => remove_services(&connection, &board).await,
            }
        });
    }

    /// How often a scan began.
    pub fn scans(&self) -> usize {
        self.world.state.lock().unwrap().scans
    }

    /// Whether a scan goes on.
    pub fn is_discovering(&self) -> bool {
        self.world.state.lock().unwrap().is_discovering
    }
}

impl Drop for Bluez {
    fn drop(&mut self) {
        self.kill_daemon();
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Ends the connection to a board.
pub(super) async fn disconnect(connection: &Connection, board: &RadioBoard) {
    if !board.hang_up() {
        return;
    }
    remove_services(connection, board).await;
    announce(connection, &board.path(), "org.bluez.Device1", "ServicesResolved", false).await;
    announce(connection, &board.path(), "org.bluez.Device1", "Connected", false).await;
}

/// Lets boards be discovered, send and receive, until bluetoothd ends.
async fn air(connection: Connection, world: Arc<World>) {
    while !connection.is_closed() {
        let is_discovering = world.state.lock().unwrap().is_discovering;
        for board in world.boards() {
            let is_found = {
                let mut state = board.state();
                let is_found = is_discovering && state.is_in_range && !state.is_known;
                state.is_known |= is_found;
                is_found
            };
            if is_found {
                serve_device(&connection, &world, &board).await;
            }
            for (characteristic, value) in board.transmit() {
                announce(&connection, &characteristic, "org.bluez.GattCharacteristic1", "Value", value).await;
            }
        }
        tokio::time::sleep(AIR).await;
    }
}
