/** The notices of Break the Ice that stand among the messages (specification §4, A76). */
export const gameCopy = {
  waiting: 'Waiting response from your chat partner...',
  ignoredByMe: 'You decided to not break the ice',
  ignoredByPartner: 'Your partner decided to not break the ice',
} as const;
