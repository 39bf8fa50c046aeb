/** @param signature one character per byte */
const startsWith = (bytes: Buffer, signature: string, offset = 0): boolean =>
  bytes.subarray(offset, offset + signature.length).equals(Buffer.from(signature, 'latin1'));

/** Detects an accepted format by the first bytes of a file. @returns null for any other format. */
export const detectImageFormat = (bytes: Buffer): 'jpeg' | 'png' | 'gif' | 'webp' | null => {
  if (startsWith(bytes, '\xff\xd8\xff')) return 'jpeg';
  if (startsWith(bytes, '\x89PNG\r\n\x1a\n')) return 'png';
  if (startsWith(bytes, 'GIF87a') || startsWith(bytes, 'GIF89a')) return 'gif';
  // Bytes 4 to 7 of a RIFF file contain its length.
  if (startsWith(bytes, 'RIFF') && startsWith(bytes, 'WEBP', 8)) return 'webp';
  return null;
};
