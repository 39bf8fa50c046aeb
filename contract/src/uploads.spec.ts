import { parseUploadUrl, uploadUrl } from './uploads.js';

const uuid = '0b5c9a2e-4f6d-4c1b-9a3e-2d7f8e1c6b5a';

describe('parseUploadUrl', () => {
  it.each([
    { bucket: 'chat-images', key: `${uuid}.jpg` },
    { bucket: 'chat-images', key: `private-chat/${uuid}.webp` },
    { bucket: 'avatars', key: `profiles/${uuid}.jpg` },
  ] as const)('is the inverse of uploadUrl for $bucket/$key', (address) => {
    expect(parseUploadUrl(uploadUrl(address))).toEqual(address);
  });

  it.each([
    '',
    uuid,
    `https://evil.example/api/files/chat-images/${uuid}.jpg`,
    `//evil.example/api/files/chat-images/${uuid}.jpg`,
    `/api/files/secrets/${uuid}.jpg`,
    `/api/files/__proto__/${uuid}.jpg`,
    `/api/files/chat-images/../avatars/${uuid}.jpg`,
    `/api/files/chat-images/other/${uuid}.jpg`,
    `/api/files/chat-images/${uuid}.svg`,
    `/api/files/chat-images/${uuid}.jpg?size=1`,
    `/api/files/chat-images/${uuid}.jpg#`,
    `/api/files/chat-images/${uuid}.jpg\n`,
    `/api/files/chat-images/${uuid.toUpperCase()}.jpg`,
    `/api/files/chat-images/${uuid}.jpg\u0000`,
    ` /api/files/chat-images/${uuid}.jpg`,
  ])('returns null for %j', (url) => {
    expect(parseUploadUrl(url)).toBeNull();
  });
});
