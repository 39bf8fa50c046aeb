import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { loadEnvironment } from '../config/environment.config';
import type { Decider } from '../platform/event-store/decider.types';
import { EventStoreRepository } from '../platform/event-store/event-store.repository';
import { EventTypeRegistry } from '../platform/event-store/event-type.registry';
import type { StoredEvent } from '../platform/event-store/stored-event.types';
import { ReadModelsModule } from '../read-models.module';
import { createTestDatabase, type TestDatabase } from './test-database.harness';

/** An event as a release has written it. */
export interface EventFixture {
  streamId: string;
  type: string;
  schemaVersion: number;
  data: object;
}

/** An event of each schema version of each event type, in the order in which they were written. */
export const eventFixtures = JSON.parse(
  readFileSync(join(__dirname, 'event-fixtures.json'), 'utf8'),
) as EventFixture[];

/** Time of the first event of a log; any value would do. */
export const START_MS = 1_763_640_000_000;

/** @param prefix the id of a stream, or the beginning of the ids of several streams. */
export const listFixturesOfStreams = (prefix: string): EventFixture[] =>
  eventFixtures.filter(({ streamId }) => streamId.startsWith(prefix));

/** The data of an event without its personal fields, which are those that can be erased. */
export const omitPersonalFields = (
  eventTypes: EventTypeRegistry,
  { type, data }: Pick<EventFixture, 'type' | 'data'>,
): object => {
  const { personalFields } = eventTypes.get(type);
  return Object.fromEntries(Object.entries(data).filter(([field]) => !personalFields.includes(field)));
};

/** An event log that contains the fixtures, and an application with all read models. */
export class FixtureLog {
  private constructor(
    readonly database: TestDatabase,
    readonly app: INestApplicationContext,
  ) {}

  /** @param selectData returns the fields of a fixture that are stored; the others count as erased. */
  static async create(
    selectData: (fixture: EventFixture, eventTypes: EventTypeRegistry) => object,
  ): Promise<FixtureLog> {
    const database = await createTestDatabase();
    const environment = loadEnvironment({ ...database.settings, REDIS_URL: process.env.REDIS_URL });
    const app = await NestFactory.createApplicationContext(ReadModelsModule.forRoot(environment), {
      logger: false,
    });
    const positions = new Map<string, number>();
    for (const [index, fixture] of eventFixtures.entries()) {
      const { streamId, type, schemaVersion } = fixture;
      const position = (positions.get(streamId) ?? 0) + 1;
      positions.set(streamId, position);
      const data = selectData(fixture, app.get(EventTypeRegistry));
      await database.dataSource.query(
        `INSERT INTO events (stream_id, stream_position, event_id, type, schema_version, data, metadata, occurred_at)
         VALUES ($1, $2, $3, $4, $5, $6, '{}', $7)`,
        [streamId, position, randomUUID(), type, schemaVersion, data, new Date(START_MS + index)],
      );
    }
    return new FixtureLog(database, app);
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.database.close();
  }

  /**
   * Computes the state of a stream from its events.
   * @param anyDecider a decider; untyped, because each module's decider has its own type of events.
   */
  async fold<State>(streamId: string, anyDecider: unknown): Promise<State> {
    const decider = anyDecider as Decider<State, never, StoredEvent>;
    const events = await this.app.get(EventStoreRepository).read(streamId);
    return events.reduce((state, event) => decider.evolve(state, event), decider.initialState());
  }

  readRows(query: string): Promise<Record<string, unknown>[]> {
    return this.database.dataSource.query(query);
  }
}
