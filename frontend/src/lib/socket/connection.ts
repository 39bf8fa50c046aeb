import { create } from 'zustand';
import { type ConnectionStatus } from '@/lib/socket/socket-client';

interface Connection {
  status: ConnectionStatus;
  reconnect: () => void;
}

/** State of the socket client; written only by main.tsx and app/realtime.ts. */
export const useConnection = create<Connection>()(() => ({
  status: { kind: 'closed' },
  reconnect: () => undefined,
}));

export const useIsConnected = (): boolean => useConnection(({ status }) => status.kind === 'open');
