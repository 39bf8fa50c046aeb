/** Texts about the download of what is stored about the user. */
export const copy = {
  open: 'Download my data',
  title: 'Download my data',
  lead: 'A file with your profile, your messages, your friends and everything else that is stored about you. Other people’s words are left out, except private messages from your friends.',
  password: 'Password',
  submit: 'Download',
  pending: 'Preparing...',
  cancel: 'Cancel',
  failed: 'Your data was not downloaded. Please try again.',
  limited: 'Your data can be downloaded three times a day. Please try again later.',
  unreachable: 'The server did not answer. Please try again.',
  started: {
    title: 'Your download has started',
    description: 'Keep the file in a safe place: your messages are in it.',
  },
  failedTitle: 'Not downloaded',
} as const;
