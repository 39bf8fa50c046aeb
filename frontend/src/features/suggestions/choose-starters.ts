import { type Topic, findTopics } from '@thaw/contract/topics';
import { type Stage, type Starter } from '@/features/suggestions/starters';

/** Number of suggestions shown at a time. */
export const suggestionsShown = 3;

/** Only the topics of this number of newest messages are considered. */
const topicMessageCount = 10;
/** The weight of a message halves with every three newer ones. */
const halfLifeInMessages = 3;
/** With fewer messages, a chat is at the stage of openers. */
const minMessagesForFollowUp = 4;
/** With more messages, a chat is at the stage of deepeners, which are deeper questions. */
const maxMessagesForFollowUp = 20;

/** The state of a chat for which starters are chosen. */
export interface Situation {
  conversationId: string;
  /** Texts of both users, oldest first. A message without a text is an empty string. */
  texts: readonly string[];
}

export const getStage = (messageCount: number): Stage => {
  if (messageCount < minMessagesForFollowUp) return 'opener';
  return messageCount > maxMessagesForFollowUp ? 'deepener' : 'follow_up';
};

/** Returns for each topic the sum of the weights of the messages in which it occurs. */
const weighTopics = (texts: readonly string[]): ReadonlyMap<Topic, number> => {
  const weights = new Map<Topic, number>();
  for (const [age, text] of texts.slice(-topicMessageCount).reverse().entries()) {
    for (const topic of findTopics([text])) {
      weights.set(topic, (weights.get(topic) ?? 0) + 2 ** (-age / halfLifeInMessages));
    }
  }
  return weights;
};

/** 32-bit FNV-1a. */
const hash = (text: string): number => {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value >>> 0;
};

const haveCommonTopic = (one: Starter, other: Starter): boolean =>
  one.topics.some((topic) => other.topics.includes(topic));

/** Sum of the weights of the starter's topics. A fitting stage counts as much as a topic of the newest message. */
const computeScore = (starter: Starter, weights: ReadonlyMap<Topic, number>, stage: Stage): number =>
  starter.topics.reduce((sum, topic) => sum + (weights.get(topic) ?? 0), starter.stage === stage ? 1 : 0);

/**
 * Chooses the starters (prepared questions) that fit a chat best: at most three, no two about the same topic. If no
 * available starter has a topic of the chat, they are openers. Equal scores are ordered by a hash of the chat and the
 * starter, so the choice varies between chats, but the same arguments always give the same result.
 * @param isExcluded whether a starter was used in this chat or has just been shown
 */
export const chooseStarters = (
  starters: readonly Starter[],
  { conversationId, texts }: Situation,
  isExcluded: (starter: Starter) => boolean,
): Starter[] => {
  const weights = weighTopics(texts);
  const stage = getStage(texts.length);
  const available = starters.filter((starter) => !isExcluded(starter));
  const hasTopicOfChat = ({ topics }: Starter): boolean => topics.some((topic) => weights.has(topic));
  const candidates = available.some(hasTopicOfChat)
    ? available
    : available.filter((starter) => starter.stage === 'opener');
  const ranked = candidates
    .map((starter) => ({
      starter,
      score: computeScore(starter, weights, stage),
      tieBreak: hash(`${conversationId}:${starter.id}`),
    }))
    .sort((one, other) => other.score - one.score || one.tieBreak - other.tieBreak);
  const chosen: Starter[] = [];
  for (const { starter } of ranked) {
    if (chosen.length === suggestionsShown) break;
    const isTopicChosen = chosen.some((other) => haveCommonTopic(starter, other));
    if (!isTopicChosen) chosen.push(starter);
  }
  return chosen;
};
