//! Objects with children: `/` and the objects on the way to boards and games.

use super::Stream;
use super::administrator::AdministratorObject;
use super::manager::ManagerObject;
use crate::daemon::Source;
use crate::names;
use std::sync::Arc;
use zbus::fdo::{ObjectManager, Properties};
use zbus::object_server::Interface;
use zbus::{OwnedObjectPath, interface};

/// An object with children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ParentObject {
    /// `/`
    Root,
    /// `/org`
    Org,
    /// [`names::ROOT_PATH`]
    Service,
    /// The parent of the boards.
    Boards,
    /// The parent of the games.
    Games,
}

impl ParentObject {
    /// Returns the objects of a stream, parents first.
    pub(super) fn of(stream: Stream) -> &'static [ParentObject] {
        match stream {
            Stream::Live | Stream::Operator => {
                &[ParentObject::Root, ParentObject::Org, ParentObject::Service, ParentObject::Boards, ParentObject::Games]
            }
            Stream::Broadcast => &[ParentObject::Root, ParentObject::Org, ParentObject::Service, ParentObject::Games],
        }
    }

    /// Returns the object path.
    pub(super) fn path(self) -> &'static str {
        match self {
            ParentObject::Root => "/",
            ParentObject::Org => "/org",
            ParentObject::Service => names::ROOT_PATH,
            ParentObject::Boards => names::BOARDS_PATH,
            ParentObject::Games => names::GAMES_PATH,
        }
    }

    /// Returns the names of the direct children.
    fn children(self, source: &Source, stream: Stream) -> Vec<String> {
        let last = |branch: &ParentObject| branch.path().rsplit('/').next().unwrap_or_default().to_owned();
        let branches = ParentObject::of(stream);
        match self {
            ParentObject::Root => vec![last(&ParentObject::Org)],
            ParentObject::Org => vec![last(&ParentObject::Service)],
            ParentObject::Service => branches.iter().filter(|branch| **branch > ParentObject::Service).map(last).collect(),
            ParentObject::Boards => source.read(|state| state.boards.keys().map(ToString::to_string).collect()),
            ParentObject::Games => source.read(|state| state.games.keys().map(ToString::to_string).collect()),
        }
    }
}

/// The D-Bus object that lists the boards or the games.
pub(super) struct ListObject {
    /// The object.
    pub branch: ParentObject,
    /// The source to read from.
    pub source: Source,
    /// The stream on which the object is.
    pub stream: Stream,
}

/// Lists the boards (/org/touchmove1/board) or the games (/org/touchmove1/game). Since API version 1.
#[interface(name = "org.touchmove1.List")]
impl ListObject {
    /// The child objects: games by number, boards by name. The ObjectManager announces new and removed ones.
    #[zbus(property(emits_changed_signal = "invalidates"))]
    fn objects(&self) -> Vec<OwnedObjectPath> {
        let path = |name: String| OwnedObjectPath::try_from(format!("{}/{name}", self.branch.path())).ok();
        self.branch.children(&self.source, self.stream).into_iter().filter_map(path).collect()
    }
}

/// `org.freedesktop.DBus.Introspectable` of an object with children. It describes this object and names its children; zbus's own
/// implementation describes the whole subtree, which grows with every game.
pub(super) struct IntrospectableObject {
    /// The object.
    pub branch: ParentObject,
    /// The source to read from.
    pub source: Source,
    /// The stream on which the object is.
    pub stream: Stream,
    /// The interface for the administrator, if the service has one.
    pub administrator: Option<AdministratorObject>,
}

#[interface(name = "org.freedesktop.DBus.Introspectable", introspection_docs = false)]
impl IntrospectableObject {
    #[zbus(out_args("xml_data"))]
    fn introspect(&self) -> String {
        let mut xml = String::from(INTROSPECTION_HEADER);
        self.introspect_to_writer(&mut xml, 2);
        Properties.introspect_to_writer(&mut xml, 2);
        let source = &self.source;
        match (self.branch, source) {
            (ParentObject::Service, Source::Live(hub)) => {
                ObjectManager.introspect_to_writer(&mut xml, 2);
                ManagerObject { hub: Arc::clone(hub), stream: self.stream }.introspect_to_writer(&mut xml, 2);
                if let Some(administrator) = &self.administrator {
                    administrator.introspect_to_writer(&mut xml, 2);
                }
            }
            (ParentObject::Service, Source::Public(_)) => ObjectManager.introspect_to_writer(&mut xml, 2),
            (ParentObject::Boards | ParentObject::Games, _) => {
                ListObject { branch: self.branch, source: source.clone(), stream: self.stream }
                    .introspect_to_writer(&mut xml, 2);
            }
            (ParentObject::Root | ParentObject::Org, _) => {}
        }
        for child in self.branch.children(source, self.stream) {
            // Object names contain no character that needs escaping in XML.
            xml.push_str(&format!("  <node name=\"{child}\"/>\n"));
        }
        xml.push_str("</node>\n");
        xml
    }
}

/// The start of every description. It includes org.freedesktop.DBus.Peer, which zbus adds to every object.
const INTROSPECTION_HEADER: &str = "\
<!DOCTYPE node PUBLIC \"-//freedesktop//DTD D-BUS Object Introspection 1.0//EN\"
 \"http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd\">
<node>
  <interface name=\"org.freedesktop.DBus.Peer\">
    <method name=\"Ping\">
    </method>
    <method name=\"GetMachineId\">
      <arg type=\"s\" direction=\"out\"/>
    </method>
  </interface>
";
