import type { CookieOptions, Response } from 'express';
import { DeviceCookieService } from './device-cookie.service';
import { SessionCookieCodec } from './session-cookie.codec';

const sessionSecret = 'x'.repeat(32);
const safetySecret = 'y'.repeat(32);

const createService = ({ secret = safetySecret, origin = undefined as string | undefined } = {}) =>
  new DeviceCookieService(new SessionCookieCodec({ SESSION_SECRET: sessionSecret, PUBLIC_ORIGIN: origin }), {
    SAFETY_SECRET: secret,
  });

/** A browser that stores the cookies set by a response. */
class Browser {
  cookies: { name: string; value: string; options: CookieOptions }[] = [];
  readonly response = {
    cookie: (name: string, value: string, options: CookieOptions) =>
      this.cookies.push({ name, value, options }),
  } as unknown as Response;

  get request() {
    const pairs = this.cookies.map(({ name, value }) => `${name}=${encodeURIComponent(value)}`);
    return { headers: { cookie: ['other=1', ...pairs].join('; ') } };
  }
}

describe('DeviceCookieService', () => {
  it('sets one cookie, with 128 random bits, for 400 days and hidden from scripts', () => {
    const service = createService();
    const browser = new Browser();
    const { hash, isNew } = service.ensureDevice(browser.request, browser.response);
    expect(isNew).toBe(true);
    expect(service.ensureDevice(browser.request, browser.response)).toEqual({ hash, isNew: false });
    expect(browser.cookies).toHaveLength(1);
    const [{ name, value, options }] = browser.cookies as [Browser['cookies'][number]];
    expect(name).toBe('thaw.did');
    expect(Buffer.from(value.split('.')[0] ?? '', 'base64url')).toHaveLength(16);
    expect(options).toEqual({
      path: '/',
      httpOnly: true,
      sameSite: 'lax',
      secure: false,
      maxAge: 400 * 86_400_000,
    });
  });

  it('sets a secure cookie with the prefix __Host- when the page is served over https', () => {
    const browser = new Browser();
    createService({ origin: 'https://chat.example' }).ensureDevice(browser.request, browser.response);
    expect(browser.cookies).toMatchObject([
      { name: '__Host-thaw.did', options: { secure: true, path: '/' } },
    ]);
  });

  it('identifies each browser by a different hash, which does not contain the id', () => {
    const service = createService();
    const [one, other] = [new Browser(), new Browser()];
    const hashes = [one, other].map(({ request, response }) => service.ensureDevice(request, response).hash);
    expect(hashes[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(hashes[0]).not.toBe(hashes[1]);
    expect(service.findDeviceHash(one.request)).toBe(hashes[0]);
    expect(hashes[0]).not.toContain(one.cookies[0]!.value.split('.')[0]);
  });

  it.each([
    ['no signature', (value: string) => value.split('.')[0] ?? ''],
    ['a changed id', (value: string) => `A${value.slice(1) === value ? 'B' : value.slice(1)}x`],
    ['a truncated signature', (value: string) => value.slice(0, -1)],
    ['an empty value', () => ''],
  ])('replaces a cookie with %s', (_case, tamper) => {
    const service = createService();
    const browser = new Browser();
    const { hash } = service.ensureDevice(browser.request, browser.response);
    browser.cookies[0]!.value = tamper(browser.cookies[0]!.value);
    expect(service.findDeviceHash(browser.request)).toBeNull();
    const replaced = service.ensureDevice(browser.request, browser.response);
    expect(replaced.isNew).toBe(true);
    expect(replaced.hash).not.toBe(hash);
  });

  it('ignores a cookie signed with another secret, such as the secret of sessions', () => {
    const browser = new Browser();
    createService({ secret: sessionSecret }).ensureDevice(browser.request, browser.response);
    expect(createService().findDeviceHash(browser.request)).toBeNull();
  });

  it('requires a secret of at least 32 bytes', () => {
    expect(() => createService({ secret: 'short' })).toThrow(/^SAFETY_SECRET/);
  });
});
