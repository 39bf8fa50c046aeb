/** All texts of the private chat. */
export const copy = {
  region: (name: string) => `Private chat with ${name}`,
  messages: 'Messages',
  close: 'Close private chat',
  closeWithNews: 'Close private chat, something is new in the random chat',
  beginning: (name: string) => `This is where your chat with ${name} begins.`,
  loading: 'Loading messages',
  loadingOlder: 'Loading older messages',
  unread: 'New messages',
  failed: 'The messages could not be loaded.',
  removed: { title: 'Message deleted', undo: 'Undo' },
} as const;
