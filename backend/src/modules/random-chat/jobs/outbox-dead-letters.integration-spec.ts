// Runs against a real worker in this process, PostgreSQL, Redis and BullMQ. An entry of an outbox that cannot be
// written because of its content becomes a dead letter: it moves to another stream, so that it does not hold up its
// chat. An operator can replay dead letters, which moves them back to the outboxes.
import { Logger } from '@nestjs/common';
import { DeadLetterRepository } from '../../../platform/hot-log/dead-letter.repository';
import { chatKeys, findShard } from '../../../platform/redis/redis.keys';
import {
  chatStarted,
  createSessionId,
  createSessionIdInShardOf,
  encodeEvent,
  messageSent,
} from '../../../testing/raw-outbox.fixture';
import { TestOutboxes } from '../../../testing/test-outboxes.harness';

jest.setTimeout(60_000);

/** PostgreSQL cannot store NUL in a text. */
const TEXT_WITH_NUL = 'a secret with nul \u0000';

describe('dead letters of OutboxWriterService', () => {
  const outboxes = TestOutboxes.useInTests();
  afterEach(async () => {
    const { store } = outboxes.stack;
    for (const key of await store.listKeys('*:dead-letters')) await store.redis.del(key);
  });

  it('receive an invalid entry after five attempts, and the rest of its chat is persisted', async () => {
    const errorLines: string[] = [];
    jest.spyOn(Logger.prototype, 'error').mockImplementation((line: string) => void errorLines.push(line));
    // Each of these chats has one invalid entry.
    const [nul, noJson, noUuid] = [createSessionId(), createSessionId(), createSessionId()];
    const bystander = createSessionIdInShardOf(nul);
    await outboxes.add(nul, chatStarted(), messageSent(TEXT_WITH_NUL), messageSent('after'));
    await outboxes.add(noJson, chatStarted(), 'no json', messageSent('after'));
    await outboxes.add(noUuid, chatStarted(), {
      type: 'GameIgnored',
      eventId: 'no uuid',
      data: { gameId: 'g', userId: 1 },
    });
    await outboxes.add(bystander, chatStarted(), messageSent('goes on'));
    await outboxes.waitUntilPersisted(bystander, 'ChatStarted', 'goes on');
    expect(await outboxes.listDeadLetters()).toEqual([]);
    await outboxes.waitUntilPersisted(nul, 'ChatStarted', 'after');
    await outboxes.waitUntilPersisted(noJson, 'ChatStarted', 'after');
    await outboxes.waitUntilEmpty();
    // The reasons are a SQLSTATE or the name of an error.
    expect((await outboxes.listDeadLetters()).sort()).toEqual(
      [`${nul} 22P05`, `${noJson} UndecodableEvent`, `${noUuid} 22P02`].sort(),
    );
    expect(await outboxes.readGauge('thaw_dead_letters')).toBe(3);
    expect(await outboxes.readGauge('thaw_held_chats')).toBe(0);
    expect(errorLines.filter((line) => line.includes(nul) && line.includes('refused 5 times'))).toHaveLength(
      1,
    );
    // The log does not quote the text of a chat.
    expect(errorLines.join()).not.toContain('secret');
  });

  it('are replayed once and in order when two replays run at the same time', async () => {
    const chat = createSessionId();
    const otherChat = createSessionId();
    const addDeadLetter = (sessionId: string, content: string) => {
      const event = encodeEvent(messageSent(content));
      const fields = ['session', sessionId, 'entry', `${Date.now()}-0`, 'event', event];
      return outboxes.stack.store.redis.xadd(chatKeys(findShard(sessionId)).deadLetters, '*', ...fields);
    };
    await addDeadLetter(chat, 'first');
    await addDeadLetter(chat, 'second');
    await addDeadLetter(otherChat, 'of another chat');
    expect(await outboxes.readGauge('thaw_dead_letters')).toBe(3);
    expect(await outboxes.listDeadLetters()).toHaveLength(3);
    const letters = outboxes.worker.app.get(DeadLetterRepository);
    const counts = await Promise.all([letters.replay(), letters.replay()]);
    expect(counts[0] + counts[1]).toBe(3);
    await outboxes.waitUntilPersisted(chat, 'first', 'second');
    await outboxes.waitUntilPersisted(otherChat, 'of another chat');
    expect(await letters.replay()).toBe(0);
    expect(await outboxes.readGauge('thaw_dead_letters')).toBe(0);
  });
});
