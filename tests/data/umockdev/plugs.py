"""Boards that are plugged in and out: umockdev-wrapper /usr/bin/python3 plugs.py LOG [LINE]... -- COMMAND

COMMAND sees what these lines plug in, and those on standard input (PATH is a USB socket such as 1-2; SERIAL may be -, for none):

    hid PATH DEVNUM SERIAL                   a Chessnut: interface 0 is a keyboard's, 1 is the board; both have a kernel driver
    tty PATH DEVNUM NODE SERIAL IDS [HEX]    a DGT board on USB, with these codes on its squares
    squares PATH HEX                         what stands on the Chessnut: it reports it at once, and then every 200 ms, as long
                                             as it has been told to report
    say PATH HEX                             the DGT board sends these bytes
    empty PATH                               the Chessnut answers a read with nothing
    cut PATH                                 it is unplugged in the middle of a report
    unplug PATH

What is done to a Chessnut is written into LOG, a line each: claim, release, attach (with the interface), out (with the bytes).
"""

import errno
import os
import struct
import sys
import threading
import tty

import gi

gi.require_version("UMockdev", "1.0")
from gi.repository import UMockdev

sys.dont_write_bytecode = True
from command import run
from terminal import Terminal

ROOT = "/devices/pci0000:00/0000:00:14.0/usb1"


def ioctl(number, direction=0, size=0):
    return (direction << 30) | (size << 16) | (ord("U") << 8) | number


CAPABILITIES, CLAIM, RELEASE = ioctl(26, 2, 4), ioctl(15, 2, 4), ioctl(16, 2, 4)
DISCONNECT_CLAIM, GET_DRIVER, DRIVER_IOCTL = ioctl(27, 2, 264), ioctl(8, 1, 260), ioctl(18, 3, 16)
SUBMIT, DISCARD, REAP, REAP_NOW = ioctl(10, 2, 56), ioctl(11), ioctl(12, 1, 8), ioctl(13, 1, 8)
CONNECT = 0x5517  # what a DRIVER_IOCTL asks for

KEYBOARD = bytes.fromhex("05010906a10105071900299f1500259f750895068100c0")
BOARD = bytes.fromhex("0600ff0901a1018501150026ff007508953f09018102c0")
REPORT_DESCRIPTORS = [KEYBOARD, BOARD]


def interface(number, inward, outward):
    endpoints = [inward] + ([outward] if outward else [])
    hid = struct.pack("<BBHBBBH", 9, 0x21, 0x111, 0, 1, 0x22, len(REPORT_DESCRIPTORS[number]))
    said = bytes([9, 4, number, 0, len(endpoints), 3, 0, 0, 0]) + hid
    return said + b"".join(bytes([7, 5, endpoint, 3, 64, 0, 1]) for endpoint in endpoints)


DEVICE = bytes([18, 1, 0, 2, 0, 0, 0, 64, 0x80, 0x2D, 0x02, 0x80, 0, 1, 0, 0, 0, 1])
INTERFACES = interface(0, 0x81, None) + interface(1, 0x82, 0x02)
CONFIGURATION = bytes([9, 2]) + struct.pack("<H", 9 + len(INTERFACES)) + bytes([2, 1, 0, 0x80, 50]) + INTERFACES


