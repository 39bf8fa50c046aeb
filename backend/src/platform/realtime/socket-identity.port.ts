import type { IncomingMessage } from 'node:http';

/** The user of a socket, and the login that its cookie belongs to. */
export interface SocketIdentity {
  userId: number;
  /** Stays the same when the session id is rotated; sockets live as long as their family. */
  familyId: string;
}

/** Gives the socket server access to logins; the auth module implements it. */
export interface SocketIdentityPort {
  /** Returns the login of an upgrade request's cookie; null if there is no valid one. */
  identify(request: IncomingMessage): Promise<SocketIdentity | null>;
  /** Returns those of the given families that still have a valid session. */
  findLiveFamilies(familyIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Whether the upgrade comes from an allowed origin, or from a client that is not a browser. */
  isAllowedOrigin(request: IncomingMessage): boolean;
}

export const SOCKET_IDENTITY_PORT = Symbol('SOCKET_IDENTITY_PORT');
