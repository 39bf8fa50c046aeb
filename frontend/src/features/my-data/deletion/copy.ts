/** Texts about the deletion of the user's own account. */
export const copy = {
  open: 'Delete account',
  title: 'Delete your account?',
  lead: 'Your profile, friends, messages and pictures are erased within a minute. This cannot be undone.',
  kept: 'What is kept: reports about you that are still open, and what the law obliges us to keep. Your receipt lists it.',
  consequences:
    'You are signed out at once, in every tab and on every device. A chat that is going on ends. The next page shows your receipt.',
  password: 'Password',
  confirm: 'Type DELETE to confirm',
  submit: 'Delete account forever',
  pending: 'Deleting...',
  cancel: 'Cancel',
  failed: 'Your account was not deleted. Please try again.',
  unreachable: 'The server did not answer. Please try again.',
  /** Shown when the session has ended but the response to the deletion request did not arrive. */
  lostReceipt: {
    title: 'You are signed out',
    description: 'The answer of the server was lost. If your account was deleted, you can no longer sign in.',
  },
} as const;