class Chessnut(UMockdev.IoctlBase):
    """The device file of a Chessnut board: what libusb asks the kernel for, answered."""

    def __init__(self, path):
        super().__init__()
        self.path, self.lock = path, threading.RLock()
        self.pending, self.done, self.reports = [], [], []
        self.squares, self.reporting, self.gone = None, False, False

    def report(self):
        with self.lock:
            if self.squares and self.reporting and len(self.reports) < 4:
                self.push((b"\x01\x3d" + self.squares).ljust(63, b"\0"))

    def push(self, report):
        with self.lock:
            self.reports.append(report)
            self.pump()

    def pump(self):
        while self.reports and (urb := next((urb for urb in self.pending if urb["endpoint"] == 0x82), None)):
            self.pending.remove(urb)
            report = self.reports.pop(0)
            if report:
                urb["buffer"].update(0, report[: urb["length"]])
            self.finish(urb, 0, len(report))

    def finish(self, urb, status, length):
        urb["urb"].update(4, struct.pack("<i", status))
        urb["urb"].update(28, struct.pack("<i", length))
        self.done.append(urb)

    def cut(self):
        with self.lock:
            for urb in self.pending:
                urb["buffer"].update(0, (b"\x01\x3d" + (self.squares or b""))[:20])
                self.finish(urb, -errno.EPROTO, 20)
            self.pending, self.gone = [], True

    def take(self, report):
        log("out", self.path, report.hex())
        if report == b"\x21\x01\x00":
            self.reporting = True
            self.report()
        elif report == b"\x29\x01\x00":
            self.push(b"\x2a\x02\x58\x00")

    def do_handle_ioctl(self, client):
        with self.lock:
            return self.answer(client, client.get_request() & 0xFFFFFFFF)

    def answer(self, client, request):
        if self.gone and not (request in (REAP, REAP_NOW) and self.done):
            client.complete(-1, errno.ENODEV)
        elif request == CAPABILITIES:
            client.get_arg().resolve(0, 4).update(0, struct.pack("<I", 0x1D))
            client.complete(0, 0)
        elif request in (CLAIM, RELEASE, DISCONNECT_CLAIM):
            number = struct.unpack("<I", bytes(client.get_arg().resolve(0, 4).retrieve()[:4]))[0]
            log({CLAIM: "claim", RELEASE: "release", DISCONNECT_CLAIM: "detach"}[request], self.path, number)
            client.complete(0, 0)
        elif request == DRIVER_IOCTL:
            number, what = struct.unpack("<II", bytes(client.get_arg().resolve(0, 16).retrieve()[:8]))
            log("attach" if what == CONNECT else "driver", self.path, number)
            client.complete(1, 0)
        elif request == SUBMIT:
            self.submit(client)
        elif request in (REAP, REAP_NOW):
            if self.done:
                client.get_arg().resolve(0, 8).set_ptr(0, self.done.pop(0)["urb"])
                client.complete(0, 0)
            else:
                client.complete(-1, errno.EAGAIN)
        elif request == DISCARD:
            address = struct.unpack("<Q", bytes(client.get_arg().retrieve()[:8]))[0]
            urb = next((urb for urb in self.pending if urb["address"] == address), None)
            if urb:
                self.pending.remove(urb)
                self.finish(urb, -errno.ENOENT, 0)
            client.complete(0 if urb else -1, 0 if urb else errno.EINVAL)
        else:
            client.complete(-1, errno.ENOTTY)
        return True

    def submit(self, client):
        # Read before it is resolved, which puts a pointer of this process in its place.
        address = struct.unpack("<Q", bytes(client.get_arg().retrieve()[:8]))[0]
        data = client.get_arg().resolve(0, 56)
        raw = bytes(data.retrieve())
        kind, endpoint, length = raw[0], raw[1], struct.unpack_from("<i", raw, 24)[0]
        buffer = data.resolve(16, length) if length else None
        urb = {"urb": data, "endpoint": endpoint, "buffer": buffer, "length": length, "address": address}
        report = None
        if kind == 2:
            setup = struct.unpack_from("<BBHHH", bytes(buffer.retrieve()))
            answer = None
            if setup[:3] == (0x81, 6, 0x2200):
                answer = REPORT_DESCRIPTORS[setup[3]]
            elif setup[:2] == (0x80, 6):
                answer = {1: DEVICE, 2: CONFIGURATION}.get(setup[2] >> 8)
            if answer is None:
                self.finish(urb, -errno.EPIPE, 0)
            else:
                answer = answer[: setup[4]]
                buffer.update(8, answer)
                self.finish(urb, 0, len(answer))
        elif endpoint & 0x80:
            self.pending.append(urb)
        else:
            report = bytes(buffer.retrieve())
            self.finish(urb, 0, length)
        client.complete(0, 0)
        if report is not None:
            self.take(report)
        self.pump()


class Dgt:
    """A DGT board on a pseudo-terminal."""

    def __init__(self, node, squares):
        self.node = node
        back, front = bytes([8, 9, 10, 12, 11, 10, 9, 8] + [7] * 8), bytes([1] * 8 + [2, 3, 4, 6, 5, 4, 3, 2])
        self.squares = squares or back + bytes(32) + front
        self.master = os.dup(testbed.get_dev_fd(node))
        slave = os.open(node, os.O_RDWR | os.O_NOCTTY)  # held, so that reading the master is no error
        tty.setraw(slave)
        self.slave = slave
        self.stopped = False
        self.thread = threading.Thread(target=self.answer, daemon=True)
        self.thread.start()

    def stop(self):
        # A file that somebody reads is not closed: it is woken first, with a byte that is no command.
        self.stopped = True
        os.write(self.slave, b"\0")
        self.thread.join()
        os.close(self.slave)
        # The testbed's own end too: the last one that is closed is the cable.
        os.close(testbed.get_dev_fd(self.node))
        os.close(self.master)

    def answer(self):
        while True:
            asked = os.read(self.master, 64)
            if self.stopped:
                return
            if b"\x42" in asked:
                os.write(self.master, b"\x86\x00\x43" + self.squares)


