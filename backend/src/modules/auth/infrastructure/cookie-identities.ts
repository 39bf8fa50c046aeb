import { type IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { AllowedOrigins } from '../../../platform/http/allowed-origins';
import type { SocketIdentities, SocketIdentity } from '../../../platform/realtime/socket-identity';
import { SESSION_MIDDLEWARE } from './session.middleware';
import { SessionRepository } from './session.repository';

/** The logins of sockets: the same cookie, read by the same middleware, as those of requests. */
@Injectable()
export class CookieIdentities implements SocketIdentities {
  constructor(
    @Inject(SESSION_MIDDLEWARE) private readonly session: RequestHandler,
    private readonly sessions: SessionRepository,
    private readonly origins: AllowedOrigins,
  ) {}

  async identify(upgrade: IncomingMessage): Promise<SocketIdentity | null> {
    const request = upgrade as Request;
    // The middleware wants something to answer with; nothing is ever sent on it.
    const response = new ServerResponse(upgrade) as Response;
    await promisify((done: NextFunction) => void this.session(request, response, done))();
    const login = request.session?.passport?.user;
    return login ? { userId: login.userId, familyId: login.familyId } : null;
  }

  liveFamilies(familyIds: readonly string[]): Promise<ReadonlySet<string>> {
    return this.sessions.liveFamilies(familyIds);
  }

  isAllowedOrigin(request: IncomingMessage): boolean {
    return this.origins.allows(request);
  }
}
