/*
 * Preloaded into bluetoothd, so that it accepts `ExchangeMTU = 23`, the smallest MTU of Bluetooth Low Energy. The kernel refuses it for
 * the sockets of GATT over classic Bluetooth, and bluetoothd then uses no adapter at all. Those sockets keep the MTU that they have.
 */
#include <stdint.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SOL_L2CAP = 6, L2CAP_OPTIONS = 1, SMALLEST_MTU = 23 };

int setsockopt(int socket, int level, int name, const void *value, socklen_t length)
{
    /* The first two fields are the MTU of what is sent, and of what is received. */
    const uint16_t *mtu = value;
    if (level == SOL_L2CAP && name == L2CAP_OPTIONS && (mtu[0] == SMALLEST_MTU || mtu[1] == SMALLEST_MTU))
        return 0;
    return syscall(SYS_setsockopt, socket, level, name, value, length);
}
