import type { Writable } from 'node:stream';

/** First byte of an unfragmented text frame. */
const FINAL_TEXT = 0x81;
/** Second byte of a frame whose length follows in 16 bits. */
const LENGTH_16 = 126;
/** Second byte of a frame whose length follows in 64 bits. */
const LENGTH_64 = 127;
/** Largest length that fits into the second byte itself. */
const MAX_LENGTH_7 = 125;
/** Largest length that fits into 16 bits. */
const MAX_LENGTH_16 = 0xffff;

/**
 * Writes a complete, unmasked text frame of a server (RFC 6455, section 5.2), with header and payload in one chunk;
 * ws would write two chunks. Use this only for sockets without compression: ws queues frames while it compresses them,
 * and a direct write would overtake these. The text of almost every frame is ASCII. Such a frame
 * is written as a string, to avoid allocating a Buffer, and in latin1, because header bytes can exceed 0x7f.
 * @param stream the TCP connection of the socket.
 */
export const writeTextFrame = (stream: Writable, text: string): void => {
  const length = Buffer.byteLength(text);
  const isAscii = length === text.length;
  if (isAscii && length <= MAX_LENGTH_16) stream.write(encodeAsciiHeader(length) + text, 'latin1');
  else stream.write(encodeFrameAsBuffer(text, length));
};

const encodeAsciiHeader = (length: number): string =>
  length <= MAX_LENGTH_7
    ? String.fromCharCode(FINAL_TEXT, length)
    : String.fromCharCode(FINAL_TEXT, LENGTH_16, length >> 8, length & 0xff);

const encodeFrameAsBuffer = (text: string, length: number): Buffer => {
  if (length <= MAX_LENGTH_7) {
    const frame = Buffer.allocUnsafe(2 + length);
    frame[0] = FINAL_TEXT;
    frame[1] = length;
    frame.write(text, 2);
    return frame;
  }
  if (length <= MAX_LENGTH_16) {
    const frame = Buffer.allocUnsafe(4 + length);
    frame[0] = FINAL_TEXT;
    frame[1] = LENGTH_16;
    frame.writeUInt16BE(length, 2);
    frame.write(text, 4);
    return frame;
  }
  const frame = Buffer.allocUnsafe(10 + length);
  frame[0] = FINAL_TEXT;
  frame[1] = LENGTH_64;
  frame.writeBigUInt64BE(BigInt(length), 2);
  frame.write(text, 10);
  return frame;
};
