import fc from 'fast-check';
import { UNLIMITED } from '../../../testing/given-chat.fixture';
import { comparePositionIds, type MessageSent, parseOccurredAtMs } from './random-chat.events';
import { evolve, createChatState, findMessage, type RandomChatState } from './random-chat.state';

const START_MS = 1_763_640_120_000;

const createMessageSent = (content: string): MessageSent => ({
  type: 'MessageSent',
  data: { senderId: 1, content, messageType: 'text', replyTo: null, clientId: null },
});

/**
 * Creates a chat with the messages `message 1`, `message 2` and so on. Their ids are those of a Redis stream,
 * `<ms>-<index>`: the index increases within a millisecond.
 * @param gapsMs for each message, the time since the previous one.
 */
const createChat = (gapsMs: readonly number[]): { state: RandomChatState; ids: readonly string[] } => {
  const ids: string[] = [];
  let state = createChatState(UNLIMITED);
  let ms = START_MS;
  // If the first gap is 0, the first message has index 1.
  let indexInMs = 0;
  for (const gap of gapsMs) {
    indexInMs = gap === 0 ? indexInMs + 1 : 0;
    ms += gap;
    const id = `${ms}-${indexInMs}`;
    ids.push(id);
    state = evolve(state, createMessageSent(`message ${ids.length}`), { id, seq: ids.length });
  }
  return { state, ids };
};

// Most gaps are 0, so that two-digit indexes occur, which sort differently as text.
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

test('findMessage finds no message by a malformed id', () => {
  const { state } = createChat([0, 0, 2, 0]);
  for (const id of ['', 'x', '-', '-1', `${START_MS}`, `${START_MS}-01`])
    expect(findMessage(state, id)).toBeUndefined();
});

test('findMessage finds no message by an id before, between or after the ids of the messages', () => {
  const { state, ids } = createChat([0, 0, 2, 0]);
  expect(ids).toEqual([`${START_MS}-1`, `${START_MS}-2`, `${START_MS + 2}-0`, `${START_MS + 2}-1`]);
  for (const id of ['0-0', `${START_MS}-0`, `${START_MS}-3`, `${START_MS + 1}-0`, `${START_MS + 3}-0`])
    expect(findMessage(state, id)).toBeUndefined();
});

test('findMessage finds no message in an empty chat', () => {
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

test('evolve changes only version and size for an event of an unknown type', () => {
  const { state } = createChat([0]);
  const stateBefore = { ...state }; // a copy, because `evolve` mutates `state`
  const unknownEvent = null; // the codec decodes an event of an unknown type to null
  expect(evolve(state, unknownEvent, { id: `${START_MS + 5}-0`, seq: 2 }, 100)).toEqual({
    ...stateBefore,
    version: 2,
    bytes: stateBefore.bytes + 100,
  });
});
