/**
 * Texts of the profile dialogs, except those inside their forms (forms/copy.ts). testing/specification.spec.ts checks
 * those that the product specification quotes.
 */
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
    theme: 'Theme',
    themes: { dark: 'Dark', light: 'Light', system: 'System' },
    logout: 'Logout',
  },
  settings: {
    title: 'Profile Settings',
    tabsLabel: 'Settings',
    tabs: { profile: 'Profile', email: 'Email', password: 'Password' },
  },
  /** Shown in a dialog while its content is loading, or after the loading has failed. */
  loadedModal: {
    loading: 'Loading',
    broken: 'This part of the page did not load.',
    retry: 'Try again',
  },
  anonymousWarning: {
    title: 'You are here anonymously',
    lead: 'Changes are not saved permanently: an anonymous profile is erased after seven days without a visit.',
    create: 'Create Account',
  },
  anonymousPrompt: {
    title: 'Anonymous Account',
    lead: 'You can chat right away. With an account you keep your friends and your chats, on every device.',
    create: 'Create Account',
    later: 'Maybe Later',
  },
  conversion: {
    title: 'Create Your Account',
    lead: 'Your name, your friends and the chat you are in stay with you.',
  },
} as const;
