import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { AllowedOrigins } from '../../../platform/http/allowed-origins';
import type { SocketIdentities, SocketIdentity } from '../../../platform/realtime/socket-identity';
import { SessionCookie } from './session-cookie';
import { SessionRepository } from './session.repository';

/**
 * The logins of sockets: the same cookies and sessions as those of requests, read without express-session, whose
 * request and response objects cost more than the look-up.
 */
@Injectable()
export class CookieIdentities implements SocketIdentities {
  constructor(
    private readonly cookie: SessionCookie,
    private readonly sessions: SessionRepository,
    private readonly origins: AllowedOrigins,
  ) {}

  async identify({ headers }: IncomingMessage): Promise<SocketIdentity | null> {
    const sessionId = this.cookie.sessionIdIn(headers.cookie);
    return sessionId === null ? null : this.sessions.loginOf(sessionId);
  }

  liveFamilies(familyIds: readonly string[]): Promise<ReadonlySet<string>> {
    return this.sessions.liveFamilies(familyIds);
  }

  isAllowedOrigin(request: IncomingMessage): boolean {
    return this.origins.allows(request);
  }
}
