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
 * Ends of sanctions and flags, relative to now. The clock of PostgreSQL differs slightly, so no end is closer to now
 * than half an hour.
 */
const endMsArbitrary = fc.constantFrom(-2.5, -0.5, 0.5, 1.5, 40.5).map((hours) => hours * HOUR_MS);
const optionalEndMsArbitrary = fc.option(endMsArbitrary, { nil: null });
/** Number of users in each run. Their events are appended concurrently, each over its own connection of the pool. */
const USERS_PER_RUN = 6;
const RUNS = 50;
const sanctionNumberArbitrary = fc.integer({ min: 1, max: 5 });

/**
 * Describes an event. `sanctionNumber`, 1 to 5, identifies a sanction of the user, to which `toEvents` assigns a
 * `sanctionId`. `endMs` is relative to now.
 */
type Step =
  | { type: 'SanctionImposed'; sanctionNumber: number; kind: 'suspended' | 'banned'; endMs: number | null }
  | { type: 'SanctionLifted' | 'SanctionConfirmed'; sanctionNumber: number }
  | { type: 'AppealDecided'; sanctionNumber: number; endMs: number | null }
  | { type: 'PersonFlagged'; endMs: number }
  | { type: 'FlagLifted' | 'AgeAsked' | 'AgeAnswered' | 'HoldPlaced' | 'HoldLifted' };

const stepsArbitrary = fc.array(
  fc.oneof(
    fc.record({
      type: fc.constant('SanctionImposed' as const),
      sanctionNumber: sanctionNumberArbitrary,
      // Suspensions are twice as frequent as bans.
      kind: fc.constantFrom('suspended' as const, 'suspended' as const, 'banned' as const),
      endMs: optionalEndMsArbitrary,
    }),
    fc.record({
      type: fc.constantFrom('SanctionLifted' as const, 'SanctionConfirmed' as const),
      sanctionNumber: sanctionNumberArbitrary,
    }),
    fc.record({
      type: fc.constant('AppealDecided' as const),
      sanctionNumber: sanctionNumberArbitrary,
      endMs: optionalEndMsArbitrary,
    }),
    fc.record({ type: fc.constant('PersonFlagged' as const), endMs: endMsArbitrary }),
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
  /** The last id that was given to a user, a sanction or a notice. */
  let lastId = 0;
  const createId = (): number => (lastId += 1);

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

  /** Converts steps to events, except those that impose a sanction again or change one that was not imposed. */
  const toEvents = (userId: number, steps: readonly Step[], now: number): StandingEvent[] => {
    const sanctionIds = new Map<number, number>();
    const formatEnd = (endMs: number | null) => (endMs === null ? null : new Date(now + endMs).toISOString());
    /** Builds the data of the event; null for a step without an event. */
    const buildData = (step: Step): object | null => {
      switch (step.type) {
        case 'SanctionImposed': {
          if (sanctionIds.has(step.sanctionNumber)) return null;
          const sanctionId = createId();
          sanctionIds.set(step.sanctionNumber, sanctionId);
          return {
            userId,
            sanctionId,
            noticeId: createId(),
            kind: step.kind,
            until: step.kind === 'banned' ? null : formatEnd(step.endMs),
            rule: 'no_hate',
            caseId: null,
            isAutomatic: false,
            inheritedFrom: null,
          };
        }
        case 'SanctionLifted':
        case 'SanctionConfirmed':
        case 'AppealDecided': {
          const sanctionId = sanctionIds.get(step.sanctionNumber);
          if (sanctionId === undefined) return null;
          const until = step.type === 'AppealDecided' ? formatEnd(step.endMs) : null;
          return { userId, sanctionId, noticeId: createId(), until };
        }
        case 'PersonFlagged':
          return { userId, noticeId: createId(), until: formatEnd(step.endMs) };
        default:
          return { userId, noticeId: createId(), until: null };
      }
    };
    return steps.flatMap((step, index) => {
      const data = buildData(step);
      if (!data) return [];
      // The times follow the order of the steps, and are before the earliest end.
      const occurredAt = new Date(now - 3 * HOUR_MS + index * 1_000);
      // `data` lacks fields that the read model ignores.
      return [{ type: step.type, eventId: randomUUID(), occurredAt, data } as unknown as StandingEvent];
    });
  };

  const readRows = async () => ({
    standings: await database.dataSource.query<object[]>('SELECT * FROM standings ORDER BY user_id'),
    sanctions: await database.dataSource.query<object[]>('SELECT * FROM sanctions ORDER BY id'),
  });

  it('equals the state folded from any sequence of events, and a rebuild does not change it', async () => {
    const expectedStandings = new Map<number, unknown>();
    await fc.assert(
      fc.asyncProperty(
        fc.array(stepsArbitrary, { minLength: USERS_PER_RUN, maxLength: USERS_PER_RUN }),
        async (stepsOfUsers) => {
          await Promise.all(
            stepsOfUsers.map(async (steps) => {
              const userId = createId();
              const now = Date.now();
              const events = toEvents(userId, steps, now);
              await app.get(EventStoreRepository).append(buildConductStreamId(userId), 'none', events);
              const state = events.reduce(evolveStanding, createStandingState());
              const standings = app.get(StandingRepository);
              const standing = computeStandingAt(state, new Date(now));
              expect((await standings.findMany([userId])).get(userId)).toEqual(standing);
              expect(await standings.isHeld(userId)).toBe(state.isHeld);
              expectedStandings.set(userId, standing);
            }),
          );
        },
      ),
      { numRuns: RUNS },
    );
    const rowsBefore = await readRows();
    await app.get(ProjectionRebuildService).rebuild();
    expect(await readRows()).toEqual(rowsBefore);
    expect(await app.get(StandingRepository).findMany([...expectedStandings.keys()])).toEqual(
      expectedStandings,
    );
  });
});
