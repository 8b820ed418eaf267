//! Reads games again of which events were missing.

use super::Receiver;
use crate::hall::subject;
use async_nats::jetstream::consumer::DeliverPolicy;
use async_nats::jetstream::consumer::pull::OrderedConfig;
use async_nats::jetstream::stream::Stream;
use futures_util::StreamExt;
use std::time::Duration;
use tracing::debug;

/// Largest number of messages that are read again for one gap.
const MAX_REREAD: usize = 100_000;

impl Receiver {
    /// Reads the games again of which events were missing.
    pub(super) async fn read_gaps(&mut self, stream: &Stream) {
        for gap in self.ingest.take_gaps() {
            let subject = subject::events(&self.registry.hall, &gap.machine, &gap.journal, gap.game);
            debug!("reading {subject} again");
            let config =
                OrderedConfig { filter_subject: subject, deliver_policy: DeliverPolicy::All, ..OrderedConfig::default() };
            let Ok(consumer) = stream.create_consumer(config).await else { return };
            let Ok(mut messages) = consumer.messages().await else { return };
            for _ in 0..MAX_REREAD {
                let Ok(Some(Ok(message))) = tokio::time::timeout(Duration::from_secs(2), messages.next()).await else { break };
                self.take_events(&message);
                if message.info().is_ok_and(|info| info.pending == 0) {
                    break;
                }
            }
        }
    }
}
