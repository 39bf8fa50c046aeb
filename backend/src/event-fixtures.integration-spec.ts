// Uses real PostgreSQL. testing/event-fixtures.json has an event of each schema version of every event type that any
// release has written. The expected states and rows below follow from these events.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { loadEnvironment } from './config/environment.config';
import { blockDecider } from './modules/blocks/domain/block.decider';
import { createConductDecider } from './modules/conduct/domain/conduct.decider';
import { friendshipDecider } from './modules/friends/domain/friendship.decider';
import { privateMessageDecider } from './modules/private-chat/domain/private-message.decider';
import { decodeEvent } from './modules/random-chat/application/chat-event.codec';
import { evolve, createChatState } from './modules/random-chat/domain/random-chat.state';
import { userDecider } from './modules/users/domain/user.decider';
import type { Decider } from './platform/event-store/decider.types';
import { EventStoreRepository } from './platform/event-store/event-store.repository';
import { EventTypeRegistry } from './platform/event-store/event-type.registry';
import { ProjectionRebuildService } from './platform/event-store/projection-rebuild.service';
import type { StoredEvent } from './platform/event-store/stored-event.types';
import { ReadModelsModule } from './read-models.module';
import { conductPolicy } from './testing/conduct-events.fixture';
import { UNLIMITED } from './testing/given-chat.fixture';
import { createTestDatabase, type TestDatabase } from './testing/test-database.harness';

interface Fixture {
  streamId: string;
  type: string;
  schemaVersion: number;
  data: object;
}

const fixtures = JSON.parse(
  readFileSync(join(__dirname, 'testing', 'event-fixtures.json'), 'utf8'),
) as Fixture[];
/** Time of the first event; any value would do. */
const START_MS = 1_763_640_000_000;
const formatTypeAndVersion = ({ type, schemaVersion }: Pick<Fixture, 'type' | 'schemaVersion'>) =>
  `${type} ${schemaVersion}`;
/** @param prefix the id of a stream, or the beginning of the ids of several streams. */
const listFixturesOfStreams = (prefix: string) =>
  fixtures.filter(({ streamId }) => streamId.startsWith(prefix));

const omitPersonalFields = (
  eventTypes: EventTypeRegistry,
  { type, data }: Pick<Fixture, 'type' | 'data'>,
): object =>
  Object.fromEntries(
    Object.entries(data).filter(([field]) => !eventTypes.get(type).personalFields.includes(field)),
  );

/** An event log that contains the fixtures, and an application with all read models. */
class FixtureLog {
  private constructor(
    readonly database: TestDatabase,
    readonly app: INestApplicationContext,
  ) {}

