import { Duplex, Writable } from 'node:stream';
import * as ws from 'ws';
import { writeTextFrame } from './text-frame.codec';

/** The frame parser of ws, which ws exports but its types lack. */
const { Receiver } = ws as unknown as { Receiver: new (options: object) => Duplex };

const writeChunks = (text: string): Buffer[] => {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _, done) => {
      chunks.push(chunk);
      done();
    },
  });
  writeTextFrame(stream, text);
  return chunks;
};

/** Decodes frames with ws, as a client would. */
const decode = (chunks: readonly Buffer[]): string[] => {
  const received: string[] = [];
  const receiver = new Receiver({ isServer: false, allowSynchronousEvents: true });
  receiver.on('message', (data: Buffer, isBinary: boolean) =>
    received.push(isBinary ? 'binary' : data.toString()),
  );
  for (const chunk of chunks) receiver.write(chunk);
  return received;
};

const lengths = [0, 1, 125, 126, 127, 255, 256, 65_535, 65_536, 200_000];

describe('writeTextFrame', () => {
  it.each(lengths)('encodes a frame of %d bytes of ASCII', (length) => {
    const text = 'x'.repeat(length);
    expect(decode(writeChunks(text))).toEqual([text]);
  });

  it.each(lengths.filter((length) => length >= Buffer.byteLength('é')))(
    'encodes a frame of %d bytes of non-ASCII text',
    (length) => {
      const text = 'é' + 'x'.repeat(length - Buffer.byteLength('é'));
      expect(decode(writeChunks(text))).toEqual([text]);
    },
  );

  it('encodes the length in bytes, not in characters', () => {
    const text = '👋é'.repeat(30);
    expect(decode(writeChunks(text))).toEqual([text]);
  });

  // ws would write the header and the payload separately.
  it.each(['hello', 'olá'])('writes "%s" in one chunk', (text) => {
    expect(writeChunks(text)).toHaveLength(1);
  });
});
