// Uses real PostgreSQL. testing/event-fixtures.json contains an event of each schema version of each event type that
// any release has written. The expected states and rows follow from these events:
// - Users: Ada (1) registers, changes the profile and the e-mail address, and becomes a moderator. Bob (2) starts as an
//   anonymous user, creates an account, and is a moderator for some time. User 3 is erased.
// - Friends: Bob declines a request of Ada. Ada accepts a request of Bob, and removes the friend later. The service
//   ends a request of user 3 to Bob.
// - Blocks: Ada blocks Bob. Bob blocks user 3 and unblocks them.
// - Private chat: Ada sends a message to Bob, edits it and deletes it.
// - Random chat: Ada and Bob write a message each. They answer the question of game g1. Ada ignores game g2, and then
//   skips the chat.
// - Conduct: Ada reports Bob, which opens case 1. Bob is flagged, and suspended automatically (sanction 5). The
//   decision of case 1 lifts both, warns Bob, and bans them (sanction 8). Bob's appeal reduces the ban to a suspension.
//   Bob is asked for their age, and answers.
// - Images: a moderator reads image 3, blocks the images 5 and 6, and unblocks image 5.
import { randomUUID } from 'node:crypto';
import { blockDecider } from './modules/blocks/domain/block.decider';
import { createConductDecider } from './modules/conduct/domain/conduct.decider';
import { friendshipDecider } from './modules/friends/domain/friendship.decider';
import { privateMessageDecider } from './modules/private-chat/domain/private-message.decider';
import { decodeEvent } from './modules/random-chat/application/chat-event.codec';
import { evolve, createChatState } from './modules/random-chat/domain/random-chat.state';
import { userDecider } from './modules/users/domain/user.decider';
import { EventStoreRepository } from './platform/event-store/event-store.repository';
import { EventTypeRegistry } from './platform/event-store/event-type.registry';
import { ProjectionRebuildService } from './platform/event-store/projection-rebuild.service';
import { conductPolicy } from './testing/conduct-events.fixture';
import {
  type EventFixture,
  eventFixtures,
  FixtureLog,
  listFixturesOfStreams,
  omitPersonalFields,
  START_MS,
} from './testing/fixture-log.harness';
import { UNLIMITED } from './testing/given-chat.fixture';

const formatTypeAndVersion = ({ type, schemaVersion }: Pick<EventFixture, 'type' | 'schemaVersion'>) =>
  `${type} ${schemaVersion}`;

