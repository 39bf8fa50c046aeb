import { topics, findTopics } from './topics.js';

it('knows 24 topics, each once', () => {
  expect(topics).toHaveLength(24);
  expect(new Set(topics).size).toBe(24);
});

it.each([
  ['I made PASTA yesterday', ['food']],
  ['two dogs, three puppies and a fox', ['animals']],
  ['the buses to the beaches', ['nature']],
  ['pizza and a film?', ['films', 'food']],
  ['Wir waren im cafe\u0301', ['drinks']],
  ['😀 👍 12345', []],
  ['catalogue of bandages', []],
  ['', []],
])('of %j are %j', (text, expected) => {
  expect(findTopics([text])).toEqual(expected);
});

it('finds every topic by at least one word, in the order of the list', () => {
  const texts = [
    'happy language moon laptop museum nap sofa wedding friend sister exam job rain forest cat trip coffee bread',
    'tennis chess novel episode cinema guitar',
  ];
  expect(findTopics(texts)).toEqual([...topics]);
});

it('reads hostile texts', () => {
  expect(findTopics(['a', 's', 'es', "'", '\u0301', ' '].map((part) => part.repeat(20_000)))).toEqual([]);
});
