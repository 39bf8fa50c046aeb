/**
 * Texts of the actions on another person, such as a block. Those of the report dialog are in report/copy.ts. Where an
 * action has both, `item` is its label in a menu, and `link` that of its quiet button below an ended chat.
 */
export const copy = {
  more: 'More',
  moreAbout: (name: string) => `More about ${name}`,
  block: {
    item: 'Block…',
    link: 'Block',
    title: (name: string) => `Block ${name}?`,
    lead: (name: string) =>
      `You will never be matched again and cannot write to each other. ${name} is not told.`,
    endsChat: 'This chat ends.',
    endsFriendship: 'You will no longer be friends.',
    confirm: 'Block',
    pending: 'Blocking...',
    cancel: 'Cancel',
    /** The toast after a block. */
    blocked: {
      title: 'Blocked',
      description: (name: string) => `You will not meet ${name} again.`,
      action: { label: 'Undo', altText: 'Unblock in Profile Settings, Blocked people' },
    },
    failed: { title: 'Not blocked', description: 'Please try again.' },
  },
  report: { item: 'Report…', link: 'Report' },
  unblock: {
    item: 'Unblock',
    done: { title: 'Unblocked' },
    failed: { title: 'Not unblocked', description: 'Please try again.' },
  },
  rules: { item: 'House rules', href: '/rules' },
  settings: {
    title: 'Safety and privacy',
    hideInsults: 'Hide insults from strangers',
    hideInsultsHint: 'Such a message is shown when you press it.',
    blurPictures: 'Blur profile pictures of strangers',
    blurPicturesHint: 'A picture is shown when you press it.',
  },
  people: {
    title: 'Blocked people',
    button: (count: number | undefined) =>
      count === undefined ? 'Blocked people' : `Blocked people (${count})`,
    blockedOn: (date: string) => `Blocked ${date}`,
    empty: 'You have blocked no one.',
    loading: 'Loading the people you blocked',
    failed: 'The people you blocked could not be loaded.',
  },
} as const;
