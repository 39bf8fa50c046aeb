/** Texts that several features use. */
export const copy = {
  presence: { online: 'Online', offline: 'Offline' },
} as const;
