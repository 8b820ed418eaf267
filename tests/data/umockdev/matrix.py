"""Reed switches on an MCP23017: umockdev-wrapper /usr/bin/python3 matrix.py -- COMMAND

COMMAND sees /dev/i2c-1 with the expander at address 0x20: rows on port A, columns on port B, a diode at every switch. Lines on standard
input:

    closed HEX    these switches are closed: a byte for each row, the lowest bit for the first column
    power         the expander loses its power for a moment: its registers are as its data sheet has them after that
"""

import errno
import struct
import sys
import threading

import gi

gi.require_version("UMockdev", "1.0")
from gi.repository import UMockdev

sys.dont_write_bytecode = True
from command import run

SLAVE, RDWR, PEC = 0x0703, 0x0707, 0x0708
READ = 1
IODIRA, IODIRB, GPPUB, GPIOB, OLATA = 0x00, 0x01, 0x0D, 0x13, 0x14


class Expander(UMockdev.IoctlBase):
    """The bus with one chip on it."""

    def __init__(self):
        super().__init__()
        self.lock, self.closed = threading.Lock(), bytes(8)
        self.power()

    def power(self):
        self.registers, self.pointer = bytearray(0x16), 0
        self.registers[IODIRA] = self.registers[IODIRB] = 0xFF

    def columns(self):
        """What port B shows: a column is low where a closed switch connects it to a row that is driven low."""
        levels = 0xFF if self.registers[GPPUB] == 0xFF else 0x5A
        for row in range(8):
            bit = 1 << row
            if not self.registers[IODIRA] & bit and not self.registers[OLATA] & bit:
                levels &= ~self.closed[row]
        return levels & 0xFF

    def do_handle_ioctl(self, client):
        request = client.get_request() & 0xFFFFFFFF
        if request in (SLAVE, PEC):
            client.complete(0, 0)
        elif request == RDWR:
            with self.lock:
                self.transfer(client)
        else:
            client.complete(-1, errno.ENOTTY)
        return True

    def transfer(self, client):
        data = client.get_arg().resolve(0, 16)
        count = struct.unpack_from("<I", bytes(data.retrieve()), 8)[0]
        messages = data.resolve(0, 16 * count)
        raw = bytes(messages.retrieve())
        for number in range(count):
            address, flags, length = struct.unpack_from("<HHH", raw, 16 * number)
            if address != 0x20:
                return client.complete(-1, errno.EREMOTEIO)
            buffer = messages.resolve(16 * number + 8, length)
            if flags & READ:
                value = self.columns() if self.pointer == GPIOB else self.registers[self.pointer]
                buffer.update(0, bytes([value]) * length)
            else:
                written = bytes(buffer.retrieve())
                self.pointer = written[0] % len(self.registers)
                if length > 1:
                    self.registers[self.pointer] = written[1]
        client.complete(count, 0)


def listen():
    for line in sys.stdin:
        words = line.split()
        with expander.lock:
            if words[0] == "closed":
                expander.closed = bytes.fromhex(words[1])
            elif words[0] == "power":
                expander.power()


testbed, expander = UMockdev.Testbed.new(), Expander()
testbed.attach_ioctl("/dev/i2c-1", expander)
testbed.add_from_string(
    """P: /devices/platform/soc/i2c/i2c-1/i2c-dev/i2c-1
N: i2c-1
E: SUBSYSTEM=i2c-dev
E: DEVNAME=/dev/i2c-1
E: MAJOR=89
E: MINOR=1
"""
)
run(testbed, listen)
