import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { Standing } from '@thaw/contract/safety';
import { AllowedOriginsService } from '../../../platform/http/allowed-origins.service';
import { BatchingQueue } from '../../../platform/realtime/batching.queue';
import type { SocketIdentityPort, SocketIdentity } from '../../../platform/realtime/socket-identity.port';
import { SessionCookieCodec } from './session-cookie.codec';
import { SessionRepository } from './session.repository';

/** The query of one opening socket for the login of its session id. */
interface LoginQuery {
  sessionId: string;
  /** Set when the batch of this query has been handled; stays undefined when there is no valid session. */
  login?: SocketIdentity;
}

/** No pause between batches: a batch contains the queries that arrived while the previous one was in flight. */
const BATCH_INTERVAL_MS = 0;

/**
 * Authenticates sockets by the session cookie, without express-session, whose request and response objects cost more
 * than the query. Sockets that open while a query is in flight share the next one.
 */
@Injectable()
export class CookieIdentityAdapter implements SocketIdentityPort {
  private readonly loginQueries = new BatchingQueue<LoginQuery>(BATCH_INTERVAL_MS, async (queries) => {
    const logins = await this.sessions.findLogins(queries.map(({ sessionId }) => sessionId));
    for (const query of queries) query.login = logins.get(query.sessionId);
  });

  constructor(
    private readonly cookie: SessionCookieCodec,
    private readonly sessions: SessionRepository,
    private readonly origins: AllowedOriginsService,
  ) {}

  async identify({ headers }: IncomingMessage): Promise<SocketIdentity | null> {
    const sessionId = this.cookie.readSessionId(headers.cookie);
    if (sessionId === null) return null;
    const query: LoginQuery = { sessionId };
    await this.loginQueries.add(query);
    return query.login ?? null;
  }

  findLiveFamilies(familyIds: readonly string[]): Promise<ReadonlyMap<string, Standing>> {
    return this.sessions.findLiveFamilies(familyIds);
  }

  findRenewedFamilies(familyIds: readonly string[]): Promise<ReadonlySet<string>> {
    return this.sessions.findRenewedFamilies(familyIds);
  }

  isAllowedOrigin(request: IncomingMessage): boolean {
    return this.origins.allows(request);
  }
}
