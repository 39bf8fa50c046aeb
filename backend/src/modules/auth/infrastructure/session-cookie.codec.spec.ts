import { createHmac } from 'node:crypto';
import type { Response } from 'express';
import { KnownDeviceService } from './known-device.service';
import { SessionCookieCodec } from './session-cookie.codec';

const secret = 'x'.repeat(32);
const older = 'y'.repeat(40);

describe('SessionCookieCodec', () => {
  it.each([undefined, '', 'changeme', 'x'.repeat(31), `${secret},short`, ',,'])(
    'rejects the secret %j without repeating it in the error',
    (SESSION_SECRET) => {
      const make = () => new SessionCookieCodec({ SESSION_SECRET, PUBLIC_ORIGIN: undefined });
      expect(make).toThrow(/^SESSION_SECRET .* must hold at least 32 bytes$/);
    },
  );

  it('accepts several secrets, for rotation', () => {
    const { secrets } = new SessionCookieCodec({
      SESSION_SECRET: `${secret}, ${older}`,
      PUBLIC_ORIGIN: undefined,
    });
    expect(secrets).toEqual([secret, older]);
  });

  it('binds the cookie to the host on https', () => {
    const names = ['https://thaw.example.org', 'http://thaw.example.org', undefined].map((PUBLIC_ORIGIN) => {
      const { name, options } = new SessionCookieCodec({ SESSION_SECRET: secret, PUBLIC_ORIGIN });
      return [name, options.secure];
    });
    expect(names).toEqual([
      ['__Host-thaw.sid', true],
      ['thaw.sid', false],
      ['thaw.sid', false],
    ]);
  });
});

describe('SessionCookieCodec.sessionIdIn', () => {
  const cookie = new SessionCookieCodec({ SESSION_SECRET: `${secret},${older}`, PUBLIC_ORIGIN: undefined });
  /** Signs as express-session does. */
  const signed = (sessionId: string, by = secret): string => {
    const signature = createHmac('sha256', by).update(sessionId).digest('base64').replace(/=+$/, '');
    return encodeURIComponent(`s:${sessionId}.${signature}`);
  };

  it.each([secret, older])('reads the id when any of the secrets has signed it', (by) => {
    expect(cookie.sessionIdIn(`thaw.sid=${signed('an.id', by)}`)).toBe('an.id');
    expect(cookie.sessionIdIn(`other=1; thaw.sid=${signed('id', by)} ;thaw.device=x`)).toBe('id');
  });

  it('reads the first cookie of that name', () => {
    expect(cookie.sessionIdIn(`thaw.sid=${signed('first')}; thaw.sid=${signed('second')}`)).toBe('first');
    expect(cookie.sessionIdIn(`thaw.sid=forged; thaw.sid=${signed('second')}`)).toBeNull();
  });

  it.each([
    undefined,
    '',
    ';;=;',
    'thaw.sid',
    'thaw.sid=',
    'thaw.sid=%E0%A4%A',
    'thaw.sid=s%3Aid',
    'thaw.sid=id',
    `thaw.sid=${signed('id', 'z'.repeat(32))}`,
    `thaw.sid=${signed('id').slice(0, -1)}`,
    `thaw.sid=${signed('id')}x`,
    `thaw.sid=${signed('id').replace('id', 'ie')}`,
    `xthaw.sid=${signed('id')}`,
    `__Host-thaw.sid=${signed('id')}`,
  ])('returns null for %j', (header) => {
    expect(cookie.sessionIdIn(header)).toBeNull();
  });
});

describe('KnownDeviceService', () => {
  const devicesWith = (SESSION_SECRET: string) =>
    new KnownDeviceService(new SessionCookieCodec({ SESSION_SECRET, PUBLIC_ORIGIN: undefined }));

  const cookieFor = (devices: KnownDeviceService, userId: number, credentialsVersion = 1): string => {
    let header = '';
    const response = {
      cookie: (name: string, value: string) => (header = `${name}=${encodeURIComponent(value)}`),
    };
    devices.remember(response as unknown as Response, { userId, credentialsVersion });
    return header;
  };
  const read = (devices: KnownDeviceService, cookie: string, userId: number, credentialsVersion = 1) =>
    devices.deviceOf({ headers: { cookie } }, { userId, credentialsVersion });

  it('recognizes a device for its own user only', () => {
    const devices = devicesWith(secret);
    const cookie = cookieFor(devices, 7);
    expect(read(devices, `other=1; ${cookie}; more=2`, 7)).toEqual(expect.any(String));
    expect(read(devices, cookie, 7)).toBe(read(devices, cookie, 7));
    expect(read(devices, cookie, 8)).toBeNull();
    expect(read(devices, cookieFor(devices, 7), 7)).not.toBe(read(devices, cookie, 7));
  });

  it('forgets a device when the password has changed', () => {
    const devices = devicesWith(secret);
    const cookie = cookieFor(devices, 7);
    expect(read(devices, cookie, 7, 2)).toBeNull();
    expect(read(devices, cookieFor(devices, 7, 2), 7, 2)).not.toBeNull();
  });

  it('accepts the signature of an older secret while it is configured', () => {
    const cookie = cookieFor(devicesWith(older), 7);
    expect(read(devicesWith(`${secret},${older}`), cookie, 7)).not.toBeNull();
    expect(read(devicesWith(secret), cookie, 7)).toBeNull();
  });

  it.each([
    (cookie: string) => cookie.replace('device.7.', 'device.8.'),
    (cookie: string) => cookie.slice(0, -1),
    (cookie: string) => cookie.replace(/\.[^.]+$/, '.'),
    (cookie: string) => cookie.replace(/\.[^.]+$/, ''),
    () => 'thaw.device=',
    () => '',
  ])('rejects a cookie that has been tampered with (%#)', (tamper) => {
    const devices = devicesWith(secret);
    const cookie = tamper(cookieFor(devices, 7));
    expect([read(devices, cookie, 7), read(devices, cookie, 8)]).toEqual([null, null]);
  });
});
