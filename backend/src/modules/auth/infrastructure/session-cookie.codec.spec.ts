import { createHmac } from 'node:crypto';
import { SessionCookieCodec } from './session-cookie.codec';

const newSecret = 'x'.repeat(32);
const oldSecret = 'y'.repeat(40);

const createCodec = ({ secrets = newSecret, origin }: { secrets?: string; origin?: string } = {}) =>
  new SessionCookieCodec({ SESSION_SECRET: secrets, PUBLIC_ORIGIN: origin });

describe('SessionCookieCodec', () => {
  it.each([
    ['a missing secret', undefined],
    ['an empty secret', ''],
    ['a short word', 'changeme'],
    ['a secret of 31 bytes', 'x'.repeat(31)],
    ['a short second secret', `${newSecret},short`],
    ['only separators', ',,'],
  ])('rejects %s without repeating it in the error', (_case, SESSION_SECRET) => {
    const create = () => new SessionCookieCodec({ SESSION_SECRET, PUBLIC_ORIGIN: undefined });
    expect(create).toThrow(/^SESSION_SECRET \(or SESSION_SECRET_FILE\) must hold at least 32 bytes$/);
  });

  it('accepts several secrets, for rotation', () => {
    expect(createCodec({ secrets: `${newSecret}, ${oldSecret}` }).secrets).toEqual([newSecret, oldSecret]);
  });

  it.each([
    ['https://thaw.example.org', '__Host-thaw.sid', true],
    ['http://thaw.example.org', 'thaw.sid', false],
    [undefined, 'thaw.sid', false],
  ])(
    'for the public origin %s, names the session cookie %s and sets Secure to %s',
    (origin, name, isSecure) => {
      const { sessionCookieName, options } = createCodec({ origin });
      expect([sessionCookieName, options.secure]).toEqual([name, isSecure]);
    },
  );
});

describe('SessionCookieCodec.readSessionId', () => {
  const codec = createCodec({ secrets: `${newSecret},${oldSecret}` });
  /** Signs a session id as express-session does. */
  const sign = (sessionId: string, secret = newSecret): string => {
    const signature = createHmac('sha256', secret).update(sessionId).digest('base64').replace(/=+$/, '');
    return encodeURIComponent(`s:${sessionId}.${signature}`);
  };

  it.each([
    ['newest', newSecret],
    ['older', oldSecret],
  ])('reads an id that was signed with the %s secret', (_case, secret) => {
    expect(codec.readSessionId(`thaw.sid=${sign('id', secret)}`)).toBe('id');
  });

  it('reads an id that contains a dot, because the signature follows the last dot', () => {
    expect(codec.readSessionId(`thaw.sid=${sign('an.id', newSecret)}`)).toBe('an.id');
    expect(codec.readSessionId(`thaw.sid=${sign('an.id', oldSecret)}`)).toBe('an.id');
  });

  it('finds the session cookie among others, also with unusual blanks around the separators', () => {
    expect(codec.readSessionId(`other=1; thaw.sid=${sign('id')} ;thaw.device=x`)).toBe('id');
  });

  it('reads the first of several session cookies', () => {
    expect(codec.readSessionId(`thaw.sid=${sign('first')}; thaw.sid=${sign('second')}`)).toBe('first');
  });

  it('does not fall back to a later session cookie when the first one is forged', () => {
    expect(codec.readSessionId(`thaw.sid=forged; thaw.sid=${sign('second')}`)).toBeNull();
  });

  it.each([
    ['a missing header', undefined],
    ['an empty header', ''],
    ['only separators', ';;=;'],
    ['a name without a value', 'thaw.sid'],
    ['an empty value', 'thaw.sid='],
    ['a value with an invalid escape', 'thaw.sid=%E0%A4%A'],
    ['an id without a signature', 'thaw.sid=s%3Aid'],
    ['an id without prefix and signature', 'thaw.sid=id'],
    ['the signature of an unknown secret', `thaw.sid=${sign('id', 'z'.repeat(32))}`],
    ['a truncated signature', `thaw.sid=${sign('id').slice(0, -1)}`],
    ['an extended signature', `thaw.sid=${sign('id')}x`],
    ['the signature of another id', `thaw.sid=${sign('id').replace('id.', 'other.')}`],
    ['a cookie whose name only ends in thaw.sid', `xthaw.sid=${sign('id')}`],
    ['the session cookie of an https origin', `__Host-thaw.sid=${sign('id')}`],
  ])('returns null for %s', (_case, header) => {
    expect(codec.readSessionId(header)).toBeNull();
  });
});
