import { type ClientEvent, type ClientInput } from '@thaw/contract/client-frames';
import { type RequestOptions } from '@/lib/socket/socket-client';
import { SocketRequestError } from '@/lib/socket/socket-request-error';

/** The connection, as far as a feature needs it; app/realtime.ts gives it. */
export interface FeatureSocket {
  readonly isOpen: boolean;
  /** False when it was not sent. */
  send: <E extends ClientEvent>(event: E, data: ClientInput<E>) => boolean;
  request: <E extends ClientEvent>(
    event: E,
    data: ClientInput<E>,
    options?: RequestOptions,
  ) => Promise<Record<string, unknown>>;
}

/** Before one is given. */
export const disconnected: FeatureSocket = {
  isOpen: false,
  send: () => false,
  request: () => Promise.reject(new SocketRequestError('not_connected')),
};
