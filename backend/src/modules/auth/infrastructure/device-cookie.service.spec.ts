import type { CookieOptions, Response } from 'express';
import { DeviceCookieService } from './device-cookie.service';
import { SessionCookieCodec } from './session-cookie.codec';

const MS_PER_DAY = 24 * 60 * 60 * 1_000;

const sessionSecret = 'x'.repeat(32);
const safetySecret = 'y'.repeat(32);

const createService = ({ secret = safetySecret, origin }: { secret?: string; origin?: string } = {}) =>
  new DeviceCookieService(new SessionCookieCodec({ SESSION_SECRET: sessionSecret, PUBLIC_ORIGIN: origin }), {
    SAFETY_SECRET: secret,
  });

/** Extracts the device id from the value of the cookie, which is `<device id>.<signature>`. */
const extractDeviceId = (cookieValue: string): string => cookieValue.split('.')[0] ?? '';

interface Cookie {
  name: string;
  value: string;
  options: CookieOptions;
}

/** A browser that stores the cookies set by a response. */
class Browser {
  cookies: Cookie[] = [];
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
  it('sets one cookie, and recognizes the browser by it', () => {
    const service = createService();
    const browser = new Browser();
    const { hash, isNew } = service.ensureDevice(browser.request, browser.response);
    expect(isNew).toBe(true);
    expect(service.ensureDevice(browser.request, browser.response)).toEqual({ hash, isNew: false });
    expect(browser.cookies).toHaveLength(1);
  });

  it('sets a cookie with an id of 128 bits, for 400 days and hidden from scripts', () => {
    const browser = new Browser();
    createService().ensureDevice(browser.request, browser.response);
    const [{ name, value, options }] = browser.cookies as [Cookie];
    expect(name).toBe('thaw.did');
    expect(Buffer.from(extractDeviceId(value), 'base64url')).toHaveLength(128 / 8);
    expect(options).toEqual({
      path: '/',
      httpOnly: true,
      sameSite: 'lax',
      secure: false,
      maxAge: 400 * MS_PER_DAY,
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
    const [browser, otherBrowser] = [new Browser(), new Browser()];
    const { hash } = service.ensureDevice(browser.request, browser.response);
    const { hash: otherHash } = service.ensureDevice(otherBrowser.request, otherBrowser.response);
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(hash).not.toBe(otherHash);
    expect(service.findDeviceHash(browser.request)).toBe(hash);
    expect(hash).not.toContain(extractDeviceId(browser.cookies[0]!.value));
  });

  it.each([
    ['no signature', (value: string) => extractDeviceId(value)],
    ['a changed id', (value: string) => `${value.startsWith('A') ? 'B' : 'A'}${value.slice(1)}`],
    ['a truncated signature', (value: string) => value.slice(0, -1)],
    ['an empty value', () => ''],
  ])('replaces a cookie with %s', (_case, tamper) => {
    const service = createService();
    const browser = new Browser();
    const { hash } = service.ensureDevice(browser.request, browser.response);
    browser.cookies[0]!.value = tamper(browser.cookies[0]!.value);
    expect(service.findDeviceHash(browser.request)).toBeNull();
    const newDevice = service.ensureDevice(browser.request, browser.response);
    expect(newDevice.isNew).toBe(true);
    expect(newDevice.hash).not.toBe(hash);
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
