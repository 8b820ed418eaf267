//! The subscriptions of the hub at its message server.

use super::position::Position;
use super::{Receiver, presences, storage, streams};
use crate::daemon::steady_clock;
use crate::hall::setup::admission::ALL_REQUESTS;
use crate::hall::subject::{self, ALL_QUESTIONS, Bucket, HALL_KEY};
use async_nats::Subscriber;
use async_nats::jetstream::consumer::DeliverPolicy;
use async_nats::jetstream::consumer::pull::{Ordered, OrderedConfig};
use async_nats::jetstream::stream::Stream;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::sleep;

/// The pause while events are stored, before the streams are opened again.
const STORING_PAUSE: Duration = Duration::from_millis(20);
/// The pause before the role of this hub is checked again.
const ROLE_PAUSE: Duration = Duration::from_millis(200);

/// The subscriptions of the hub.
pub(super) struct Subscriptions {
    pub(super) events: Ordered,
    pub(super) stream: Stream,
    pub(super) boards: Subscriber,
    pub(super) presences: Subscriber,
    pub(super) questions: Subscriber,
    pub(super) joins: Subscriber,
    /// The task that watches the storage of the server. It ends with the other subscriptions.
    _storage: JoinSet<()>,
}

impl Receiver {
    /// Waits until this hub has its role, if it shares that with another one.
    pub(super) async fn wait_for_role(&self) {
        while self.hub.check_role().is_err() {
            sleep(ROLE_PAUSE).await;
        }
    }

    /// Creates what is missing at the server, subscribes, and reads which machines are there.
    ///
    /// # Errors
    /// The server refuses or does not answer; a sentence.
    pub(super) async fn open(&mut self) -> Result<Subscriptions, String> {
        // Another hub may have the role, and another event may have begun there.
        self.wait_for_role().await;
        self.follow_registry();
        let (context, stream) = streams::create(&self.connection, &self.registry).await?;
        // Until then it is not known up to which message everything is on disk.
        while self.kept.storing() > 0 {
            sleep(STORING_PAUSE).await;
        }
        (self.position, self.read) = Position::load(&self.hub, &stream).await?;
        let deliver_policy = DeliverPolicy::ByStartSequence { start_sequence: self.read + 1 };
        let config = OrderedConfig { deliver_policy, ..OrderedConfig::default() };
        let consumer =
            stream.create_consumer(config).await.map_err(|error| format!("the hall's events cannot be read: {error}"))?;
        let events = consumer.messages().await.map_err(|error| format!("the hall's events cannot be read: {error}"))?;
        let client = self.connection.client().clone();
        let subscribe = async |subject: String| {
            client.subscribe(subject).await.map_err(|error| format!("the hall's machines cannot be heard: {error}"))
        };
        let mut watching = JoinSet::new();
        watching.spawn(storage::watch(Arc::clone(&self.hub), context.clone(), stream.clone(), self.registry.clone()));
        let subscriptions = Subscriptions {
            _storage: watching,
            events,
            stream,
            boards: subscribe(subject::all_boards(&self.registry.hall)).await?,
            presences: subscribe(Bucket::Here.all_subjects()).await?,
            questions: subscribe(ALL_QUESTIONS.to_owned()).await?,
            joins: subscribe(ALL_REQUESTS.to_owned()).await?,
        };
        // After the subscription, so that none is missed, and before anything is said of machines.
        presences::read_stored(&self.hub, &mut self.boards, &context).await;
        self.opened_at = Some(steady_clock::now_ms());
        // Machines wait for the name before they send, so it comes last.
        let hall = self.registry.hall.clone().into_bytes();
        self.connection.request(&Bucket::Hall.subject(HALL_KEY), None, hall).await.map_err(|error| error.to_string())?;
        self.kept.mark_all();
        self.hub.mark_all_untold();
        Ok(subscriptions)
    }
}
