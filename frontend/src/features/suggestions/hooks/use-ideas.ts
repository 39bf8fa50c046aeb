import { useEffect, useState } from 'react';
import { isCard, isNotice, type ChatMessage } from '@/chat-ui/chat-message';
import { askModel, type ChatForSuggestions } from '@/features/suggestions/api/model-suggestions';
import { chooseStarters, suggestionsShown } from '@/features/suggestions/choose-starters';
import { starters } from '@/features/suggestions/starters';
import { keepModelIdeas, useSuggestions } from '@/features/suggestions/stores/suggestions.store';

/** The images in a message of the type `mixed`. They contain URLs. */
const imageMarkers = /\[IMAGE:[^\]]*\]/g;

/** Returns what the user has written; an empty string for a picture without a caption and for a deleted message. */
const readText = ({ type, content, isDeleted, picture }: ChatMessage): string => {
  if (isDeleted) return '';
  // While `picture` is set, the message is not stored yet, and `content` is the caption. Later, it is a URL.
  if (type === 'image' && !picture) return '';
  return content.replace(imageMarkers, ' ').trim();
};

/** The texts of both users, oldest first. */
const readTexts = (messages: readonly ChatMessage[]): string[] =>
  messages.filter((message) => !isNotice(message) && !isCard(message)).map(readText);

export interface IdeasOptions {
  conversationId: string;
  messages: readonly ChatMessage[];
  chat: ChatForSuggestions;
  /**
   * Id of the user; null if they have not agreed to use the language model. Then starters (prepared questions) are
   * drawn.
   */
  consentingUserId: number | null;
}

/** One set of ideas, chosen for the state of the conversation when the round began. */
interface Round extends Omit<IdeasOptions, 'messages'> {
  texts: readonly string[];
  /** Texts that were sent, or inserted into the composer. */
  used: ReadonlySet<string>;
  /** The user has asked for other ideas. */
  hasAskedForOthers: boolean;
  /** Starters that were shown since the row of suggestions appeared. */
  shown: readonly string[];
  /** Null until the model has responded. */
  ideas: readonly string[] | null;
  isFromModel: boolean;
}

/** Draws starters that were not shown before. When fewer than three are left, shown but unused ones are drawn again. */
const drawStarters = (round: Round): Round => {
  const { conversationId, texts, used } = round;
  const drawExcept = (excluded: readonly string[]): string[] =>
    chooseStarters(
      starters,
      { conversationId, texts },
      ({ text }) => used.has(text) || excluded.includes(text),
    ).map(({ text }) => text);
  const fresh = drawExcept(round.shown);
  if (fresh.length === suggestionsShown) return { ...round, ideas: fresh, shown: [...round.shown, ...fresh] };
  // From now on, only the repeated starters count as shown.
  const repeated = drawExcept([]);
  return { ...round, ideas: repeated, shown: repeated };
};

/** Identifies the conversation and its number of messages, for which the ideas of the model are kept. */
const buildKeptFor = ({ conversationId, texts }: Round): string => `${conversationId} ${texts.length}`;

/** The ideas that the model has already given for this state of the conversation, without another request. */
const findKeptIdeas = (round: Round): readonly string[] | undefined => {
  const kept = useSuggestions.getState().modelIdeas;
  return kept?.keptFor === buildKeptFor(round) ? kept.ideas : undefined;
};

/** Asks the model. If it has no idea, or only used ones, draws starters. */
const askForIdeas = async (round: Round, consentingUserId: number): Promise<Round> => {
  const keptIdeas = round.hasAskedForOthers ? undefined : findKeptIdeas(round);
  const ideas = keptIdeas ?? (await askModel(consentingUserId, round.chat).catch(() => []));
  const unused = ideas.filter((idea) => !round.used.has(idea));
  keepModelIdeas({ keptFor: buildKeptFor(round), ideas: unused });
  return unused.length === 0 ? drawStarters(round) : { ...round, ideas: unused, isFromModel: true };
};

const beginRound = (
  { conversationId, messages, chat, consentingUserId }: IdeasOptions,
  { shown, hasAskedForOthers }: Pick<Round, 'shown' | 'hasAskedForOthers'>,
): Round => {
  const texts = readTexts(messages);
  const used = new Set([...texts, ...(useSuggestions.getState().usedIn[conversationId] ?? [])]);
  const round: Round = {
    conversationId,
    chat,
    consentingUserId,
    texts,
    used,
    hasAskedForOthers,
    shown,
    ideas: null,
    isFromModel: false,
  };
  return consentingUserId === null ? drawStarters(round) : round;
};

/**
 * Ideas for what to write, as texts. They come from the language model if the user has agreed to use it. Without
 * consent, or if the model has no idea, they are starters. They change only when `drawOthers` is called or the user
 * chooses another source.
 * @returns `ideas` is null until the model has responded
 */
export const useIdeas = (options: IdeasOptions) => {
  const [round, setRound] = useState(() => beginRound(options, { shown: [], hasAskedForOthers: false }));
  const hasOtherSource = round.consentingUserId !== options.consentingUserId;
  if (hasOtherSource) setRound(beginRound(options, { shown: round.shown, hasAskedForOthers: false }));
  useEffect(() => {
    const { consentingUserId } = round;
    if (consentingUserId === null || round.ideas !== null) return;
    let isCurrent = true;
    void askForIdeas(round, consentingUserId).then((roundWithIdeas) => {
      if (isCurrent) setRound(roundWithIdeas);
    });
    return () => {
      isCurrent = false;
    };
  }, [round]);
  const { ideas, isFromModel } = round;
  return {
    ideas,
    isFromModel,
    drawOthers: () => setRound(beginRound(options, { shown: round.shown, hasAskedForOthers: true })),
  };
};
