/** Every text of the private chat. */
export const copy = {
  region: (name: string) => `Private chat with ${name}`,
  messages: 'Messages',
  close: 'Close private chat',
  closeWithNews: 'Close private chat, something is new in the random chat',
  online: 'Online',
  offline: 'Offline',
  typing: (name: string) => `${name} is typing`,
  beginning: (name: string) => `This is where your chat with ${name} begins.`,
  loading: 'Loading messages',
  loadingOlder: 'Loading older messages',
  unread: 'New messages',
  failed: {
    text: 'The messages could not be loaded.',
    again: 'Try again',
  },
  slowDown: 'Not sent: a little slower, please. Your text is still here.',
  notSaved: 'Not changed: please try again.',
  remove: {
    title: 'Delete this message?',
    lead: (name: string) => `It disappears for you and for ${name}. This cannot be undone.`,
    confirm: 'Delete',
    cancel: 'Keep it',
  },
} as const;
