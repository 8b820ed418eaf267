"""Poses as boards over Bluetooth: peripheral.py COMMANDS ADAPTER=MODEL=PORT=NAME…

Each board has an adapter, which advertises it by this name, and a port: the pseudo-terminal of a virtual board. What the virtual board
sends is notified, or sent on the serial port of classic Bluetooth; what is received is written to the port. While nobody listens, the
port is not read. Commands are lines of the FIFO COMMANDS: `rename ADAPTER NAME`.
"""

import collections
import fcntl
import os
import socket
import sys
import termios

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

BLUEZ = "org.bluez"
ADAPTER = "org.bluez.Adapter1"
CHARACTERISTIC = "org.bluez.GattCharacteristic1"
PROPERTIES = "org.freedesktop.DBus.Properties"
# bluetoothd registers a UUID only once, and touchmoved registers the serial port's. The boards' side therefore uses a UUID of its own; only
# its service record names the serial port.
PROFILE = "b5f90000-2877-41c3-b46e-cf057c562023"
SERIAL_PORT_RECORD = """<?xml version="1.0" encoding="UTF-8"?>
<record>
  <attribute id="0x0001"><sequence><uuid value="0x1101"/></sequence></attribute>
  <attribute id="0x0004">
    <sequence>
      <sequence><uuid value="0x0100"/></sequence>
      <sequence><uuid value="0x0003"/><uint8 value="0x01"/></sequence>
    </sequence>
  </attribute>
  <attribute id="0x0005"><sequence><uuid value="0x1002"/></sequence></attribute>
  <attribute id="0x0100"><text value="Serial Port"/></attribute>
</record>
"""
# Time between two packets that are written to a port, in milliseconds: the virtual board reads each of them alone.
WRITE_INTERVAL = 30
# Time between attempts to reach BlueZ, in milliseconds.
RETRY_INTERVAL = 500
ALREADY_EXISTS = "org.bluez.Error.AlreadyExists"
# Opcode, handle and length, which precede each value in a Multiple Handle Value Notification. BlueZ truncates longer values.
HEADER_BYTES = 5
NO_OPTIONS = dbus.Dictionary({}, signature="sv")

# A characteristic: its service, its own UUID, and whether it notifies or is written to.
Channel = collections.namedtuple("Channel", "service uuid flags")
NOTIFY = ["notify"]
WRITE = ["write", "write-without-response"]

NORDIC = "6e40000{}-b5a3-f393-e0a9-e50e24dcca9e"
NORDIC_UART = [Channel(NORDIC.format(1), NORDIC.format(3), NOTIFY), Channel(NORDIC.format(1), NORDIC.format(2), WRITE)]
OWN = "1b7e82{}-2877-41c3-b46e-cf057c562023"
CHESSNUT = [
    Channel(OWN.format(61), OWN.format(62), NOTIFY),
    Channel(OWN.format(71), OWN.format(73), NOTIFY),
    Channel(OWN.format(71), OWN.format(72), WRITE),
]
SHORT = "0000{}-0000-1000-8000-00805f9b34fb"
STAUNTON = [Channel(SHORT.format("ffe0"), SHORT.format("ffe1"), NOTIFY + WRITE)]
CPP = "f535{}-b2c9-11ec-{}"
CPP_SERVICE = CPP.format("1050", "a0c0-b3bc53b08d33")
SELF_BUILT = [
    Channel(CPP_SERVICE, CPP.format("13ca", "a0c1-639b8957db99"), NOTIFY),
    Channel(CPP_SERVICE, CPP.format("147e", "a0c2-8bbd706ec4e6"), WRITE),
]
# The characteristics of each model; None: the serial port of classic Bluetooth.
MODELS = {
    "certabo": NORDIC_UART,
    "cerno": NORDIC_UART,
    "sentio": NORDIC_UART,
    "ichessone": NORDIC_UART,
    "pegasus": NORDIC_UART,
    "chessup": NORDIC_UART,
    "square-off": NORDIC_UART,
    "chessnut": CHESSNUT,
    "chessnut-move": CHESSNUT,
    "staunton": STAUNTON,
    "cpp": SELF_BUILT,
    "dgt": None,
    "millennium": None,
}


