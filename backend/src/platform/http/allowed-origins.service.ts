import type { IncomingMessage } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../config/environment.config';

const toOrigin = (address: string): string => new URL(address).origin;

/** Decides which origins may send unsafe requests and open sockets (A145). */
@Injectable()
export class AllowedOriginsService {
  private readonly ownOrigin: string | undefined;
  private readonly furtherOrigins: ReadonlySet<string>;

  constructor(@Inject(ENVIRONMENT) environment: Pick<Environment, 'PUBLIC_ORIGIN' | 'ALLOWED_ORIGINS'>) {
    this.ownOrigin = environment.PUBLIC_ORIGIN && toOrigin(environment.PUBLIC_ORIGIN);
    this.furtherOrigins = new Set(environment.ALLOWED_ORIGINS.map(toOrigin));
  }

  /** Allows requests without origin headers: browsers always send them, and other clients carry no user's cookies. */
  allows({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
    const { origin, host } = headers;
    if (origin !== undefined && this.furtherOrigins.has(origin)) return true;
    const site = headers['sec-fetch-site'];
    if (site !== undefined && site !== 'same-origin') return false;
    if (origin === undefined) return true;
    return this.ownOrigin === undefined ? isOriginOfHost(origin, host) : origin === this.ownOrigin;
  }
}

const isOriginOfHost = (origin: string, host: string | undefined): boolean => {
  if (!host || !URL.canParse(origin)) return false;
  const { protocol, host: originHost } = new URL(origin);
  if (protocol !== 'https:' && protocol !== 'http:') return false;
  // URL omits a scheme's default port, and so does the Host header usually.
  return URL.canParse(`${protocol}//${host}`) && new URL(`${protocol}//${host}`).host === originHost;
};
