import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { Standing } from '@thaw/contract/safety';
import { AllowedOriginsService } from '../../../platform/http/allowed-origins.service';
import { BatchingQueue } from '../../../platform/realtime/batching.queue';
import type { SocketIdentityPort, SocketIdentity } from '../../../platform/realtime/socket-identity.port';
import { SessionCookieCodec } from './session-cookie.codec';
import { SessionRepository } from './session.repository';

/** The look-up of one opening socket. Look-ups are collected in batches; one database query serves a batch. */
interface IdentityLookup {
  sessionId: string;
  /** Set when the batch has been handled; stays undefined when there is no valid session. */
  identity?: SocketIdentity;
}

/** No pause between batches: a batch contains the look-ups that arrived during the previous one. */
const BATCH_INTERVAL_MS = 0;

/**
 * Authenticates sockets by the session cookie. It does not use express-session: the request and response objects that
 * express-session needs cost more than the database query.
 *
 * The successive session ids of a login form a family. A change of the password or e-mail address renews the login,
 * which then continues in a new family.
 */
@Injectable()
export class CookieIdentityAdapter implements SocketIdentityPort {
  private readonly lookups = new BatchingQueue<IdentityLookup>(BATCH_INTERVAL_MS, async (batch) => {
    const identities = await this.sessions.findSocketIdentities(batch.map(({ sessionId }) => sessionId));
    for (const lookup of batch) lookup.identity = identities.get(lookup.sessionId);
  });

  constructor(
    private readonly cookie: SessionCookieCodec,
    private readonly sessions: SessionRepository,
    private readonly origins: AllowedOriginsService,
  ) {}

  async identify({ headers }: IncomingMessage): Promise<SocketIdentity | null> {
    const sessionId = this.cookie.readSessionId(headers.cookie);
    if (sessionId === null) return null;
    const lookup: IdentityLookup = { sessionId };
    await this.lookups.add(lookup);
    return lookup.identity ?? null;
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
