import type { IncomingMessage } from 'node:http';

/** Who is behind a socket: a user, and the login that its cookie belongs to. */
export interface SocketIdentity {
  userId: number;
  /** Survives the rotation of the session id; sockets hang on it. */
  familyId: string;
}

/** What the socket server needs to know of logins; the auth module provides it. */
export interface SocketIdentityPort {
  /** The login behind an upgrade request's cookie; null when there is none that is valid. */
  identify(request: IncomingMessage): Promise<SocketIdentity | null>;
  /** Those of the given families that still have a valid session. */
  liveFamilies(familyIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Whether the upgrade comes from our own page (or from no page at all). */
  isAllowedOrigin(request: IncomingMessage): boolean;
}

export const SOCKET_IDENTITY_PORT = Symbol('SOCKET_IDENTITY_PORT');
