import { suggestionLimits } from '@thaw/contract/suggestions';
import { parseSuggestions } from './suggestion-answer.parser';

/** `OptionalServerClient` refuses longer responses of the language model. */
const MAX_ANSWER_LENGTH = 16_384;
/** Parsing takes far less time, unless a regular expression backtracks. */
const MAX_PARSE_MS = 100;

describe('parseSuggestions', () => {
  it('reads one suggestion per line, at most three, each once', () => {
    expect(parseSuggestions('What made you laugh today?\n\nTea or coffee?\nTea or coffee?\nA?\nB?')).toEqual([
      'What made you laugh today?',
      'Tea or coffee?',
      'A?',
    ]);
  });

  it('removes list markers, quotes and emphasis', () => {
    expect(parseSuggestions('1. "Tea or coffee?"\n- **Cats** or dogs?\n2) “Why?”')).toEqual([
      'Tea or coffee?',
      'Cats or dogs?',
      'Why?',
    ]);
  });

  it.each([
    // Contact details:
    'See https://example.org/x',
    'Look at example.com',
    'Write to ada@example.org',
    'Call +48 600 123 456',
    'Add me on snap: ada_l',
    // A stated age:
    "I'm 15, and you?",
    // Markup:
    '<b>Hello</b>',
    '<script>alert(1)</script>',
    '[this](page)',
    '![picture](p.png)',
    '[IMAGE:/api/files/chat-images/x.webp]',
    '["a", "b"]',
    '{"suggestions": 1}',
    '# Heading',
    '`code`',
    // An introduction:
    'Here are three suggestions:',
    // No visible character:
    '\u200b\u2060',
    // Too long:
    'x'.repeat(suggestionLimits.maxCodePoints + 1),
  ])('leaves out the line %j', (line) => {
    expect(parseSuggestions(`${line}\nTea or coffee?`)).toEqual(['Tea or coffee?']);
  });

  it('removes control characters and direction controls', () => {
    expect(parseSuggestions('Tea\u0000 or\u202e coffee?\u0007')).toEqual(['Tea or coffee?']);
  });

  it('removes a <think> block, and everything after <think> if the block has no end', () => {
    expect(parseSuggestions('<think>\nThey like tea.\n</think>\nTea or coffee?')).toEqual(['Tea or coffee?']);
    expect(parseSuggestions('<think> without an end\nTea?')).toEqual([]);
  });

  it('parses the longest hostile answers without excessive backtracking', () => {
    for (const hostile of ['<think>', '*_', '"\'', ' \t', '1. ', 'a@', '\u202e']) {
      const repetitions = Math.floor(MAX_ANSWER_LENGTH / hostile.length);
      // With the `x`, an expression that must match up to the end fails late, which is its slowest case.
      const answer = `${hostile.repeat(repetitions)}x`;
      const startedAt = performance.now();
      parseSuggestions(answer);
      expect(performance.now() - startedAt).toBeLessThan(MAX_PARSE_MS);
    }
  });
});
