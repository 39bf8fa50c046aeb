/** Texts of the chat history. testing/specification.spec.ts checks those that the product specification quotes. */
export const copy = {
  title: 'Chat History',
  lead: 'Whom you met. What was said is not kept here.',
  label: 'Chats',
  empty: 'No chat history yet',
  loading: 'Loading your chats',
  failed: 'Your chats could not be loaded.',
  /** Used when the partner's profile cannot be loaded. */
  placeholder: 'Unknown User',
  age: {
    days: (days: number) => (days === 1 ? '1 day ago' : `${days} days ago`),
    hours: (hours: number) => (hours === 1 ? '1 hour ago' : `${hours} hours ago`),
    minutes: 'A few minutes ago',
  },
} as const;