def say(text):
    print(text, flush=True)


class Object(dbus.service.Object):
    """An object with the properties of one interface."""

    def __init__(self, bus, path, interface, properties):
        super().__init__(bus, path)
        self.path, self.interface = path, interface
        self.properties = dbus.Dictionary(properties, signature="sv")

    @dbus.service.method(PROPERTIES, in_signature="s", out_signature="a{sv}")
    def GetAll(self, _interface):
        return self.properties


class Characteristic(Object):
    """A characteristic; BlueZ requests a socket for its notifications."""

    def __init__(self, board, path, service, channel):
        properties = {
            "UUID": channel.uuid,
            "Service": dbus.ObjectPath(service),
            "Flags": dbus.Array(channel.flags, signature="s"),
        }
        if "notify" in channel.flags:
            properties["NotifyAcquired"] = dbus.Boolean(False)
        super().__init__(board.bus, path, CHARACTERISTIC, properties)
        self.board, self.channel, self.socket, self.mtu = board, channel, None, 0

    @dbus.service.method(CHARACTERISTIC, in_signature="a{sv}", out_signature="hq")
    def AcquireNotify(self, options):
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket, self.mtu = ours, int(options["mtu"])
        GLib.io_add_watch(ours.fileno(), GLib.IO_HUP | GLib.IO_ERR, self.hung_up, ours)
        self.board.listen()
        return dbus.types.UnixFd(theirs), dbus.UInt16(self.mtu)

    def hung_up(self, _fd, _condition, which):
        if self.socket is which:
            self.socket = None
            self.board.listen()
        which.close()
        return False

    @dbus.service.method(CHARACTERISTIC, in_signature="aya{sv}")
    def WriteValue(self, value, _options):
        self.board.received(bytes(value))


class Application(dbus.service.Object):
    """The services of a board."""

    def __init__(self, bus, path, objects):
        super().__init__(bus, path)
        self.objects = objects

    @dbus.service.method("org.freedesktop.DBus.ObjectManager", out_signature="a{oa{sa{sv}}}")
    def GetManagedObjects(self):
        return {dbus.ObjectPath(known.path): {known.interface: known.properties} for known in self.objects}


class Advertisement(Object):
    """What a board advertises."""

    @dbus.service.method("org.bluez.LEAdvertisement1")
    def Release(self):
        pass


