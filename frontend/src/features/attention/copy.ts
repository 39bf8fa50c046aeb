/** The states shown in the tab's title, beside the product's name. */
export const copy = {
  initial: 'Chat',
  searching: 'Looking for someone...',
  active: (name: string) => `Chatting with ${name}`,
  skipped: 'Chat Ended',
} as const;
