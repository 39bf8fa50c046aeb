const FINAL_TEXT = 0x81;
const LENGTH_16 = 126;
const LENGTH_64 = 127;

/**
 * A whole, unmasked text frame as a server sends it (RFC 6455, section 5.2), header and payload in one buffer: one
 * write where ws makes two. Only for sockets without compression, where ws itself keeps nothing back.
 */
export const textFrame = (text: string): Buffer => {
  const length = Buffer.byteLength(text);
  if (length < LENGTH_16) {
    const frame = Buffer.allocUnsafe(2 + length);
    frame[0] = FINAL_TEXT;
    frame[1] = length;
    frame.write(text, 2);
    return frame;
  }
  if (length < 0x1_0000) {
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
