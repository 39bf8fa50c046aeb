import { type WebSocket } from 'ws';
import { type SocketLike } from '@/lib/socket/socket-client';
import { type Act } from './acting';

/**
 * Adapts a socket of `ws` to that of a browser. Its events differ, so each one is replaced by an object with the fields
 * that SocketClient reads.
 */
export const adaptSocket = (socket: WebSocket, act: Act): SocketLike => {
  const adapted: SocketLike = {
    get readyState() {
      return socket.readyState;
    },
    onopen: null,
    onmessage: null,
    onclose: null,
    send: (data) => socket.send(data as string),
    close: (code) => socket.close(code),
  };
  type Listener = ((event: unknown) => void) | null;
  const emit = (listener: Listener, event: object): void => act(() => listener?.(event));
  socket.on('open', () => emit(adapted.onopen as Listener, {}));
  socket.on('message', (raw: Buffer) => emit(adapted.onmessage as Listener, { data: raw.toString() }));
  socket.on('close', (code) => emit(adapted.onclose as Listener, { code }));
  return adapted;
};
