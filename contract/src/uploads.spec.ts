import { createUploadKey, mayBeExplicit, parseUploadUrl, uploadUrl } from './uploads.js';

const uuid = '0b5c9a2e-4f6d-4c1b-9a3e-2d7f8e1c6b5a';

describe('parseUploadUrl', () => {
  it.each([
    { bucket: 'chat-images', key: `${uuid}.jpg` },
    { bucket: 'chat-images', key: `private-chat/${uuid}.webp` },
    { bucket: 'chat-images', key: `private-chat/${uuid}.explicit.webp` },
    { bucket: 'avatars', key: `profiles/${uuid}.jpg` },
  ] as const)('is the inverse of uploadUrl for $bucket/$key', (address) => {
    expect(parseUploadUrl(uploadUrl(address))).toEqual(address);
  });

  it.each([
    ['an empty string', ''],
    ['a bare UUID', uuid],
    ['an absolute URL', `https://evil.example/api/files/chat-images/${uuid}.jpg`],
    ['a protocol-relative URL', `//evil.example/api/files/chat-images/${uuid}.jpg`],
    ['an unknown bucket', `/api/files/secrets/${uuid}.jpg`],
    ['a bucket named like a property of every object', `/api/files/__proto__/${uuid}.jpg`],
    ['a path to another folder', `/api/files/chat-images/../avatars/${uuid}.jpg`],
    ['an unknown folder', `/api/files/chat-images/other/${uuid}.jpg`],
    ['an unknown suffix of the UUID', `/api/files/chat-images/${uuid}.harmless.jpg`],
    ['a suffix of the UUID without a file type', `/api/files/chat-images/${uuid}.explicit`],
    ['an unknown file type', `/api/files/chat-images/${uuid}.svg`],
    ['a query', `/api/files/chat-images/${uuid}.jpg?size=1`],
    ['a fragment', `/api/files/chat-images/${uuid}.jpg#`],
    ['a line feed at the end', `/api/files/chat-images/${uuid}.jpg\n`],
    ['a UUID in capitals', `/api/files/chat-images/${uuid.toUpperCase()}.jpg`],
    ['NUL at the end', `/api/files/chat-images/${uuid}.jpg\u0000`],
    ['a space at the start', ` /api/files/chat-images/${uuid}.jpg`],
  ])('returns null for %s: %j', (_case, url) => {
    expect(parseUploadUrl(url)).toBeNull();
  });
});

describe('mayBeExplicit', () => {
  const createUrl = (isExplicit: boolean, prefix: 'private-chat/' | '' = '') =>
    uploadUrl({
      bucket: 'chat-images',
      key: createUploadKey({ prefix, uuid, isExplicit, extension: 'webp' }),
    });

  it('is true only for the relative URL of an image that the classifier considers explicit', () => {
    expect(mayBeExplicit(createUrl(true))).toBe(true);
    expect(mayBeExplicit(createUrl(true, 'private-chat/'))).toBe(true);
    expect(mayBeExplicit(createUrl(false))).toBe(false);
    expect(mayBeExplicit(`https://evil.example${createUrl(true)}`)).toBe(false);
  });
});
