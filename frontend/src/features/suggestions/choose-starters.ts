import { type Topic, findTopics } from '@thaw/contract/topics';
import { type Stage, type Starter } from '@/features/suggestions/starters';

/** Number of suggestions shown at a time. */
export const suggestionsShown = 3;

/** Number of the newest messages whose topics count. */
const topicMessages = 10;
/** The weight of a message halves with every three newer ones. */
const halfLifeInMessages = 3;
/** With fewer messages a chat is at its opening. */
const openersBelowMessages = 4;
/** With more messages a chat is ready for deeper questions. */
const deepenersAboveMessages = 20;

export interface Situation {
  conversationId: string;
  /** Texts of both users, oldest first. A message without a text is an empty one. */
  texts: readonly string[];
}

export const getStage = (messageCount: number): Stage => {
  if (messageCount < openersBelowMessages) return 'opener';
  return messageCount > deepenersAboveMessages ? 'deepener' : 'follow_up';
};

/** Sum of the weights of the messages in which each topic occurs. */
const weighTopics = (texts: readonly string[]): ReadonlyMap<Topic, number> => {
  const weights = new Map<Topic, number>();
  for (const [age, text] of texts.slice(-topicMessages).reverse().entries()) {
    for (const topic of findTopics([text])) {
      weights.set(topic, (weights.get(topic) ?? 0) + 2 ** (-age / halfLifeInMessages));
    }
  }
  return weights;
};

/** FNV-1a, 32 bits. */
const hash = (text: string): number => {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value >>> 0;
};

const score = (starter: Starter, weights: ReadonlyMap<Topic, number>, stage: Stage): number =>
  starter.topics.reduce((sum, topic) => sum + (weights.get(topic) ?? 0), starter.stage === stage ? 1 : 0);

/**
 * The starters that fit a chat best, at most three, no two about the same topic. Where no topic of the chat is found,
 * they are openers. Equal scores are ordered by a hash, so the same chat gives the same result.
 * @param isExcluded  whether a starter was used in this chat or has just been shown
 */
export const chooseStarters = (
  starters: readonly Starter[],
  { conversationId, texts }: Situation,
  isExcluded: (starter: Starter) => boolean,
): Starter[] => {
  const weights = weighTopics(texts);
  const stage = getStage(texts.length);
  const available = starters.filter((starter) => !isExcluded(starter));
  const candidates = available.some(({ topics }) => topics.some((topic) => weights.has(topic)))
    ? available
    : available.filter((starter) => starter.stage === 'opener');
  const ranked = candidates
    .map((starter) => ({
      starter,
      score: score(starter, weights, stage),
      tieBreak: hash(`${conversationId}:${starter.id}`),
    }))
    .sort((one, other) => other.score - one.score || one.tieBreak - other.tieBreak);
  const chosen: Starter[] = [];
  for (const { starter } of ranked) {
    if (chosen.length === suggestionsShown) break;
    const isCovered = chosen.some(({ topics }) => topics.some((topic) => starter.topics.includes(topic)));
    if (!isCovered) chosen.push(starter);
  }
  return chosen;
};
