import { useEffect, useState } from 'react';
import { isCard, isNotice, type ChatMessage } from '@/chat-ui/chat-message';
import { askModel, type ChatForSuggestions } from '@/features/suggestions/api/model-suggestions';
import { chooseStarters, suggestionsShown } from '@/features/suggestions/choose-starters';
import { starters } from '@/features/suggestions/starters';
import { keepModelIdeas, useSuggestions } from '@/features/suggestions/stores/suggestions.store';

/** The markers of the images in a message of the type `mixed`. Words in their URLs are not words of the user. */
const imageMarkers = /\[IMAGE:[^\]]*\]/g;

/**
 * The content of a message of the type `image` is a URL, not a text. While `picture` is set, the message is not stored
 * yet and the content is only its caption.
 */
const readText = ({ type, content, isDeleted, picture }: ChatMessage): string =>
  isDeleted === true || (type === 'image' && !picture) ? '' : content.replace(imageMarkers, ' ').trim();

/** The texts of both users, oldest first; empty strings for pictures without a caption and for deleted messages. */
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
  const draw = (shown: readonly string[]): string[] =>
    chooseStarters(
      starters,
      { conversationId, texts },
      ({ text }) => used.has(text) || shown.includes(text),
    ).map(({ text }) => text);
  const others = draw(round.shown);
  if (others.length === suggestionsShown)
    return { ...round, ideas: others, shown: [...round.shown, ...others] };
  // From now on, only the repeated starters count as shown.
  const repeated = draw([]);
  return { ...round, ideas: repeated, shown: repeated };
};

/** Asks the model. If it has no idea, or only used ones, draws starters. */
const askForIdeas = async (round: Round, consentingUserId: number): Promise<Round> => {
  // The ideas are kept until a message is added: if the row is closed and reappears, the model is not asked again.
  // `keptFor` identifies the conversation and its number of messages.
  const keptFor = `${round.conversationId} ${round.texts.length}`;
  const kept = useSuggestions.getState().modelIdeas;
  const isKept = !round.hasAskedForOthers && kept?.keptFor === keptFor;
  const ideas = isKept ? kept.ideas : await askModel(consentingUserId, round.chat).catch(() => []);
  const unused = ideas.filter((idea) => !round.used.has(idea));
  keepModelIdeas({ keptFor, ideas: unused });
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
 * Ideas for what to write, as texts: from the language model, or starters if the user has not agreed to use it or it
 * has no idea. They change only when `drawOthers` is called or the user chooses another source.
 * @returns `ideas` is null until the model has responded
 */
export const useIdeas = (options: IdeasOptions) => {
  const [round, setRound] = useState(() => beginRound(options, { shown: [], hasAskedForOthers: false }));
  if (round.consentingUserId !== options.consentingUserId)
    setRound(beginRound(options, { shown: round.shown, hasAskedForOthers: false }));
  useEffect(() => {
    const { consentingUserId } = round;
    if (consentingUserId === null || round.ideas !== null) return;
    let isCurrent = true;
    void askForIdeas(round, consentingUserId).then((drawn) => {
      if (isCurrent) setRound(drawn);
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
