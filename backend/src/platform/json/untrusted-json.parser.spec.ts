import { parseUntrustedJson } from './untrusted-json.parser';

describe('parseUntrustedJson', () => {
  it('parses frames and bodies of the contract', () => {
    const frame = { event: 'random_message', data: { content: 'constructor "[{' }, ref: '1' };
    expect(parseUntrustedJson(JSON.stringify(frame))).toEqual(frame);
  });

  it.each([
    '{"__proto__":{"a":1}}',
    '{"data":{"constructor":1}}',
    '{"data":[{"prototype":1}]}',
    '{"\\u005f_proto__":1}',
  ])('refuses %s', (text) => {
    expect(() => parseUntrustedJson(text)).toThrow(SyntaxError);
  });

  it('refuses 14 KB of brackets before parsing them', () => {
    expect(() => parseUntrustedJson('['.repeat(7_000) + ']'.repeat(7_000))).toThrow('nested too deeply');
  });
});
