import { createHash } from 'node:crypto';

/**
 * The same UUID (version 8) for the same name, for the id of an event that must be stored once: an event whose id is in
 * its stream already is skipped.
 */
export const nameBasedUuid = (name: string): string => {
  const hex = createHash('sha256').update(name).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};
