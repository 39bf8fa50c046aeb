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
 * and a direct write would overtake the queued frames.
 * @param stream the TCP connection of the socket.
 */
export const writeTextFrame = (stream: Writable, text: string): void => {
  const byteLength = Buffer.byteLength(text);
  const isAscii = byteLength === text.length;
  // Almost every frame is short ASCII. Writing it as a string avoids the allocation of a Buffer. The encoding is latin1
  // and not ASCII, because header bytes can exceed 0x7f.
  if (isAscii && byteLength <= MAX_LENGTH_16) stream.write(encodeShortHeader(byteLength) + text, 'latin1');
  else stream.write(encodeFrame(text, byteLength));
};

/** Encodes the header of a frame of up to `MAX_LENGTH_16` bytes as latin1. */
const encodeShortHeader = (byteLength: number): string =>
  byteLength <= MAX_LENGTH_7
    ? String.fromCharCode(FINAL_TEXT, byteLength)
    : String.fromCharCode(FINAL_TEXT, LENGTH_16, byteLength >> 8, byteLength & 0xff);

const encodeFrame = (text: string, byteLength: number): Buffer => {
  const headerBytes = measureHeader(byteLength);
  const frame = Buffer.allocUnsafe(headerBytes + byteLength);
  frame[0] = FINAL_TEXT;
  if (byteLength <= MAX_LENGTH_7) {
    frame[1] = byteLength;
  } else if (byteLength <= MAX_LENGTH_16) {
    frame[1] = LENGTH_16;
    frame.writeUInt16BE(byteLength, 2);
  } else {
    frame[1] = LENGTH_64;
    frame.writeBigUInt64BE(BigInt(byteLength), 2);
  }
  frame.write(text, headerBytes);
  return frame;
};

/** @returns the number of bytes of the header. */
const measureHeader = (byteLength: number): number => {
  if (byteLength <= MAX_LENGTH_7) return 2;
  return byteLength <= MAX_LENGTH_16 ? 4 : 10;
};
