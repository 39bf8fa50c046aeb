// Uses real PostgreSQL.
import { randomUUID } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import fc from 'fast-check';
import { loadEnvironment } from '../../config/environment.config';
import { EventStoreRepository } from '../../platform/event-store/event-store.repository';
import { ProjectionRebuildService } from '../../platform/event-store/projection-rebuild.service';
import { ReadModelsModule } from '../../read-models.module';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.harness';
import { buildConductStreamId, type StandingEvent } from './domain/standing.events';
import { evolveStanding, createStandingState, computeStandingAt } from './domain/standing.state';
import { StandingRepository } from './infrastructure/standing.repository';

jest.setTimeout(60_000);

const HOUR_MS = 3_600_000;
/**
 * Times from now, at least half an hour away, so that the fold and PostgreSQL agree on which of them have passed
 * although their clocks differ slightly.
 */
const ends = fc.constantFrom(-2.5, -0.5, 0.5, 1.5, 40.5).map((hours) => hours * HOUR_MS);
const endOrNone = fc.option(ends, { nil: null });
/** Users whose events are appended concurrently, each over its own connection of the pool. */
const USERS_AT_ONCE = 6;
const sanctionNumber = fc.integer({ min: 1, max: 5 });

/** An event in short. `number` identifies one of five sanctions of the user. `endMs` is relative to now. */
type Step =
  | { type: 'SanctionImposed'; number: number; kind: 'suspended' | 'banned'; endMs: number | null }
  | { type: 'SanctionLifted' | 'SanctionConfirmed'; number: number }
  | { type: 'AppealDecided'; number: number; endMs: number | null }
  | { type: 'PersonFlagged'; endMs: number }
  | { type: 'FlagLifted' | 'AgeAsked' | 'AgeAnswered' | 'HoldPlaced' | 'HoldLifted' };

const steps = fc.array(
  fc.oneof(
    fc.record({
      type: fc.constant('SanctionImposed' as const),
      number: sanctionNumber,
      kind: fc.constantFrom('suspended' as const, 'suspended' as const, 'banned' as const),
      endMs: endOrNone,
    }),
    fc.record({
      type: fc.constantFrom('SanctionLifted' as const, 'SanctionConfirmed' as const),
      number: sanctionNumber,
    }),
    fc.record({ type: fc.constant('AppealDecided' as const), number: sanctionNumber, endMs: endOrNone }),
    fc.record({ type: fc.constant('PersonFlagged' as const), endMs: ends }),
    fc.record({
      type: fc.constantFrom(
        'FlagLifted' as const,
        'AgeAsked' as const,
        'AgeAnswered' as const,
        'HoldPlaced' as const,
        'HoldLifted' as const,
      ),
    }),
  ),
  { minLength: 1, maxLength: 14 },
);

describe('the read model of standings', () => {
  let database: TestDatabase;
  let app: INestApplicationContext;
  let ids = 0;

  beforeAll(async () => {
    database = await createTestDatabase();
    const environment = loadEnvironment({ ...database.settings, REDIS_URL: process.env.REDIS_URL });
    app = await NestFactory.createApplicationContext(ReadModelsModule.forRoot(environment), {
      logger: false,
    });
  });
  afterAll(async () => {
    await app.close();
    await database.close();
  });

  /** Drops steps that impose a sanction again or change one that was not imposed. */
  const toEvents = (userId: number, run: readonly Step[], now: number): StandingEvent[] => {
    const sanctionIds = new Map<number, number>();
    return run.flatMap((step, index): StandingEvent[] => {
      const formatIso = (endMs: number | null) =>
        endMs === null ? null : new Date(now + endMs).toISOString();
      const base = {
        type: step.type,
        eventId: randomUUID(),
        occurredAt: new Date(now - 3 * HOUR_MS + index * 1_000),
      };
      const build = (data: object) => [{ ...base, data: { userId, ...data } } as unknown as StandingEvent];
      if (step.type === 'SanctionImposed') {
        if (sanctionIds.has(step.number)) return [];
        const sanctionId = (ids += 1);
        sanctionIds.set(step.number, sanctionId);
        const until = step.kind === 'banned' ? null : formatIso(step.endMs);
        const shared = { rule: 'no_hate', caseId: null, isAutomatic: false, inheritedFrom: null };
        return build({ sanctionId, noticeId: (ids += 1), kind: step.kind, until, ...shared });
      }
      if ('number' in step) {
        const sanctionId = sanctionIds.get(step.number);
        if (sanctionId === undefined) return [];
        const until = step.type === 'AppealDecided' ? formatIso(step.endMs) : null;
        return build({ sanctionId, noticeId: (ids += 1), until });
      }
      return build({
        noticeId: (ids += 1),
        until: step.type === 'PersonFlagged' ? formatIso(step.endMs) : null,
      });
    });
  };

  it('the read model equals the folded state after any sequence of events, and is the same after a rebuild', async () => {
    const expected = new Map<number, unknown>();
    await fc.assert(
      fc.asyncProperty(
        fc.array(steps, { minLength: USERS_AT_ONCE, maxLength: USERS_AT_ONCE }),
        async (runs) => {
          await Promise.all(
            runs.map(async (run) => {
              const userId = (ids += 1);
              const now = Date.now();
              const events = toEvents(userId, run, now);
              await app.get(EventStoreRepository).append(buildConductStreamId(userId), 'none', events);
              const state = events.reduce(evolveStanding, createStandingState());
              const standings = app.get(StandingRepository);
              const standing = computeStandingAt(state, new Date(now));
              expect((await standings.findMany([userId])).get(userId)).toEqual(standing);
              expect(await standings.isHeld(userId)).toBe(state.isHeld);
              expected.set(userId, standing);
            }),
          );
        },
      ),
      { numRuns: 300 / USERS_AT_ONCE },
    );
    const readRows = () =>
      database.dataSource.query<object[]>('SELECT * FROM standings ORDER BY user_id').then(async (all) => ({
        standings: all,
        sanctions: await database.dataSource.query<object[]>('SELECT * FROM sanctions ORDER BY id'),
      }));
    const before = await readRows();
    await app.get(ProjectionRebuildService).rebuild();
    expect(await readRows()).toEqual(before);
    expect(await app.get(StandingRepository).findMany([...expected.keys()])).toEqual(expected);
  });
});
