import type { IncomingMessage } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../config/environment.config';

const toOrigin = (address: string): string => new URL(address).origin;

/** Decides which origins may send unsafe requests (those that change data) and open sockets. */
@Injectable()
export class AllowedOriginsService {
  private readonly ownOrigin: string | undefined;
  private readonly furtherOrigins: ReadonlySet<string>;

  constructor(@Inject(ENVIRONMENT) environment: Pick<Environment, 'PUBLIC_ORIGIN' | 'ALLOWED_ORIGINS'>) {
    this.ownOrigin = environment.PUBLIC_ORIGIN && toOrigin(environment.PUBLIC_ORIGIN);
    this.furtherOrigins = new Set(environment.ALLOWED_ORIGINS.map(toOrigin));
  }

  /**
   * Whether a request comes from an allowed origin. Allows requests without `Origin` and `Sec-Fetch-Site`: browsers
   * always send one of them, and other clients do not have the cookies of a user who visits another site.
   */
  allows({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
    const { origin, host } = headers;
    if (origin !== undefined && this.furtherOrigins.has(origin)) return true;
    const fetchSite = headers['sec-fetch-site'];
    if (fetchSite !== undefined && fetchSite !== 'same-origin') return false;
    if (origin === undefined) return true;
    // Without PUBLIC_ORIGIN, the page is served from the host of the request.
    return this.ownOrigin === undefined ? isOriginOfHost(origin, host) : origin === this.ownOrigin;
  }
}

const isOriginOfHost = (origin: string, host: string | undefined): boolean => {
  if (!host || !URL.canParse(origin)) return false;
  const { protocol, host: originHost } = new URL(origin);
  if (protocol !== 'https:' && protocol !== 'http:') return false;
  // Parsing the Host header as a URL removes a default port, which `originHost` does not have either.
  return URL.canParse(`${protocol}//${host}`) && new URL(`${protocol}//${host}`).host === originHost;
};