  /** @param selectData returns the fields of a fixture that are stored; the others count as erased. */
  static async create(
    selectData: (fixture: Fixture, eventTypes: EventTypeRegistry) => object,
  ): Promise<FixtureLog> {
    const database = await createTestDatabase();
    const environment = loadEnvironment({ ...database.settings, REDIS_URL: process.env.REDIS_URL });
    const app = await NestFactory.createApplicationContext(ReadModelsModule.forRoot(environment), {
      logger: false,
    });
    const positions = new Map<string, number>();
    for (const [index, fixture] of fixtures.entries()) {
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

describe('events of all releases', () => {
  let log: FixtureLog;

  beforeAll(async () => {
    log = await FixtureLog.create(({ data }) => data);
  });
  afterAll(() => log.close());

  it('have fixtures of each version of each declared type, and no others', () => {
    const declared = log.app
      .get(EventTypeRegistry)
      .list()
      .flatMap(({ type, schemaVersion }) =>
        Array.from({ length: schemaVersion }, (_, index) =>
          formatTypeAndVersion({ type, schemaVersion: index + 1 }),
        ),
      );
    // With an empty registry, the comparison would prove nothing.
    expect(declared.length).toBeGreaterThan(20);
    expect([...new Set(fixtures.map(formatTypeAndVersion))].sort()).toEqual(declared.sort());
  });

  it('are upcast to the current version when they are read', async () => {
    const eventTypes = log.app.get(EventTypeRegistry);
    for (const streamId of new Set(fixtures.map((fixture) => fixture.streamId))) {
      for (const { type, schemaVersion } of await log.app.get(EventStoreRepository).read(streamId)) {
        expect(schemaVersion).toBe(eventTypes.get(type).schemaVersion);
      }
    }
  });

  it('can be folded by the deciders of users, friendships, private messages, blocks and conduct', async () => {
    expect(await log.fold('user-1', userDecider)).toEqual({
      kind: 'registered',
      username: 'ada l',
      avatar: null,
      email: 'lovelace@example.org',
      gender: 'female',
      isModerator: true,
    });
    expect(await log.fold('user-2', userDecider)).toMatchObject({
      kind: 'registered',
      email: 'bob@example.org',
    });
    const friendship = await log.fold<{
      areFriends: boolean;
      pendingRequest: unknown;
      requests: Map<number, unknown>;
    }>('friendship-1-2', friendshipDecider);
    expect(friendship).toMatchObject({ areFriends: false, pendingRequest: null });
    expect(friendship.requests.get(1)).toMatchObject({ status: 'declined' });
    expect(friendship.requests.get(2)).toMatchObject({ status: 'accepted' });
    expect(await log.fold('friendship-2-3', friendshipDecider)).toMatchObject({
      areFriends: false,
      pendingRequest: null,
      requests: new Map(),
    });
    expect(await log.fold('block-1-2', blockDecider)).toEqual({ blockedAt: expect.any(Date) });
    expect(await log.fold('block-2-3', blockDecider)).toEqual({ blockedAt: null });
    const conduct = await log.fold<{ version: number; cases: Map<number, unknown> }>(
      'conduct-2',
      createConductDecider(conductPolicy),
    );
    expect(conduct.version).toBe(listFixturesOfStreams('conduct-2').length);
    expect(conduct.cases.get(1)).toMatchObject({
      state: 'decided',
      decision: { moderatorId: 1 },
      claim: null, // no moderator is working on the case
    });
    expect(await log.fold('private-1', privateMessageDecider)).toMatchObject({
      senderId: 1,
      isDeleted: true,
    });
  });

  it('can be folded by a replica that reads a live chat from the hot log in Redis', () => {
    const state = createChatState(UNLIMITED); // without rate limits
    const { streamId } = listFixturesOfStreams('chat-')[0]!;
    // A worker appends BodiesExpired to the log in PostgreSQL only.
    const events = listFixturesOfStreams(streamId).filter(({ type }) => type !== 'BodiesExpired');
    for (const [index, { type, schemaVersion, data }] of events.entries()) {
      // An entry of the hot log: event id, type, schema version and data.
      const text = JSON.stringify({ i: randomUUID(), t: type, v: schemaVersion, d: data });
      const { event } = decodeEvent(text);
      expect(event?.type).toBe(type);
      evolve(state, event, { id: `${START_MS + index + 1}-0`, seq: index + 1 });
    }
    expect(state).toMatchObject({ phase: 'ended', version: events.length, ended: { reason: 'skipped' } });
    expect(state.messages.map(({ content, isEdited }) => [content, isEdited])).toEqual([
      ['hi there', true],
      ['hi yourself', false],
    ]);
    expect([...state.gameIds]).toEqual(['g1', 'g2']);
    expect(state.pastGame).toMatchObject({ gameId: 'g2', ignoredBy: 1 });
  });

  it('can be applied by the projections, which write the rows of the read models', async () => {
    expect(await log.app.get(ProjectionRebuildService).rebuild()).toBe(fixtures.length);
    expect(await log.readRows('SELECT email, is_moderator FROM users ORDER BY id')).toEqual([
      { email: 'lovelace@example.org', is_moderator: true },
      { email: 'bob@example.org', is_moderator: false },
    ]);
    expect(await log.readRows('SELECT id FROM friend_requests ORDER BY id')).toEqual([
      { id: '1' },
      { id: '2' },
    ]);
    expect(await log.readRows('SELECT blocker_id, blocked_id FROM blocks')).toEqual([
      { blocker_id: '1', blocked_id: '2' },
    ]);
    expect(await log.readRows('SELECT id, kind FROM sanctions ORDER BY id')).toEqual([
      { id: '5', kind: 'suspended' },
      { id: '8', kind: 'suspended' }, // a ban, which the appeal reduced
    ]);
    expect(await log.readRows('SELECT user_id, sanction_notice_id, flagged_until FROM standings')).toEqual([
      { user_id: '2', sanction_notice_id: '9', flagged_until: null },
    ]);
    expect(await log.readRows('SELECT state, version, outcome, claimed_by FROM conduct_cases')).toEqual([
      {
        state: 'decided',
        version: listFixturesOfStreams('conduct-2').length,
        outcome: 'banned',
        claimed_by: null,
      },
    ]);
    expect(await log.readRows('SELECT id, outcome FROM reports')).toEqual([
      { id: '2', outcome: 'action_taken' },
    ]);
    expect(await log.readRows('SELECT id, outcome FROM appeals')).toEqual([{ id: '10', outcome: 'reduced' }]);
    expect(await log.readRows('SELECT id, recipient_id, kind FROM notices ORDER BY id')).toEqual([
      { id: '4', recipient_id: '2', kind: 'care' },
      { id: '6', recipient_id: '2', kind: 'suspension' },
      { id: '7', recipient_id: '2', kind: 'lifted' },
      { id: '9', recipient_id: '2', kind: 'suspension' },
      { id: '11', recipient_id: '2', kind: 'appeal_decided' },
      { id: '12', recipient_id: '2', kind: 'age_question' },
      { id: '13', recipient_id: '1', kind: 'report_decided' },
      { id: '14', recipient_id: '2', kind: 'warning' },
    ]);
    expect(await log.readRows('SELECT * FROM chat_history')).toHaveLength(1);
    expect(await log.readRows('SELECT action, image_id FROM moderator_actions')).toEqual([
      { action: 'image_read', image_id: '3' },
    ]);
    expect(await log.readRows('SELECT id FROM blocked_images')).toEqual([{ id: '6' }]);
    expect(await log.readRows('SELECT is_deleted FROM private_messages')).toEqual([{ is_deleted: true }]);
  });

  it('keep personal data, such as names and texts, only in personal fields, which can be erased', () => {
    const eventTypes = log.app.get(EventTypeRegistry);
    const permanentFields = fixtures.flatMap(({ type, data }) =>
      Object.keys(omitPersonalFields(eventTypes, { type, data })),
    );
    for (const field of ['username', 'email', 'gender', 'content', 'clientId', 'gameId', 'response'])
      expect(permanentFields).not.toContain(field);
  });
});

describe('events of all releases whose personal fields were erased', () => {
  let log: FixtureLog;

  beforeAll(async () => {
    log = await FixtureLog.create((fixture, eventTypes) => omitPersonalFields(eventTypes, fixture));
  });
  afterAll(() => log.close());

  it('are folded and applied without these fields', async () => {
    expect(await log.app.get(ProjectionRebuildService).rebuild()).toBe(fixtures.length);
    expect(await log.readRows('SELECT username, avatar, email, gender FROM users ORDER BY id')).toEqual([
      { username: '', avatar: null, email: null, gender: null },
      { username: '', avatar: null, email: null, gender: null },
    ]);
    expect(await log.readRows('SELECT content, client_id FROM private_messages')).toEqual([
      { content: '', client_id: null },
    ]);
    expect(await log.fold('user-1', userDecider)).toMatchObject({ kind: 'registered', username: '' });
    expect(await log.fold('private-1', privateMessageDecider)).toMatchObject({ isDeleted: true });
  });
});
