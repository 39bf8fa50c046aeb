/** Texts of several features. */
export const copy = {
  presence: { online: 'Online', offline: 'Offline' },
} as const;
