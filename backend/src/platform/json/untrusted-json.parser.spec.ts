import { parseUntrustedJson } from './untrusted-json.parser';

describe('parseUntrustedJson', () => {
  it('parses a frame whose text contains brackets and the name of a forbidden key', () => {
    const frame = { event: 'random_message', data: { content: 'constructor "[{' }, ref: '1' };
    expect(parseUntrustedJson(JSON.stringify(frame))).toEqual(frame);
  });

  it.each([
    ['__proto__', '{"__proto__":{"a":1}}'],
    ['constructor, nested', '{"data":{"constructor":1}}'],
    ['prototype, in a list', '{"data":[{"prototype":1}]}'],
    ['__proto__, escaped', '{"\\u005f_proto__":1}'],
  ])('refuses the key %s', (_label, text) => {
    expect(() => parseUntrustedJson(text)).toThrow(SyntaxError);
  });

  it('refuses 14 KB of brackets before parsing them', () => {
    expect(() => parseUntrustedJson('['.repeat(7_000) + ']'.repeat(7_000))).toThrow('nested too deeply');
  });
});
