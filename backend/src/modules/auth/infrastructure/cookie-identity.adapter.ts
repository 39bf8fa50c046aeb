import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { AllowedOriginsService } from '../../../platform/http/allowed-origins.service';
import type { Login } from '../../../platform/http/login.decorator';
import { BatchingQueue } from '../../../platform/realtime/batching.queue';
import type { SocketIdentityPort, SocketIdentity } from '../../../platform/realtime/socket-identity.port';
import { SessionCookieCodec } from './session-cookie.codec';
import { SessionRepository } from './session.repository';

interface LookUp {
  sessionId: string;
  login?: Login;
}

/**
 * Authenticates sockets by the cookies and sessions that HTTP requests use. It reads them without express-session,
 * whose request and response objects cost more than the look-up. Sockets that open while a look-up is in flight share
 * the next one.
 */
@Injectable()
export class CookieIdentityAdapter implements SocketIdentityPort {
  private readonly lookUps = new BatchingQueue<LookUp>(0, async (lookUps) => {
    const logins = await this.sessions.loginsOf(lookUps.map(({ sessionId }) => sessionId));
    for (const lookUp of lookUps) lookUp.login = logins.get(lookUp.sessionId);
  });

  constructor(
    private readonly cookie: SessionCookieCodec,
    private readonly sessions: SessionRepository,
    private readonly origins: AllowedOriginsService,
  ) {}

  async identify({ headers }: IncomingMessage): Promise<SocketIdentity | null> {
    const sessionId = this.cookie.sessionIdIn(headers.cookie);
    if (sessionId === null) return null;
    const lookUp: LookUp = { sessionId };
    await this.lookUps.add(lookUp);
    return lookUp.login ?? null;
  }

  liveFamilies(familyIds: readonly string[]): Promise<ReadonlySet<string>> {
    return this.sessions.liveFamilies(familyIds);
  }

  isAllowedOrigin(request: IncomingMessage): boolean {
    return this.origins.allows(request);
  }
}
