/** Texts about oneself. Those of the product specification are quoted in testing/specification.spec.ts. */
export const copy = {
  gender: {
    title: 'Select Your Gender',
    lead: 'Others can choose whom they would like to meet. It is asked once and never shown.',
    legend: 'I am a',
    options: { male: 'Man', female: 'Woman' },
    confirm: 'Confirm',
    pending: 'Saving...',
    failed: 'That did not work. Please try again.',
  },
  account: {
    open: 'Your account:',
    anonymous: 'Anonymous',
    theme: 'Theme',
    themes: { dark: 'Dark', light: 'Light', system: 'System' },
    logout: 'Logout',
  },
} as const;
