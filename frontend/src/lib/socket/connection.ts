import { create } from 'zustand';
import { type ConnectionStatus } from '@/lib/socket/socket-client';

interface Connection {
  status: ConnectionStatus;
  reconnect: () => void;
}

/** What the socket client reports; written by app/realtime.ts alone. */
export const useConnection = create<Connection>()(() => ({
  status: { kind: 'closed' },
  reconnect: () => undefined,
}));

export const useIsConnected = (): boolean => useConnection(({ status }) => status.kind === 'open');
