/** Texts of the list of shortcuts. Not in app/copy.ts, so that they are loaded only with the list. */
export const copy = {
  title: 'Keyboard shortcuts',
  list: [
    { keys: ['Ctrl', 'K'], description: 'Switch to a friend' },
    { keys: ['?'], description: 'Show this list' },
    { keys: ['Enter'], description: 'Send the message' },
    { keys: ['Shift', 'Enter'], description: 'Begin a new line' },
    { keys: ['↑'], description: 'In an empty field: edit your last message' },
    { keys: ['↑', '↓'], description: 'In the list of messages: go from one to the next' },
    { keys: ['Esc'], description: 'Cancel an edit or a reply, close what is open, or skip the chat' },
    { keys: ['F8'], description: 'Go to the notification' },
  ],
} as const;
