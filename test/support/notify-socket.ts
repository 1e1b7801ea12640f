import { dlopen } from 'bun:ffi';

const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const MSG_DONTWAIT = 0x40;

/** A socket that hears what a service tells systemd. */
export interface NotifySocket extends Disposable {
  /** All messages so far. */
  messages(): readonly string[];
}

/** Opens a Unix datagram socket, as systemd does; `@` starts an abstract name. */
export function openNotifySocket(path: string): NotifySocket {
  const libc = dlopen('libc.so.6', {
    socket: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
    bind: { args: ['i32', 'ptr', 'u32'], returns: 'i32' },
    recv: { args: ['i32', 'ptr', 'u64', 'i32'], returns: 'i64' },
    close: { args: ['i32'], returns: 'i32' },
  });
  const { socket, bind, recv, close } = libc.symbols;
  const address = Buffer.from(`\x01\x00${path.replace(/^@/, '\0')}`);
  const descriptor = socket(AF_UNIX, SOCK_DGRAM, 0);
  if (bind(descriptor, address, address.length) !== 0) throw new Error(`cannot bind ${path}`);
  const buffer = Buffer.alloc(4_096);
  const heard: string[] = [];
  return {
    messages() {
      for (;;) {
        const length = Number(recv(descriptor, buffer, buffer.length, MSG_DONTWAIT));
        if (length < 0) return heard;
        const message = buffer.toString('utf8', 0, length);
        // It carries a descriptor, by which a sender waits until its messages were received.
        if (message !== 'BARRIER=1') heard.push(message);
      }
    },
    [Symbol.dispose]() {
      close(descriptor);
      libc.close();
    },
  };
}
