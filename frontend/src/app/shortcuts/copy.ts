/** Comes with the list, when it is first opened. */
export const copy = {
  title: 'Keyboard shortcuts',
  list: [
    { keys: ['Ctrl', 'K'], what: 'Switch to a friend' },
    { keys: ['?'], what: 'Show this list' },
    { keys: ['Enter'], what: 'Send the message' },
    { keys: ['Shift', 'Enter'], what: 'Begin a new line' },
    { keys: ['↑'], what: 'In an empty field: edit your last message' },
    { keys: ['Esc'], what: 'Cancel an edit or a reply, close what is open, or skip the chat' },
    { keys: ['F8'], what: 'Go to the notification' },
  ],
} as const;
