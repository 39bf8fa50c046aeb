import { createHash } from 'node:crypto';

/**
 * Returns the same UUID (version 8) for the same name. As the id of an event, it keeps the event from being stored
 * twice: the event store skips an event whose id its stream already contains.
 */
export const createNameBasedUuid = (name: string): string => {
  const hex = createHash('sha256').update(name).digest('hex');
  // The digits "8" are the version and the variant of the UUID.
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};
