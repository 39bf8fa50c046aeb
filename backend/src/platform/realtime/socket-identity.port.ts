import type { IncomingMessage } from 'node:http';
import type { Standing } from '@thaw/contract/safety';

/** The user of a socket, and the login that its cookie belongs to. */
export interface SocketIdentity {
  userId: number;
  /** Identifies the family: the session ids that replace one another in this login. */
  familyId: string;
  /** The user's standing (the restrictions in force) when the socket opened. */
  standing: Standing;
}

/** Gives the socket server access to logins; the auth module implements it. */
export interface SocketIdentityPort {
  /** Returns the user and the login of an upgrade request's cookie; null if the cookie is missing or invalid. */
  identify(request: IncomingMessage): Promise<SocketIdentity | null>;
  /** Maps each family that still has a valid session to the current standing of its user. */
  findLiveFamilies(familyIds: readonly string[]): Promise<ReadonlyMap<string, Standing>>;
  /**
   * Returns those of the families that another family with a valid session has replaced: a change of the password or
   * e-mail address starts a new family in the same login.
   */
  findRenewedFamilies(familyIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Whether the upgrade comes from an allowed origin, or from a client that is not a browser. */
  isAllowedOrigin(request: IncomingMessage): boolean;
}

export const SOCKET_IDENTITY_PORT = Symbol('SOCKET_IDENTITY_PORT');
