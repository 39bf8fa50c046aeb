import { topics, findTopics } from './topics.js';

it('topics lists 24 topics, each once', () => {
  expect(topics).toHaveLength(24);
  expect(new Set(topics).size).toBe(24);
});

it.each([
  ['I made PASTA yesterday', ['food']],
  // Plurals in -s and -es are found through the singular; "puppies" is listed itself.
  ['two dogs, three puppies and a fox', ['animals']],
  ['the foxes on the beaches', ['animals', 'nature']],
  ['pizza and a film?', ['films', 'food']],
  // The accent is a separate code point.
  ['Wir waren im cafe\u0301', ['drinks']],
  ['😀 👍 12345', []],
  // Only whole words count: "cat" and "band" have topics.
  ['catalogue of bandages', []],
  ['', []],
])('findTopics of %j returns %j', (text, expected) => {
  expect(findTopics([text])).toEqual(expected);
});

it('findTopics finds every topic, and returns the topics in the order of the list', () => {
  const texts = [
    'happy language moon laptop museum nap sofa wedding friend sister exam job rain forest cat trip coffee bread',
    'tennis chess novel episode cinema guitar',
  ];
  expect(findTopics(texts)).toEqual([...topics]);
});

// A pattern that backtracks would be slow in such texts.
it('findTopics finds no topic in texts that repeat a character or an ending 20,000 times', () => {
  const texts = ['a', 's', 'es', "'", '\u0301', ' '].map((part) => part.repeat(20_000));
  expect(findTopics(texts)).toEqual([]);
});
