//! Objects with children: `/` and the objects on the way to boards and games.

use super::Stream;
use super::manager::Manager;
use crate::daemon::Source;
use crate::names;
use std::sync::Arc;
use zbus::fdo::{ObjectManager, Properties};
use zbus::object_server::Interface;
use zbus::{OwnedObjectPath, interface};

/// An object with children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Branch {
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

impl Branch {
    /// Returns the objects of a stream, parents first.
    pub fn of(stream: Stream) -> &'static [Branch] {
        match stream {
            Stream::Live => &[Branch::Root, Branch::Org, Branch::Service, Branch::Boards, Branch::Games],
            Stream::Broadcast => &[Branch::Root, Branch::Org, Branch::Service, Branch::Games],
        }
    }

    /// Returns the object path.
    pub fn path(self) -> &'static str {
        match self {
            Branch::Root => "/",
            Branch::Org => "/org",
            Branch::Service => names::ROOT_PATH,
            Branch::Boards => names::BOARDS_PATH,
            Branch::Games => names::GAMES_PATH,
        }
    }

    /// Returns the names of the direct children.
    fn children(self, source: &Source) -> Vec<String> {
        let last = |branch: &Branch| branch.path().rsplit('/').next().unwrap_or_default().to_owned();
        let branches = Branch::of(Stream::of(source));
        match self {
            Branch::Root => vec![last(&Branch::Org)],
            Branch::Org => vec![last(&Branch::Service)],
            Branch::Service => branches.iter().filter(|branch| **branch > Branch::Service).map(last).collect(),
            Branch::Boards => source.read(|state| state.boards.keys().map(ToString::to_string).collect()),
            Branch::Games => source.read(|state| state.games.keys().map(ToString::to_string).collect()),
        }
    }
}

/// The D-Bus object that lists the boards or the games.
pub struct List {
    /// The object.
    pub branch: Branch,
    /// The source to read from.
    pub source: Source,
}

/// Lists the boards (/org/touchmove1/board) or the games (/org/touchmove1/game). Since API version 1.
#[interface(name = "org.touchmove1.List")]
impl List {
    /// The child objects: games by number, boards by name. The ObjectManager announces new and removed ones.
    #[zbus(property(emits_changed_signal = "invalidates"))]
    fn objects(&self) -> Vec<OwnedObjectPath> {
        let path = |name: String| OwnedObjectPath::try_from(format!("{}/{name}", self.branch.path())).ok();
        self.branch.children(&self.source).into_iter().filter_map(path).collect()
    }
}

/// `org.freedesktop.DBus.Introspectable` of an object with children. It describes this object and names its children; zbus's own
/// implementation describes the whole subtree, which grows with every game.
pub struct Introspection {
    /// The object.
    pub branch: Branch,
    /// The source to read from.
    pub source: Source,
}

#[interface(name = "org.freedesktop.DBus.Introspectable", introspection_docs = false)]
impl Introspection {
    #[zbus(out_args("xml_data"))]
    fn introspect(&self) -> String {
        let mut xml = String::from(HEAD);
        self.introspect_to_writer(&mut xml, 2);
        Properties.introspect_to_writer(&mut xml, 2);
        let source = &self.source;
        match (self.branch, source) {
            (Branch::Service, Source::Live(hub)) => {
                ObjectManager.introspect_to_writer(&mut xml, 2);
                Manager { hub: Arc::clone(hub) }.introspect_to_writer(&mut xml, 2);
            }
            (Branch::Service, Source::Public(_)) => ObjectManager.introspect_to_writer(&mut xml, 2),
            (Branch::Boards | Branch::Games, _) => {
                List { branch: self.branch, source: source.clone() }.introspect_to_writer(&mut xml, 2);
            }
            (Branch::Root | Branch::Org, _) => {}
        }
        for child in self.branch.children(source) {
            // Object names contain no character that needs escaping in XML.
            xml.push_str(&format!("  <node name=\"{child}\"/>\n"));
        }
        xml.push_str("</node>\n");
        xml
    }
}

/// The start of every description. It includes org.freedesktop.DBus.Peer, which zbus adds to every object.
const HEAD: &str = "\
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
