import { Duplex } from 'node:stream';
import * as ws from 'ws';
import { textFrame } from './text-frame';

/** Exported by ws, unknown to its types. */
const { Receiver } = ws as unknown as { Receiver: new (options: object) => Duplex };

/** What a client's own implementation reads of it. */
const read = (frame: Buffer): string => {
  const received: string[] = [];
  const receiver = new Receiver({ isServer: false, allowSynchronousEvents: true });
  receiver.on('message', (data: Buffer, isBinary: boolean) =>
    received.push(isBinary ? 'binary' : data.toString()),
  );
  receiver.write(frame);
  return received.join('|');
};

it.each([0, 1, 125, 126, 127, 65_535, 65_536, 200_000])('frames %d bytes', (length) => {
  const text = 'x'.repeat(length);
  expect(read(textFrame(text))).toBe(text);
});

it('counts bytes, not characters', () => {
  const text = '👋é'.repeat(30);
  expect(read(textFrame(text))).toBe(text);
});

it('is one chunk', () => {
  const chunks: Buffer[] = [];
  const stream = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _, done) => done(void chunks.push(chunk)),
  });
  stream.write(textFrame('hello'));
  expect(chunks).toHaveLength(1);
});
