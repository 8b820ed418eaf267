//! A stand-in for Avahi on a private bus: it has settled a name for this machine, or still tries names.

use super::PrivateBus;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use zbus::{Connection, interface};

/// `AVAHI_SERVER_REGISTERING` and `AVAHI_SERVER_RUNNING`, as avahi-common/defs.h has them.
const REGISTERING: i32 = 1;
const RUNNING: i32 = 2;

struct Server {
    name: String,
    state: Arc<AtomicI32>,
}

#[interface(name = "org.freedesktop.Avahi.Server")]
impl Server {
    /// The second question finds the name settled, as when another machine had the first one.
    fn get_state(&self) -> i32 {
        self.state.swap(RUNNING, Ordering::SeqCst)
    }

    fn get_host_name_fqdn(&self) -> String {
        self.name.clone()
    }
}

/// The stand-in, which runs until this is dropped.
pub struct Avahi(#[allow(dead_code)] Connection);

impl Avahi {
    /// Starts Avahi on this bus; this machine gets this name.
    pub async fn start(bus: &PrivateBus, name: &str) -> Avahi {
        let connection = bus.connect().await;
        let server = Server { name: name.to_owned(), state: Arc::new(AtomicI32::new(REGISTERING)) };
        connection.object_server().at("/", server).await.unwrap();
        connection.request_name("org.freedesktop.Avahi").await.unwrap();
        Avahi(connection)
    }
}
