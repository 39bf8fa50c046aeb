/** The ten reactions, in the form that is stored and sent. */
export const reactionEmojis = ['❤️', '😂', '😮', '😢', '😡', '👍', '👎', '🔥', '💯', '👏'] as const;

export type ReactionEmoji = (typeof reactionEmojis)[number];

const withoutVariationSelector = (emoji: string): string => emoji.replaceAll('\ufe0f', '');

const reactionByBareEmoji = new Map(reactionEmojis.map((emoji) => [withoutVariationSelector(emoji), emoji]));

/**
 * Normalises a reaction. Clients differ in whether they append the variation selector U+FE0F, so it is ignored.
 * @returns the stored form, or undefined if the text is not one of the ten reactions
 */
export const toReactionEmoji = (text: string): ReactionEmoji | undefined =>
  reactionByBareEmoji.get(withoutVariationSelector(text));

/** Emojis of the picker in the random chat's composer. */
export const randomChatPickerEmojis = [
  '😀',
  '😂',
  '😊',
  '😅',
  '😉',
  '😎',
  '🤔',
  '😮',
  '😢',
  '🥳',
  '👋',
  '👍',
  '🙏',
  '❤️',
  '🔥',
  '🎉',
] as const;

/** Emojis of the picker in the private chat's composer: those of the random chat and eight more. */
export const privateChatPickerEmojis = [
  ...randomChatPickerEmojis,
  '🤗',
  '😘',
  '😴',
  '🙈',
  '💪',
  '✨',
  '☕',
  '🌙',
] as const;
