import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { Standing } from '@thaw/contract/safety';
import { AllowedOriginsService } from '../../../platform/http/allowed-origins.service';
import { BatchingQueue } from '../../../platform/realtime/batching.queue';
import type { SocketIdentityPort, SocketIdentity } from '../../../platform/realtime/socket-identity.port';
import { SessionCookieCodec } from './session-cookie.codec';
import { SessionRepository } from './session.repository';

/** The query of one opening socket for the identity that belongs to its session id. */
interface IdentityQuery {
  sessionId: string;
  /** Set when the batch of this query has been handled; stays undefined when there is no valid session. */
  identity?: SocketIdentity;
}

/** No pause between batches: a batch contains the queries that arrived while the previous one was in flight. */
const BATCH_INTERVAL_MS = 0;

/**
 * Authenticates sockets by the session cookie. It does not use express-session: the request and response objects that
 * express-session needs cost more than the database query. Sockets that open while a database query is in flight share
 * the next one. A family is the series of session ids that replace one another in one login. A login that is renewed,
 * for example by a password change, continues in a new family.
 */
@Injectable()
export class CookieIdentityAdapter implements SocketIdentityPort {
  private readonly identityQueries = new BatchingQueue<IdentityQuery>(BATCH_INTERVAL_MS, async (queries) => {
    const identities = await this.sessions.findSocketIdentities(queries.map(({ sessionId }) => sessionId));
    for (const query of queries) query.identity = identities.get(query.sessionId);
  });

  constructor(
    private readonly cookie: SessionCookieCodec,
    private readonly sessions: SessionRepository,
    private readonly origins: AllowedOriginsService,
  ) {}

  async identify({ headers }: IncomingMessage): Promise<SocketIdentity | null> {
    const sessionId = this.cookie.readSessionId(headers.cookie);
    if (sessionId === null) return null;
    const query: IdentityQuery = { sessionId };
    await this.identityQueries.add(query);
    return query.identity ?? null;
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
