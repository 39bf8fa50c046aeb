export const copy = {
  notFound: {
    title: 'Page Not Found',
    lead: 'Nobody is here. The others are one page further.',
    home: 'Back to the start',
  },
  broken: {
    title: 'Something broke',
    lead: 'It is our fault, not yours. Loading the page again usually helps.',
    reload: 'Load again',
  },
  /** Shown in place of a dialog or another part of the page whose code failed to load. */
  brokenPart: {
    title: 'This did not open',
    lead: 'The connection may have failed for a moment. Try again; nothing else on the page is lost.',
    retry: 'Try again',
    close: 'Close',
  },
  loading: 'Loading',
  opening: 'Opening your chat…',
  topBar: {
    requests: 'Friend Requests',
    /** Follows the number of requests, for screen readers. */
    pending: 'pending',
    history: 'Chat History',
  },
  chatDocumentTitle: 'Chat',
  sidebar: {
    label: 'Sidebar',
    open: 'Open sidebar',
    close: 'Close sidebar',
    collapse: 'Collapse sidebar',
    expand: 'Expand sidebar',
    /** Follows the number of messages, for screen readers. */
    unread: 'unread',
  },
  profile: {
    /** Precedes the name of the user, for screen readers. */
    open: 'Profile Settings:',
    settings: 'Profile Settings',
    shortcuts: 'Keyboard shortcuts',
    anonymous: 'Anonymous',
    /** Not the e-mail address: the sidebar is visible to people nearby. The settings show the address. */
    account: 'Account',
    logout: 'Logout',
    loggingOut: 'Logging out…',
    deleting: 'Deleting your account…',
  },
} as const;