describe('events of all releases', () => {
  let log: FixtureLog;

  beforeAll(async () => {
    log = await FixtureLog.create(({ data }) => data); // with all fields, so none is erased
  });
  afterAll(() => log.close());

  it('have a fixture of each version of each declared type, and of no others', () => {
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
    expect([...new Set(eventFixtures.map(formatTypeAndVersion))].sort()).toEqual(declared.sort());
  });

  it('are upcast to the current version when they are read', async () => {
    const eventTypes = log.app.get(EventTypeRegistry);
    for (const streamId of new Set(eventFixtures.map((fixture) => fixture.streamId))) {
      for (const { type, schemaVersion } of await log.app.get(EventStoreRepository).read(streamId)) {
        expect(schemaVersion).toBe(eventTypes.get(type).schemaVersion);
      }
    }
  });

  it('keep personal data, such as names and texts, only in personal fields, which can be erased', () => {
    const eventTypes = log.app.get(EventTypeRegistry);
    const permanentFields = eventFixtures.flatMap((fixture) =>
      Object.keys(omitPersonalFields(eventTypes, fixture)),
    );
    // Clients choose `clientId` and `gameId`, which may therefore contain any text.
    for (const field of ['username', 'email', 'gender', 'content', 'clientId', 'gameId', 'response'])
      expect(permanentFields).not.toContain(field);
  });

  describe('can be folded', () => {
    it('by the decider of users', async () => {
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
    });

    it('by the decider of friendships', async () => {
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
    });

    it('by the decider of blocks', async () => {
      expect(await log.fold('block-1-2', blockDecider)).toEqual({ blockedAt: expect.any(Date) });
      expect(await log.fold('block-2-3', blockDecider)).toEqual({ blockedAt: null });
    });

    it('by the decider of conduct', async () => {
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
    });

    it('by the decider of private messages', async () => {
      expect(await log.fold('private-1', privateMessageDecider)).toMatchObject({
        senderId: 1,
        isDeleted: true,
      });
    });

    it('by a replica that reads a live chat from the hot log in Redis', () => {
      const state = createChatState(UNLIMITED); // without rate limits
      const { streamId } = listFixturesOfStreams('chat-')[0]!;
      // A worker appends BodiesExpired to the log in PostgreSQL only, so the hot log does not contain it.
      const events = listFixturesOfStreams(streamId).filter(({ type }) => type !== 'BodiesExpired');
      for (const [index, { type, schemaVersion, data }] of events.entries()) {
        // An entry of the hot log: event id, type, schema version and data.
        const text = JSON.stringify({ i: randomUUID(), t: type, v: schemaVersion, d: data });
        const { event } = decodeEvent(text);
        expect(event?.type).toBe(type);
        // The id of an event in the hot log. The second event has the id by which later fixtures refer to its message.
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
  });

  describe('can be applied by the projections, which write the rows', () => {
    let appliedCount: number;

    beforeAll(async () => {
      appliedCount = await log.app.get(ProjectionRebuildService).rebuild();
    });

    it('without leaving out an event', () => {
      expect(appliedCount).toBe(eventFixtures.length);
    });

    it('of users, without the erased one', async () => {
      expect(await log.readRows('SELECT email, is_moderator FROM users ORDER BY id')).toEqual([
        { email: 'lovelace@example.org', is_moderator: true },
        { email: 'bob@example.org', is_moderator: false },
      ]);
    });

    it('of friend requests and blocks, without a request that the service has ended', async () => {
      expect(await log.readRows('SELECT id FROM friend_requests ORDER BY id')).toEqual([
        { id: '1' },
        { id: '2' },
      ]);
      expect(await log.readRows('SELECT blocker_id, blocked_id FROM blocks')).toEqual([
        { blocker_id: '1', blocked_id: '2' },
      ]);
    });

    it('of sanctions and standings, as they are after the appeal', async () => {
      expect(await log.readRows('SELECT id, kind FROM sanctions ORDER BY id')).toEqual([
        { id: '5', kind: 'suspended' }, // the automatic one, which keeps its row after it is lifted
        { id: '8', kind: 'suspended' }, // a ban until the appeal reduced it
      ]);
      expect(await log.readRows('SELECT user_id, sanction_notice_id, flagged_until FROM standings')).toEqual([
        { user_id: '2', sanction_notice_id: '9', flagged_until: null },
      ]);
    });

    it('of cases, reports and appeals with their outcomes', async () => {
      expect(await log.readRows('SELECT state, version, outcome, claimed_by FROM conduct_cases')).toEqual([
        {
          state: 'decided',
          version: listFixturesOfStreams('conduct-2').length,
          outcome: 'banned', // an appeal changes the sanction, but not the outcome of the case
          claimed_by: null,
        },
      ]);
      expect(await log.readRows('SELECT id, outcome FROM reports')).toEqual([
        { id: '2', outcome: 'action_taken' },
      ]);
      expect(await log.readRows('SELECT id, outcome FROM appeals')).toEqual([
        { id: '10', outcome: 'reduced' },
      ]);
    });

    it('of notices', async () => {
      expect(await log.readRows('SELECT id, recipient_id, kind FROM notices ORDER BY id')).toEqual([
        { id: '4', recipient_id: '2', kind: 'care' }, // the flag
        { id: '6', recipient_id: '2', kind: 'suspension' }, // the automatic one
        { id: '7', recipient_id: '2', kind: 'lifted' },
        { id: '9', recipient_id: '2', kind: 'suspension' }, // about a ban until the appeal reduced it
        { id: '11', recipient_id: '2', kind: 'appeal_decided' },
        { id: '12', recipient_id: '2', kind: 'age_question' },
        { id: '13', recipient_id: '1', kind: 'report_decided' },
        { id: '14', recipient_id: '2', kind: 'warning' },
      ]);
    });

    it('of chats, private messages, and the acts of moderators on images', async () => {
      expect(await log.readRows('SELECT * FROM chat_history')).toHaveLength(1);
      expect(await log.readRows('SELECT is_deleted FROM private_messages')).toEqual([{ is_deleted: true }]);
      // To block or unblock an image is recorded in the stream of the image instead.
      expect(await log.readRows('SELECT action, image_id FROM moderator_actions')).toEqual([
        { action: 'image_read', image_id: '3' },
      ]);
      expect(await log.readRows('SELECT id FROM blocked_images')).toEqual([{ id: '6' }]);
    });
  });
});

describe('events of all releases whose personal fields were erased', () => {
  let log: FixtureLog;

  beforeAll(async () => {
    log = await FixtureLog.create((fixture, eventTypes) => omitPersonalFields(eventTypes, fixture));
  });
  afterAll(() => log.close());

  it('are folded and applied without these fields', async () => {
    expect(await log.app.get(ProjectionRebuildService).rebuild()).toBe(eventFixtures.length);
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
