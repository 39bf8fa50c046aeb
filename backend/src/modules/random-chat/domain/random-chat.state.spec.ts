import fc from 'fast-check';
import { UNLIMITED } from '../../../testing/given-chat.fixture';
import { comparePositionIds, type MessageSent, parseOccurredAtMs } from './random-chat.events';
import { evolve, createChatState, findMessage, type RandomChatState } from './random-chat.state';

const START_MS = 1_763_640_120_000;

const sent = (content: string): MessageSent => ({
  type: 'MessageSent',
  data: { senderId: 1, content, messageType: 'text', replyTo: null, clientId: null },
});

/** A chat with one message per gap (ms since the previous one). Within a millisecond, sequence numbers increase. */
const createChat = (gapsMs: readonly number[]): { state: RandomChatState; ids: readonly string[] } => {
  const ids: string[] = [];
  let state = createChatState(UNLIMITED);
  let [ms, sequence] = [START_MS, 0];
  for (const gap of gapsMs) {
    sequence = gap === 0 ? sequence + 1 : 0;
    ms += gap;
    const id = `${ms}-${sequence}`;
    ids.push(id);
    state = evolve(state, sent(`message ${ids.length}`), { id, seq: ids.length });
  }
  return { state, ids };
};

// Most gaps are 0, so that two-digit sequence numbers occur.
const arbitraryGapsMs = fc.array(fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.nat(3)), {
  maxLength: 40,
});

test('findMessage finds every message by its id', () => {
  fc.assert(
    fc.property(arbitraryGapsMs, (gapsMs) => {
      const { state, ids } = createChat(gapsMs);
      for (const [index, id] of ids.entries())
        expect(findMessage(state, id)?.content).toBe(`message ${index + 1}`);
    }),
  );
});

test('findMessage finds nothing by any other id', () => {
  const { state } = createChat([0, 0, 2, 0]);
  for (const id of [
    '',
    'x',
    '-',
    '-1',
    '0-0',
    `${START_MS}`,
    `${START_MS}-0`,
    `${START_MS}-3`,
    `${START_MS}-01`,
  ])
    expect(findMessage(state, id)).toBeUndefined();
  expect(findMessage(state, `${START_MS + 1}-0`)).toBeUndefined();
  expect(findMessage(state, `${START_MS + 3}-0`)).toBeUndefined();
  expect(findMessage(createChatState(UNLIMITED), `${START_MS}-1`)).toBeUndefined();
});

test('comparePositionIds compares ids as numbers', () => {
  expect(comparePositionIds('999-0', '1000-0')).toBeLessThan(0);
  expect(comparePositionIds('1000-10', '1000-9')).toBeGreaterThan(0);
  expect(comparePositionIds('1000-1', '1000-1')).toBe(0);
});

test('parseOccurredAtMs returns the part of the id before the dash', () => {
  expect(parseOccurredAtMs({ id: `${START_MS}-12` })).toBe(START_MS);
});

test('evolve only advances version and size for an event of a newer release', () => {
  const { state } = createChat([0]);
  const before = { ...state };
  expect(evolve(state, null, { id: `${START_MS + 5}-0`, seq: 2 }, 100)).toEqual({
    ...before,
    version: 2,
    bytes: before.bytes + 100,
  });
});