class Board:
    """A board: the port of a virtual board, and the sockets of the program that reads it."""

    def __init__(self, bus, adapter, model, port, name):
        self.bus, self.adapter, self.model, self.name = bus, f"/org/bluez/{adapter}", model, name
        self.id = adapter
        self.port = os.open(port, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        self.writes, self.is_writing = collections.deque(), False
        self.watch = None
        self.stream = None
        self.is_registered = False
        self.channels = MODELS[model]
        root = f"/boards/{adapter}"
        if self.channels:
            services = list(dict.fromkeys(channel.service for channel in self.channels))
            paths = {service: f"{root}/service{number}" for number, service in enumerate(services)}
            objects = [
                Object(bus, path, "org.bluez.GattService1", {"UUID": service, "Primary": dbus.Boolean(True)})
                for service, path in paths.items()
            ]
            self.characteristics = [
                Characteristic(self, f"{paths[channel.service]}/char{number}", paths[channel.service], channel)
                for number, channel in enumerate(self.channels)
            ]
            self.application = Application(bus, root, objects + self.characteristics)
            # One service: two would be too long.
            advertised = {"Type": "peripheral", "ServiceUUIDs": dbus.Array(services[:1], signature="s"), "LocalName": name}
            self.advertisement = Advertisement(bus, f"{root}/advertisement", "org.bluez.LEAdvertisement1", advertised)

    def proxy(self, interface):
        return dbus.Interface(self.bus.get_object(BLUEZ, self.adapter, introspect=False), interface)

    def set(self, key, value):
        self.proxy(PROPERTIES).Set(ADAPTER, key, value)

    def register(self):
        """Switches the adapter on, and advertises the board; done again after BlueZ was restarted."""
        self.set("Powered", dbus.Boolean(True, variant_level=1))
        self.set("Alias", dbus.String(self.name, variant_level=1))
        self.is_registered = True
        if self.channels:
            # BlueZ asks for the objects before it replies.
            manager, path = self.proxy("org.bluez.GattManager1"), dbus.ObjectPath(f"/boards/{self.id}")
            manager.RegisterApplication(path, NO_OPTIONS, reply_handler=self.advertise, error_handler=self.fail)
        else:
            self.set("DiscoverableTimeout", dbus.UInt32(0, variant_level=1))
            self.set("Discoverable", dbus.Boolean(True, variant_level=1))
            self.set("Pairable", dbus.Boolean(True, variant_level=1))
            self.report()

    def advertise(self):
        manager, path = self.proxy("org.bluez.LEAdvertisingManager1"), dbus.ObjectPath(self.advertisement.path)
        manager.RegisterAdvertisement(path, NO_OPTIONS, reply_handler=self.report, error_handler=self.fail)

    def report(self):
        say(f"{self.id}: {self.model} is advertised as {self.name}")

    def fail(self, error):
        if error.get_dbus_name() != ALREADY_EXISTS:
            say(f"{self.id}: {error}")
            self.is_registered = False

    def rename(self, name):
        self.name = name
        self.set("Alias", dbus.String(name, variant_level=1))
        if self.channels:
            self.proxy("org.bluez.LEAdvertisingManager1").UnregisterAdvertisement(dbus.ObjectPath(self.advertisement.path))
            self.advertisement.properties["LocalName"] = name
            self.advertise()

    def received(self, packet):
        """Passes on what the program has sent."""
        self.writes.append(packet)
        if not self.is_writing:
            self.is_writing = self.write_next()
            if self.is_writing:
                GLib.timeout_add(WRITE_INTERVAL, self.write_next)

    def write_next(self):
        if not self.writes:
            self.is_writing = False
            return False
        os.write(self.port, self.writes.popleft())
        return True

    def open_stream(self, stream):
        """Takes over the serial port that BlueZ has accepted."""
        self.stream = stream
        os.set_blocking(stream, False)
        GLib.io_add_watch(stream, GLib.IO_IN | GLib.IO_HUP | GLib.IO_ERR, self.read_stream)
        self.listen()

    def read_stream(self, stream, _condition):
        try:
            data = os.read(stream, 512)
        except BlockingIOError:
            return True
        except OSError:
            data = b""
        if data:
            self.received(data)
            return True
        os.close(stream)
        if self.stream == stream:
            self.stream = None
            self.listen()
        return False

    def is_heard(self):
        if not self.channels:
            return self.stream is not None
        notifying = (known for known in self.characteristics if "notify" in known.channel.flags)
        return all(known.socket for known in notifying)

    def listen(self):
        """Reads the port if somebody listens."""
        if self.is_heard() and self.watch is None:
            # What was sent meanwhile is lost, as in the air.
            lost = fcntl.ioctl(self.port, termios.FIONREAD, b"\0\0\0\0")
            termios.tcflush(self.port, termios.TCIFLUSH)
            self.watch = GLib.io_add_watch(self.port, GLib.IO_IN, self.read_port)
            say(f"{self.id}: somebody listens; {int.from_bytes(lost, sys.byteorder)} bytes are lost")
        elif not self.is_heard() and self.watch is not None:
            GLib.source_remove(self.watch)
            self.watch = None
            say(f"{self.id}: nobody listens")

    def read_port(self, _fd, _condition):
        try:
            packet = os.read(self.port, 4096)
        except BlockingIOError:
            return True
        try:
            self.send(packet)
        except OSError as error:
            say(f"{self.id}: {len(packet)} bytes are lost: {error}")
        return True

    def send(self, packet):
        if self.stream is not None:
            os.set_blocking(self.stream, True)
            os.write(self.stream, packet)
            os.set_blocking(self.stream, False)
            return
        notifying = [known for known in self.characteristics if "notify" in known.channel.flags]
        # A Chessnut sends its squares on one characteristic, and its replies on the other.
        channel = notifying[-1] if len(notifying) > 1 and packet[0] != 1 else notifying[0]
        longest = channel.mtu - HEADER_BYTES
        for start in range(0, len(packet), longest):
            channel.socket.send(packet[start : start + longest])


class SerialPort(dbus.service.Object):
    """The serial port of classic Bluetooth, on all adapters."""

    def __init__(self, bus, boards):
        super().__init__(bus, "/boards/serial")
        self.bus, self.boards, self.is_registered = bus, boards, False

    def register(self):
        manager = dbus.Interface(self.bus.get_object(BLUEZ, "/org/bluez", introspect=False), "org.bluez.ProfileManager1")
        options = {
            "Name": "Serial Port",
            "Role": "server",
            "Channel": dbus.UInt16(1),
            "ServiceRecord": SERIAL_PORT_RECORD,
            "RequireAuthentication": dbus.Boolean(False),
            "RequireAuthorization": dbus.Boolean(False),
        }
        options = dbus.Dictionary(options, signature="sv")
        manager.RegisterProfile(dbus.ObjectPath("/boards/serial"), PROFILE, options)
        self.is_registered = True

    @dbus.service.method("org.bluez.Profile1", in_signature="oha{sv}")
    def NewConnection(self, device, stream, _properties):
        board = next((board for board in self.boards if device.startswith(f"{board.adapter}/")), None)
        if board is not None:
            board.open_stream(stream.take())

    @dbus.service.method("org.bluez.Profile1", in_signature="o")
    def RequestDisconnection(self, _device):
        pass

    @dbus.service.method("org.bluez.Profile1")
    def Release(self):
        pass


class Agent(dbus.service.Object):
    """Accepts every pairing."""

    def __init__(self, bus):
        super().__init__(bus, "/boards/agent")
        self.bus, self.is_registered = bus, False

    def register(self):
        manager = dbus.Interface(self.bus.get_object(BLUEZ, "/org/bluez", introspect=False), "org.bluez.AgentManager1")
        try:
            manager.RegisterAgent(dbus.ObjectPath("/boards/agent"), "NoInputNoOutput")
        except dbus.DBusException as error:
            if error.get_dbus_name() != ALREADY_EXISTS:
                raise
        manager.RequestDefaultAgent(dbus.ObjectPath("/boards/agent"))
        self.is_registered = True

    @dbus.service.method("org.bluez.Agent1", in_signature="o", out_signature="s")
    def RequestPinCode(self, _device):
        return "0000"

    @dbus.service.method("org.bluez.Agent1", in_signature="ou")
    def RequestConfirmation(self, _device, _passkey):
        pass

    @dbus.service.method("org.bluez.Agent1", in_signature="o")
    def RequestAuthorization(self, _device):
        pass

    @dbus.service.method("org.bluez.Agent1", in_signature="os")
    def AuthorizeService(self, _device, _uuid):
        pass

    @dbus.service.method("org.bluez.Agent1")
    def Cancel(self):
        pass


def main():
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    bus = dbus.SystemBus()
    boards = [Board(bus, *argument.split("=")) for argument in sys.argv[2:]]
    registered = list(boards)
    if any(not board.channels for board in boards):
        registered = [Agent(bus), SerialPort(bus, boards)] + registered

    def owner_changed(*_):
        for known in registered:
            known.is_registered = False

    def register():
        for known in registered:
            if not known.is_registered:
                try:
                    known.register()
                except dbus.DBusException as error:
                    # What was registered before the signal came that BlueZ is back.
                    if error.get_dbus_name() == ALREADY_EXISTS:
                        known.is_registered = True
                        continue
                    say(f"not yet: {error}")
                    break
        return True

    commands = os.open(sys.argv[1], os.O_RDWR)

    def command(_fd, _condition):
        for line in os.read(commands, 4096).decode().splitlines():
            word, adapter, name = line.split(" ", 2)
            board = next(board for board in boards if board.id == adapter)
            if word == "rename":
                board.rename(name)
        return True

    bus.add_signal_receiver(owner_changed, "NameOwnerChanged", arg0=BLUEZ)
    GLib.io_add_watch(commands, GLib.IO_IN, command)
    GLib.timeout_add(RETRY_INTERVAL, register)
    GLib.MainLoop().run()


main()
