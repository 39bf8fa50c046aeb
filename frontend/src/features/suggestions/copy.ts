/** Texts of the conversation suggestions. The suggestions themselves are in starters.ts. */
export const copy = {
  suggest: 'Suggest something',
  groupLabel: 'Suggestions',
  drawOthers: 'Other ideas',
  hide: 'Hide',
  fromModel: (host: string) => `Ideas from ${host}`,
  fromPage: 'Ideas from this page',
  question: {
    title: (host: string) => `Ideas from ${host}?`,
    lead: (host: string) =>
      `Your own last five messages and the topics of the chat are sent to ${host}. Your partner's words are not.`,
    agree: 'Use it',
    decline: 'Only ideas from this page',
  },
} as const;