def log(*words):
    print(*words, file=log_file, flush=True)


def describe(path, number, vendor, product, serial, extra):
    named = "" if serial == "-" else f"A: serial={serial}\n"
    return f"""P: {ROOT}/{path}
N: bus/usb/001/{number:03}
E: SUBSYSTEM=usb
E: DEVTYPE=usb_device
E: BUSNUM=001
E: DEVNUM={number:03}
E: DEVNAME=/dev/bus/usb/001/{number:03}
E: MAJOR=189
E: MINOR={number - 1}
A: busnum=1
A: devnum={number}
A: speed=12
A: bConfigurationValue=1
A: idVendor={vendor}
A: idProduct={product}
{named}{extra}
"""


def plug(words):
    kind, path, number = words[0], words[1], int(words[2])
    if kind == "hid":
        # First what answers: once the device is there it is opened.
        board = Chessnut(path)
        testbed.attach_ioctl(f"/dev/bus/usb/001/{number:03}", board)
        testbed.add_from_string(
            describe(path, number, "2d80", "8002", words[3], f"H: descriptors={(DEVICE + CONFIGURATION).hex().upper()}\n")
        )
        boards[path] = (board, [f"{ROOT}/{path}"])
    else:
        node, serial, (vendor, product) = words[3], words[4], words[5].split(":")
        port = f"{ROOT}/{path}/{path}:1.0/tty/{node}"
        terminals[node] = Terminal()
        testbed.attach_ioctl(f"/dev/{node}", terminals[node])
        testbed.add_from_string(
            describe(path, number, vendor, product, serial, "")
            + f"""
P: {ROOT}/{path}/{path}:1.0
E: SUBSYSTEM=usb
E: DEVTYPE=usb_interface

P: {port}
N: {node}
E: SUBSYSTEM=tty
E: DEVNAME=/dev/{node}
E: MAJOR=166
E: MINOR={number}
"""
        )
        squares = bytes.fromhex(words[6]) if len(words) > 6 else None
        boards[path] = (Dgt(f"/dev/{node}", squares), [port, f"{ROOT}/{path}/{path}:1.0", f"{ROOT}/{path}"])


def unplug(path):
    board, devices = boards.pop(path)
    for device in devices:
        testbed.uevent("/sys" + device, "remove")
    if isinstance(board, Chessnut):
        board.gone = True
    else:
        testbed.detach_ioctl(board.node)
        board.stop()
    for device in devices:
        testbed.remove_device("/sys" + device)


def obey(line):
    words = line.split()
    if words[0] in ("hid", "tty"):
        return plug(words)
    if words[0] == "unplug":
        return unplug(words[1])
    board = boards[words[1]][0]
    if words[0] == "squares":
        board.squares = bytes.fromhex(words[2])
        board.report()
    elif words[0] == "say":
        os.write(board.master, bytes.fromhex(words[2]))
    elif words[0] == "empty":
        board.push(b"")
    elif words[0] == "cut":
        board.cut()
        unplug(words[1])


def repeat():
    for board, _ in list(boards.values()):
        if isinstance(board, Chessnut) and not board.gone:
            board.report()
    timer = threading.Timer(0.2, repeat)
    timer.daemon = True
    timer.start()


def listen():
    for line in sys.stdin:
        try:
            obey(line)
        except Exception as why:  # told, not hidden: the test waits in vain
            print(f"{line.strip()}: {why!r}", file=sys.stderr, flush=True)


log_file = open(sys.argv[1], "a")
boards, terminals = {}, {}
testbed = UMockdev.Testbed.new()
testbed.add_from_string(
    f"""P: {ROOT}
N: bus/usb/001/001
E: SUBSYSTEM=usb
E: DEVTYPE=usb_device
E: BUSNUM=001
E: DEVNUM=001
E: DEVNAME=/dev/bus/usb/001/001
E: MAJOR=189
E: MINOR=0
A: busnum=1
A: devnum=1
A: speed=480
A: bConfigurationValue=1
A: idVendor=1d6b
A: idProduct=0002
A: serial=0000:00:14.0
H: descriptors={bytes([18, 1, 0, 2, 9, 0, 1, 64, 0x6b, 0x1d, 2, 0, 0, 6, 0, 0, 0, 1]).hex().upper()}{bytes([9, 2, 25, 0, 1, 1, 0, 0xe0, 0, 9, 4, 0, 0, 1, 9, 0, 0, 0, 7, 5, 0x81, 3, 4, 0, 12]).hex().upper()}
"""
)
for line in sys.argv[2 : sys.argv.index("--")]:
    obey(line)
repeat()
run(testbed, listen)
