/** Returns a random id of 32 hexadecimal digits. Unlike `crypto.randomUUID`, also available on plain http. */
export const newId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );
