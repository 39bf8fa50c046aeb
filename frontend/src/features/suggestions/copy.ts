/** Texts of the conversation suggestions. The suggestions themselves are in starters.ts. */
export const copy = {
  suggest: 'Suggest something',
  group: 'Suggestions',
  others: 'Other ideas',
  hide: 'Hide',
} as const;
