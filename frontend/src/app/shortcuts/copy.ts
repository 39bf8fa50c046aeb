/** Loaded with the list when it is first opened. */
export const copy = {
  title: 'Keyboard shortcuts',
  list: [
    { keys: ['Ctrl', 'K'], what: 'Switch to a friend' },
    { keys: ['?'], what: 'Show this list' },
    { keys: ['Enter'], what: 'Send the message' },
    { keys: ['Shift', 'Enter'], what: 'Begin a new line' },
    { keys: ['↑'], what: 'In an empty field: edit your last message' },
    { keys: ['↑', '↓'], what: 'In the list of messages: go from one to the next' },
    { keys: ['Esc'], what: 'Cancel an edit or a reply, close what is open, or skip the chat' },
    { keys: ['F8'], what: 'Go to the notification' },
  ],
} as const;
