/** All texts of the random chat. testing/specification.spec.ts checks those that the product specification quotes. */
export const copy = {
  initial: {
    title: 'Ready to chat?',
    lead: 'One button, one stranger, one conversation. Leave whenever you like.',
    preference: 'Looking to chat with',
    preferences: { both: 'Both', male: 'Man', female: 'Woman' },
    find: 'Find Conversation',
    connecting: 'Connecting...',
  },
  searching: {
    title: 'Looking for someone...',
    lead: 'Stay on this page; the chat opens by itself.',
    hint: 'It is a little quiet right now. We keep looking, and you keep your place.',
    noOneMatches: 'Nobody matches your filter right now. Someone may any moment.',
    waited: (time: string) => `Waiting for ${time}`,
    cancel: 'Cancel',
  },
  skipped: {
    title: 'Chat Ended',
    reasons: {
      skipped: 'Your chat partner skipped this conversation',
      disconnected: 'Your chat partner disconnected',
    },
    again: 'New Conversation',
  },
  active: {
    welcome: (name: string) => `🎉 You are now chatting with ${name}. Say hi!`,
    region: (name: string) => `Chat with ${name}`,
    messages: 'Messages',
    skip: 'Skip Chat',
    skipQuestion: 'Skip this chat?',
    skipConfirm: 'Confirm',
    skipCancel: 'Cancel',
    showPicture: (name: string) => `Show the profile picture of ${name}`,
    here: 'Here with you',
    loading: 'Opening the chat',
    notLoaded: 'The chat did not open: the connection may have failed for a moment.',
    partnerReconnecting: 'Reconnecting…',
  },
  searchRefused: {
    title: 'Search not started',
    description: 'Something went wrong on our side. Please try again in a moment.',
  },
} as const;
