"""A fake USB serial board: umockdev-wrapper /usr/bin/python3 board.py VENDOR PRODUCT NODE silent|answers|driverless -- COMMAND

COMMAND sees the device in udev, and a serial port that answers DGT's request for all squares, or nothing.
"""

import os
import struct
import subprocess
import sys
import threading
import tty

import gi

gi.require_version("UMockdev", "1.0")
from gi.repository import UMockdev

sys.dont_write_bytecode = True
from terminal import Terminal

vendor, product, node, manner = sys.argv[1:5]
usb = "/devices/pci0000:00/0000:00:14.0/usb1/1-2"
driver = "cdc_acm" if "ACM" in node else "ftdi_sio"
description = f"""P: {usb}
N: bus/usb/001/005
E: SUBSYSTEM=usb
E: DEVTYPE=usb_device
E: BUSNUM=001
E: DEVNUM=005
A: busnum=1
A: devnum=5
A: idVendor={vendor}
A: idProduct={product}
A: serial=TEST12345
A: product=Board under test
"""
if manner != "driverless":
    description += f"""
P: {usb}/1-2:1.0
E: SUBSYSTEM=usb
E: DEVTYPE=usb_interface
L: driver=../../../../../../bus/usb/drivers/{driver}

P: {usb}/1-2:1.0/tty/{node}
N: {node}
E: SUBSYSTEM=tty
E: DEVNAME=/dev/{node}
E: DEVLINKS=/dev/serial/by-id/usb-Board_under_test
"""


def answer(master):
    while True:
        try:
            asked = os.read(master, 64)
        except OSError:
            return
        if b"\x42" in asked:
            back = bytes([8, 9, 10, 12, 11, 10, 9, 8] + [7] * 8)
            front = bytes([1] * 8 + [2, 3, 4, 6, 5, 4, 3, 2])
            os.write(master, bytes([0x86, 0, 67]) + back + bytes(32) + front)


testbed = UMockdev.Testbed.new()
testbed.add_from_string(description)
if manner != "driverless":
    master = testbed.get_dev_fd(f"/dev/{node}")
    slave = os.open(f"/dev/{node}", os.O_RDWR | os.O_NOCTTY)  # held, so that reading the master is no error
    tty.setraw(slave)
    terminal = Terminal()
    testbed.attach_ioctl(f"/dev/{node}", terminal)
    if manner == "answers":
        threading.Thread(target=answer, args=(master,), daemon=True).start()
sys.exit(subprocess.run(sys.argv[sys.argv.index("--") + 1 :]).returncode)
