import { pipeline, Readable, type Writable } from 'node:stream';
import { Injectable, Logger } from '@nestjs/common';
import { type ExportReady, exportTokenSchema, type RequestExport } from '@thaw/contract/my-data-export';
import { ConcurrencyLimiter } from '../../../platform/concurrency/concurrency.limiter';
import { DomainError } from '../../../platform/errors/domain.errors';
import type { Login } from '../../../platform/http/login.decorator';
import { GracefulShutdownService } from '../../../platform/lifecycle/graceful-shutdown.service';
import { logWarning } from '../../../platform/observability/warn-about.functions';
import { RateLimiterService } from '../../../platform/rate-limit/rate-limiter.service';
import { AuthService } from '../../auth/application/auth.service';
import { UsersService } from '../../users/application/users.service';
import { ExportTicketRepository, TICKET_MS } from '../infrastructure/export-ticket.repository';
import { ExportContentService, ExportLoginEndedError } from './export-content.service';

/** Maximum number of exports that a replica runs at the same time. */
const CONCURRENCY = 2;
const BUSY_RETRY_MS = 30_000;
/** A slower download is cut off, because it would occupy one of the slots of the replica for too long. */
const MAX_DURATION_MS = 60 * 60_000;

/** An export whose first chunk is ready. */
export interface PreparedExport {
  /**
   * Writes the export. Never rejects: an export that fails destroys the target, so the client does not receive the
   * trailer, the last line of a complete export.
   */
  writeTo(target: Writable): Promise<void>;
}

/** Exports of what the service stores about a user. */
@Injectable()
export class ExportService {
  private readonly logger = new Logger(ExportService.name);
  /** Without a queue: further exports are refused. */
  private readonly concurrencyLimiter = new ConcurrencyLimiter(CONCURRENCY, 0);
  private readonly stopping = new AbortController();
  private readonly running = new Set<Promise<void>>();

  constructor(
    private readonly users: UsersService,
    private readonly auth: AuthService,
    private readonly rateLimiter: RateLimiterService,
    private readonly tickets: ExportTicketRepository,
    private readonly content: ExportContentService,
    gracefulShutdown: GracefulShutdownService,
  ) {
    // In the first phase, `announce`, because the second one waits for all open responses, including exports.
    gracefulShutdown.register('announce', 'exports', async () => {
      this.stopping.abort();
      // A lock that is left behind would refuse the user's next export on another replica for a minute.
      await Promise.allSettled(this.running);
    });
  }

  /**
   * Issues a ticket for one download. Registered users confirm the request with their password.
   * @throws DomainError validation_failed, wrong_password, rate_limited, not_found
   */
  async request(login: Login, { currentPassword }: RequestExport): Promise<ExportReady> {
    const { userId } = login;
    const { isAnonymous } = await this.users.getSelf(userId);
    if (!isAnonymous) {
      if (currentPassword === undefined) throw new DomainError('validation_failed');
      await this.auth.requirePassword(userId, currentPassword);
    }
    await this.rateLimiter.require('exports', userId);
    const expiresAt = new Date(Date.now() + TICKET_MS).toISOString();
    try {
      return { url: `/api/my-data/exports/${await this.tickets.issue(login)}`, expiresAt };
    } catch (error) {
      await this.rateLimiter.refund('exports', userId);
      throw error;
    }
  }

  /**
   * Uses a ticket. The caller must write the returned export, because only then is the slot released.
   * @throws DomainError not_found for a ticket that was used, has expired or belongs to another login; unavailable
   * while the replica or the user cannot run another export, in which case the ticket stays valid.
   */
  async open(login: Login, token: string): Promise<PreparedExport> {
    if (!exportTokenSchema.safeParse(token).success || !(await this.tickets.isValid(token, login)))
      throw new DomainError('not_found');
    const release = await this.acquireSlot(login.userId);
    try {
      const chunks = this.content.write(login);
      const first = await chunks.next();
      // Only now, so that the ticket stays valid if the first chunk cannot be read.
      if (!(await this.tickets.use(token))) throw new DomainError('not_found');
      return {
        writeTo: (target) =>
          this.track(this.write(login, prepend(first.value as string, chunks), target).finally(release)),
      };
    } catch (error) {
      await release();
      throw error;
    }
  }

  private async track(running: Promise<void>): Promise<void> {
    this.running.add(running);
    try {
      await running;
    } finally {
      this.running.delete(running);
    }
  }

  /**
   * Takes a slot of this replica and locks the exports of the user.
   * @returns a function that releases both.
   * @throws DomainError unavailable if no slot is free or an export of the user is running.
   */
  private async acquireSlot(userId: number): Promise<() => Promise<void>> {
    const busy = new DomainError('unavailable', { retryAfterMs: BUSY_RETRY_MS });
    const releaseSlot = await this.concurrencyLimiter.acquire().catch(() => {
      throw busy;
    });
    try {
      const unlock = await this.tickets.lock(userId);
      if (!unlock) throw busy;
      return async () => {
        releaseSlot();
        // If this fails, the lock expires by itself.
        await unlock().catch((error: unknown) => logWarning(this.logger, 'An export stays locked', error));
      };
    } catch (error) {
      releaseSlot();
      throw error;
    }
  }

  private async write({ userId }: Login, chunks: AsyncIterable<string>, target: Writable): Promise<void> {
    const signal = AbortSignal.any([this.stopping.signal, AbortSignal.timeout(MAX_DURATION_MS)]);
    // One chunk is read ahead of the client.
    const source = Readable.from(chunks, { objectMode: true, highWaterMark: 1, signal });
    const error = await new Promise<NodeJS.ErrnoException | null | undefined>((resolve) =>
      pipeline(source, target, resolve),
    );
    const hasClientDisconnected = error?.code === 'ERR_STREAM_PREMATURE_CLOSE';
    // A complete export counts towards the user's limit of the day, and so does one that ended with its connection or
    // its login.
    if (!error || hasClientDisconnected || error instanceof ExportLoginEndedError) return;
    const isStopping = this.stopping.signal.aborted;
    const isTooSlow = signal.aborted && !isStopping;
    if (!isStopping) logWarning(this.logger, 'An export was cut off', error);
    // An export that failed, or that the replica stopped, does not count. One with a client that was too slow counts.
    if (!isTooSlow) await this.rateLimiter.refund('exports', userId);
  }
}

async function* prepend<Item>(first: Item, rest: AsyncGenerator<Item>): AsyncGenerator<Item> {
  try {
    yield first;
    yield* rest;
  } finally {
    // If the consumer stops at the first item, nothing else ends `rest`.
    await rest.return(undefined);
  }
}
