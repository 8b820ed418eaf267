//! Files as bodies of responses: read in pieces, as fast as the client receives them.

use axum::body::{Body, Bytes};
use futures_util::stream;
use std::fs::File;
use std::io::{self, Read};
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;

/// How much is read at once, in bytes, and how many of these pieces wait for the client.
const PIECE: (usize, usize) = (64 << 10, 4);

/// Returns a body with the content of a file, which is read on a thread of its own. `held` is dropped when that ends.
pub(super) fn file_body(mut file: File, held: impl Send + 'static) -> Body {
    let (sender, receiver) = mpsc::channel::<io::Result<Bytes>>(PIECE.1);
    spawn_blocking(move || {
        let _held = held;
        loop {
            let mut piece = vec![0; PIECE.0];
            let read = match file.read(&mut piece) {
                Ok(0) => return,
                Ok(count) => {
                    piece.truncate(count);
                    Ok(piece.into())
                }
                Err(error) => Err(error),
            };
            let is_last = read.is_err();
            // The client has disconnected if nobody receives.
            if sender.blocking_send(read).is_err() || is_last {
                return;
            }
        }
    });
    Body::from_stream(stream::unfold(receiver, async |mut receiver| Some((receiver.recv().await?, receiver))))
}
