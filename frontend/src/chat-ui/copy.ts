/** Texts that both kinds of chat share. */
export const copy = {
  composer: {
    label: 'Message',
    placeholder: 'Write a message',
    send: 'Send',
    notSent: 'Not sent: reconnecting',
    count: (length: number, maximum: number) =>
      `${length.toLocaleString('en')} of ${maximum.toLocaleString('en')} characters`,
  },
  delivery: {
    sending: 'Sending',
    sent: 'Sent',
    failed: 'Not delivered',
    retry: 'Retry',
  },
  connection: { connected: 'Connected', disconnected: 'Disconnected', reconnect: 'Reconnect' },
  you: 'You',
} as const;
