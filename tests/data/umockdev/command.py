"""The command that sees the devices of a testbed: what stands behind -- in the arguments."""

import os
import shutil
import signal
import subprocess
import sys
import threading


def run(testbed, listen):
    """Runs it while `listen` hears what happens to the devices, passes an end on to it, and ends as it does."""
    child = subprocess.Popen(sys.argv[sys.argv.index("--") + 1 :], stdin=subprocess.DEVNULL)
    signal.signal(signal.SIGTERM, lambda *_: child.terminate())
    threading.Thread(target=listen, daemon=True).start()
    code = None
    while code is None:
        # Not for ever: the signal may come to another thread, and is looked at by this one.
        try:
            code = child.wait(timeout=0.1)
        except subprocess.TimeoutExpired:
            pass
    shutil.rmtree(testbed.get_root_dir(), ignore_errors=True)
    # Threads that serve devices may hold what an orderly end waits for.
    os._exit(code)
