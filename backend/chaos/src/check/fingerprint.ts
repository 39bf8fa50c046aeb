/**
 * One line of text that identifies the content of a chat event. The frame or ack that a participant receives has the
 * same fingerprint as the stored event, so the two can be compared.
 */
export type Fingerprint = string;

/** Matches any fingerprint. For events that are not compared, such as a stored event that is sent in no frame. */
export const ANY_FINGERPRINT: Fingerprint = '?';

type Data = Record<string, unknown>;

/** Emojis are compared without their variation selector (U+FE0F), which is optional. */
const removeVariationSelector = (emoji: unknown): string => String(emoji).replaceAll('\uFE0F', '');

/**
 * Builds the fingerprint of each kind of event. Parameters are `unknown` because they are parsed JSON. A game is one
 * question of Break the Ice.
 */
export const fingerprints = {
  started: () => 'start',
  message: (messageId: unknown, senderId: unknown, content: unknown) =>
    `message ${String(messageId)} ${String(senderId)} ${String(content)}`,
  edit: (messageId: unknown, content: unknown) => `edit ${String(messageId)} ${String(content)}`,
  reaction: (messageId: unknown, emoji: unknown, action: unknown, userId: unknown) =>
    `reaction ${String(messageId)} ${removeVariationSelector(emoji)} ${String(action)} ${String(userId)}`,
  game: (gameId: unknown, questionId: unknown, initiatorId: unknown) =>
    `game ${String(gameId)} ${String(questionId)} ${String(initiatorId)}`,
  /** The first answer of a game. The second one is in `reveal`, which contains both. */
  answer: (gameId: unknown) => `answer ${String(gameId)}`,
  /** The answers are sorted, because each user receives their own answer first. */
  reveal: (gameId: unknown, answers: readonly unknown[]) =>
    `reveal ${String(gameId)} ${answers.map(String).sort().join(' / ')}`,
  ignore: (gameId: unknown, userId: unknown) => `ignore ${String(gameId)} ${String(userId)}`,
  /** Frames contain `disconnected` in place of every stored reason but `skipped`. */
  end: (reason: unknown) => `end ${reason === 'skipped' ? 'skipped' : 'disconnected'}`,
} as const;

/** Fingerprint of a frame that carries `sessionId` and `seq`. */
export const computeFrameFingerprint = (event: string, data: Data): Fingerprint => {
  switch (event) {
    case 'chat_matched':
      return fingerprints.started();
    case 'random_message':
      return fingerprints.message(data.id, data.senderId, data.content);
    case 'message_edited':
      return fingerprints.edit(data.messageId, data.newContent);
    case 'message_reaction':
      return fingerprints.reaction(data.messageId, data.emoji, data.action, data.userId);
    case 'break_ice_question_received':
      return fingerprints.game(data.gameId, (data.question as { id?: unknown }).id, data.initiatorId);
    case 'break_ice_partner_responded_waiting':
    case 'break_ice_partner_answered':
      return fingerprints.answer(data.gameId);
    case 'break_ice_reveal_results':
      return fingerprints.reveal(data.gameId, [data.yourResponse, data.theirResponse]);
    case 'break_ice_ignored':
      return fingerprints.ignore(data.gameId, data.ignoredBy);
    case 'chat_skipped':
      return fingerprints.end(data.reason);
    default:
      return ANY_FINGERPRINT;
  }
};

/** Fingerprint of a stored event. */
export const computeStoredEventFingerprint = ({
  type,
  data,
  entryId,
}: {
  type: string;
  data: Data;
  entryId: string;
}): Fingerprint => {
  switch (type) {
    case 'ChatStarted':
      return fingerprints.started();
    case 'MessageSent':
      return fingerprints.message(entryId, data.senderId, data.content);
    case 'MessageEdited':
      return fingerprints.edit(data.messageId, data.content);
    case 'ReactionAdded':
      return fingerprints.reaction(data.messageId, data.emoji, 'add', data.userId);
    case 'ReactionRemoved':
      return fingerprints.reaction(data.messageId, data.emoji, 'remove', data.userId);
    case 'GameStarted':
      return fingerprints.game(data.gameId, data.questionId, data.initiatorId);
    case 'GameAnswered':
      return fingerprints.answer(data.gameId);
    case 'GameRevealed':
      return fingerprints.reveal(
        data.gameId,
        (data.answers as { response?: unknown }[]).map(({ response }) => response),
      );
    case 'GameIgnored':
      return fingerprints.ignore(data.gameId, data.userId);
    case 'ChatEnded':
      return fingerprints.end(data.reason);
    default:
      return ANY_FINGERPRINT;
  }
};

/** Whether two fingerprints are equal, or one of them is `ANY_FINGERPRINT`. */
export const doFingerprintsMatch = (first: Fingerprint, second: Fingerprint): boolean =>
  first === second || first === ANY_FINGERPRINT || second === ANY_FINGERPRINT;
