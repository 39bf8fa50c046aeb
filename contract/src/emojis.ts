/** The ten reactions (A111), as they are stored and sent. */
export const reactionEmojis = ['❤️', '😂', '😮', '😢', '😡', '👍', '👎', '🔥', '💯', '👏'] as const;

export type ReactionEmoji = (typeof reactionEmojis)[number];

const withoutVariationSelector = (emoji: string): string => emoji.replaceAll('\ufe0f', '');

const byBareForm = new Map(reactionEmojis.map((emoji) => [withoutVariationSelector(emoji), emoji]));

/** The reaction meant by a string, compared without U+FE0F; undefined when it is none of the ten. */
export const toReactionEmoji = (text: string): ReactionEmoji | undefined =>
  byBareForm.get(withoutVariationSelector(text));

/** The picker of the random chat's composer. */
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

/** The picker of the private chat's composer: the same, and eight for people who know each other. */
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
