/** Texts that several features show. */
export const copy = {
  presence: { online: 'Online', offline: 'Offline' },
} as const;
