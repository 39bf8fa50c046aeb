// Runs against real workers in this process, PostgreSQL, Redis and BullMQ. A worker holds a chat whose next event it
// cannot write, although another release may be able to: because of a bug, or because the event is of a newer release.
// The later events of the chat wait in the outbox, among those of other chats.
import { EventTypeRegistry } from '../../../platform/event-store/event-type.registry';
import { ProjectionRegistry } from '../../../platform/event-store/projection.registry';
import { OutboxRepository } from '../../../platform/hot-log/outbox.repository';
import { chatKeys, findShard } from '../../../platform/redis/redis.keys';
import {
  chatStarted,
  createSessionId,
  createSessionIdInShardOf,
  messageSent,
} from '../../../testing/raw-outbox.fixture';
import { TestOutboxes } from '../../../testing/test-outboxes.harness';

jest.setTimeout(60_000);

/** An event that only a newer release can write. */
const eventOfUnknownType = { type: 'ChatReported', data: { by: 1 } };

describe('OutboxWriterService with a chat that it holds', () => {
  const outboxes = TestOutboxes.useInTests();

  /** As a bug of this release, makes the worker fail to write messages of one chat. @returns a function that ends it */
  const failToWriteMessages = (sessionId: string): (() => void) => {
    const projections = outboxes.worker.app.get(ProjectionRegistry);
    const apply = projections.apply.bind(projections);
    const throwing = jest.spyOn(projections, 'apply').mockImplementation(async (events, manager) => {
      if (events.some(({ streamId, type }) => streamId === `chat-${sessionId}` && type === 'MessageSent')) {
        throw new TypeError('Cannot read properties of undefined');
      }
      return apply(events, manager);
    });
    return () => throwing.mockRestore();
  };

  it('delays only this chat while a projection throws; afterwards the chat is persisted in order', async () => {
    const heldChat = createSessionId();
    const otherChat = createSessionIdInShardOf(heldChat);
    const fixBug = failToWriteMessages(heldChat);
    await outboxes.add(heldChat, chatStarted(), messageSent('one'), messageSent('two'));
    await outboxes.add(otherChat, chatStarted(), messageSent('goes on'));
    await outboxes.waitUntilPersisted(otherChat, 'ChatStarted', 'goes on');
    await outboxes.add(heldChat, messageSent('three'));
    await outboxes.add(otherChat, messageSent('and on'));
    await outboxes.waitUntilPersisted(otherChat, 'ChatStarted', 'goes on', 'and on');
    expect(await outboxes.readPersisted(heldChat)).toEqual(['ChatStarted']);
    expect(await outboxes.readGauge('thaw_held_chats')).toBe(1);
    expect(await outboxes.readLength()).toBe(3); // the messages of the held chat
    fixBug();
    await outboxes.waitUntilPersisted(heldChat, 'ChatStarted', 'one', 'two', 'three');
    await outboxes.waitForHeldChats(0);
    expect(await outboxes.listDeadLetters()).toEqual([]);
  });

  it.each<[string, { type: string; version?: number; data: object }]>([
    ['an unknown type', eventOfUnknownType],
    ['an unknown version', { type: 'ReactionAdded', version: 2, data: { emojis: [] } }],
  ])('leaves an event of %s to a worker of a newer release', async (_, event) => {
    const heldChat = createSessionId();
    const otherChat = createSessionIdInShardOf(heldChat);
    await outboxes.add(heldChat, chatStarted(), event, messageSent('after it'));
    await outboxes.add(otherChat, chatStarted());
    await outboxes.waitUntilPersisted(otherChat, 'ChatStarted');
    await outboxes.waitUntilPersisted(heldChat, 'ChatStarted');
    await outboxes.waitForHeldChats(1);

    const newer = await outboxes.stack.startWorker();
    const types = newer.app.get(EventTypeRegistry);
    // The newer release knows the version or the type of the event.
    if (event.version) jest.spyOn(types, 'upcast').mockImplementation((_type, _version, data) => data);
    else types.register([{ type: event.type, schemaVersion: 1, personalFields: [] }]);
    await outboxes.waitUntilPersisted(heldChat, 'ChatStarted', event.type, 'after it');
    // The old worker releases the chat at its next retry, which is at most 30 s later.
    await outboxes.waitForHeldChats(0, 40_000);
    await newer.stop();
  });

  it('does not block other chats when 1,201 entries of this chat wait at the head of the outbox', async () => {
    const messages = Array.from({ length: 1_200 }, (_, index) => messageSent(`${index}`));
    const heldChat = createSessionId();
    const otherChat = createSessionIdInShardOf(heldChat);
    await outboxes.add(heldChat, chatStarted(), eventOfUnknownType, ...messages);
    await outboxes.add(otherChat, chatStarted(), messageSent('behind 1,200'));
    await outboxes.waitUntilPersisted(otherChat, 'ChatStarted', 'behind 1,200');
    const read = jest.spyOn(outboxes.worker.app.get(OutboxRepository), 'read');
    await outboxes.add(otherChat, messageSent('later'));
    await outboxes.waitUntilPersisted(otherChat, 'ChatStarted', 'behind 1,200', 'later');
    // A retry of the held chat may have read its entries once. The new message has not: they would be read twice then.
    const results = read.mock.results.map(({ value }) => value as ReturnType<OutboxRepository['read']>);
    const pages = (await Promise.all(results)).flat();
    const readEntries = pages.flatMap(({ entries }) => entries);
    expect(readEntries.length).toBeLessThan(2 * messages.length);
    expect(await outboxes.readLength()).toBe(1 + messages.length);
    // Deletes the held entries: no worker of these tests can write them, and `afterEach` waits for empty outboxes.
    await outboxes.stack.store.redis.del(chatKeys(findShard(heldChat)).outbox);
  });
});
