import { topics, findTopics } from '@thaw/contract/topics';
import { chooseStarters, getStage } from '@/features/suggestions/choose-starters';
import { starters, type Starter } from '@/features/suggestions/starters';

const excludeNone = (): boolean => false;
const choose = (
  texts: readonly string[],
  conversationId = 's1',
  isExcluded: (starter: Starter) => boolean = excludeNone,
): readonly Starter[] => chooseStarters(starters, { conversationId, texts }, isExcluded);

/** Deterministic pseudo-random numbers (mulberry32), so that a failure can be repeated. */
const createRandom = (seed: number): ((below: number) => number) => {
  let state = seed;
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return Math.floor((((value ^ (value >>> 14)) >>> 0) / 2 ** 32) * below);
  };
};

const sampleTexts = [
  'hello',
  'pasta',
  'my dog',
  'a film',
  'rain',
  'the stars',
  'coffee and a book',
  'ok',
  '',
];
/** Up to 29 messages. */
const chooseTexts = (random: (below: number) => number): string[] =>
  Array.from({ length: random(30) }, () => sampleTexts[random(sampleTexts.length)] ?? '');

describe('the starters', () => {
  it('are 120, each with an id and a text of its own', () => {
    expect(starters).toHaveLength(120);
    expect(new Set(starters.map(({ id }) => id)).size).toBe(120);
    expect(new Set(starters.map(({ text }) => text)).size).toBe(120);
  });

  it('cover every topic in every stage', () => {
    for (const topic of topics) {
      const stages = starters.filter((starter) => starter.topics.includes(topic)).map(({ stage }) => stage);
      expect(new Set(stages).size).toBe(3);
    }
  });

  it('are questions of at most 48 characters, which fit into the two lines of a chip', () => {
    for (const { text } of starters) {
      expect(text).toMatch(/^[A-Z][^\n]*\?$/);
      expect(text.length).toBeLessThanOrEqual(48);
    }
  });
});

describe('getStage', () => {
  it.each([
    [0, 'opener'],
    [3, 'opener'],
    [4, 'follow_up'],
    [20, 'follow_up'],
    [21, 'deepener'],
  ] as const)('for %d messages, returns the stage %s', (count, stage) => {
    expect(getStage(count)).toBe(stage);
  });
});

// The message 'hm' is about no topic.
describe('chooseStarters', () => {
  it('puts a starter about the newest topic first, in the stage of the chat', () => {
    const texts = ['a film', 'hm', 'hm', 'I made pasta'];
    expect(choose(texts)[0]).toMatchObject({ topics: ['food'], stage: 'follow_up' });
    expect(choose([...texts].reverse())[0]).toMatchObject({ topics: ['films'], stage: 'follow_up' });
  });

  it('weighs a message half as much as the one three messages later', () => {
    // 'soup' is about food. A message that n messages follow weighs 0.5 ** (n / 3). Food weighs 0.397 + 0.5, films 1.
    expect(choose(['soup', 'soup', 'hm', 'hm', 'a film'])[0]?.topics).toEqual(['films']);
    // The third 'soup', which two messages follow, adds 0.63 for food.
    expect(choose(['soup', 'soup', 'soup', 'hm', 'a film'])[0]?.topics).toEqual(['food']);
  });

  it('ignores messages before the last ten', () => {
    // No topic is found, so all starters are openers, although the chat is at another stage.
    expect(choose(['pasta', ...Array<string>(10).fill('hm')]).map(({ stage }) => stage)).toEqual([
      'opener',
      'opener',
      'opener',
    ]);
  });

  it('chooses only openers if no topic is found, whatever the stage', () => {
    for (const count of [0, 5, 30]) {
      expect(choose(Array<string>(count).fill('hm')).every(({ stage }) => stage === 'opener')).toBe(true);
    }
  });

  it('returns the same starters whatever their order in the list', () => {
    const reversed = chooseStarters(
      [...starters].reverse(),
      { conversationId: 's1', texts: [] },
      excludeNone,
    );
    expect(reversed).toEqual(choose([]));
  });

  it('orders starters of equal score differently in different chats', () => {
    const results = Array.from({ length: 20 }, (_, index) => choose([], `s${index}`)[0]?.id);
    expect(new Set(results).size).toBeGreaterThan(5);
  });

  it('returns the same three starters for the same chat, none excluded and no topic twice, in 2,000 random chats', () => {
    const random = createRandom(17);
    for (let run = 0; run < 2_000; run += 1) {
      const texts = chooseTexts(random);
      const excluded = new Set(starters.filter(() => random(3) === 0).map(({ id }) => id));
      const chosen = choose(texts, `s${run}`, ({ id }: Starter) => excluded.has(id));
      expect(chosen).toHaveLength(3);
      expect(chosen.some(({ id }) => excluded.has(id))).toBe(false);
      const chosenTopics = chosen.flatMap((starter) => starter.topics);
      expect(new Set(chosenTopics).size).toBe(chosenTopics.length);
      expect(chosen).toEqual(choose(texts, `s${run}`, ({ id }: Starter) => excluded.has(id)));
    }
  });

  it('puts a starter first that is about a topic of the chat or fits its stage, in 2,000 random chats', () => {
    const random = createRandom(4);
    for (let run = 0; run < 2_000; run += 1) {
      const texts = chooseTexts(random);
      const found = findTopics(texts.slice(-10));
      const [first] = choose(texts, `s${run}`);
      const isAboutChat = first?.topics.some((topic) => found.includes(topic));
      // If no topic is found, openers are chosen whatever the stage.
      const stage = found.length === 0 ? 'opener' : getStage(texts.length);
      expect(isAboutChat || first?.stage === stage).toBe(true);
    }
  });

  it('returns an empty array when every starter is excluded', () => {
    expect(choose(['pasta'], 's1', () => true)).toEqual([]);
  });
});
