import type { Response } from 'express';
import { KnownDeviceService } from './known-device.service';
import { SessionCookieCodec } from './session-cookie.codec';

const newSecret = 'x'.repeat(32);
const oldSecret = 'y'.repeat(40);
const ada = { userId: 7, credentialsVersion: 1 };
const bob = { userId: 8, credentialsVersion: 1 };
const adaWithNewPassword = { ...ada, credentialsVersion: 2 };

/** @param secrets separated by commas; the first one signs, all of them verify */
const createService = (secrets = newSecret) =>
  new KnownDeviceService(new SessionCookieCodec({ SESSION_SECRET: secrets, PUBLIC_ORIGIN: undefined }));

/** Remembers a new device of the user. @returns the `Cookie` header of a browser on that device. */
const rememberDevice = (service: KnownDeviceService, user: typeof ada): string => {
  let cookieHeader = '';
  const response = {
    cookie: (name: string, value: string) => (cookieHeader = `${name}=${encodeURIComponent(value)}`),
  };
  service.remember(response as unknown as Response, user);
  return cookieHeader;
};

const findDeviceId = (service: KnownDeviceService, cookie: string, user: typeof ada) =>
  service.findDeviceId({ headers: { cookie } }, user);

// A cookie is `thaw.device=device.<user id>.<credentials version>.<device id>.<signature>`.
const replaceUserId = (cookie: string): string =>
  cookie.replace(`device.${ada.userId}.`, `device.${bob.userId}.`);
const clearSignature = (cookie: string): string => cookie.replace(/\.[^.]+$/, '.');
const removeSignature = (cookie: string): string => cookie.replace(/\.[^.]+$/, '');

describe('KnownDeviceService', () => {
  it('finds a device only for the user who signed in on it', () => {
    const service = createService();
    const cookie = rememberDevice(service, ada);
    const deviceId = findDeviceId(service, cookie, ada);
    expect(deviceId).toEqual(expect.any(String));
    expect(findDeviceId(service, `other=1; ${cookie}; more=2`, ada)).toBe(deviceId);
    expect(findDeviceId(service, cookie, bob)).toBeNull();
  });

  it('gives each device a different id', () => {
    const service = createService();
    const [first, second] = [rememberDevice(service, ada), rememberDevice(service, ada)];
    expect(findDeviceId(service, first, ada)).not.toBe(findDeviceId(service, second, ada));
  });

  it('does not find a device that was remembered before a change of the password', () => {
    const service = createService();
    const cookie = rememberDevice(service, ada);
    expect(findDeviceId(service, cookie, adaWithNewPassword)).toBeNull();
    const newCookie = rememberDevice(service, adaWithNewPassword);
    expect(findDeviceId(service, newCookie, adaWithNewPassword)).not.toBeNull();
  });

  it('accepts the signature of an older secret while it is configured', () => {
    const cookie = rememberDevice(createService(oldSecret), ada);
    expect(findDeviceId(createService(`${newSecret},${oldSecret}`), cookie, ada)).not.toBeNull();
    expect(findDeviceId(createService(newSecret), cookie, ada)).toBeNull();
  });

  it.each([
    ['another user id', replaceUserId],
    ['a truncated signature', (cookie: string) => cookie.slice(0, -1)],
    ['an empty signature', clearSignature],
    ['no signature', removeSignature],
    ['an empty value', () => 'thaw.device='],
    ['no cookie', () => ''],
  ])('finds no device for %s', (_case, tamper) => {
    const service = createService();
    const cookie = tamper(rememberDevice(service, ada));
    expect([findDeviceId(service, cookie, ada), findDeviceId(service, cookie, bob)]).toEqual([null, null]);
  });
});
