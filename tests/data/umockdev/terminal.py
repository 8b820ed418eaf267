"""What a serial port of a testbed answers to requests of a terminal."""

import struct

import gi

gi.require_version("UMockdev", "1.0")
from gi.repository import UMockdev


class Terminal(UMockdev.IoctlBase):
    """Passes on what a terminal is asked; pseudo-terminals have no modem lines, so those are answered here."""

    def do_handle_ioctl(self, client):
        request = client.get_request() & 0xFFFFFFFF
        if request in (0x5415, 0x5416, 0x5417):  # TIOCMGET, TIOCMBIS, TIOCMBIC
            data = client.get_arg().resolve(0, 4)
            if request == 0x5415:
                data.update(0, struct.pack("<I", 0x160))
            client.complete(0, 0)
            return True
        result = client.execute()
        client.complete(*(result if isinstance(result, tuple) else (result, 0)))
        return True
