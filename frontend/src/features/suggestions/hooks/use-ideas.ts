import { useEffect, useState } from 'react';
import { isCard, isNotice, type ChatMessage } from '@/chat-ui/chat-message';
import { askModel, type SuggestedChat } from '@/features/suggestions/api/model-suggestions';
import { chooseStarters, suggestionsShown } from '@/features/suggestions/choose-starters';
import { starters } from '@/features/suggestions/starters';
import { keepModelIdeas, useSuggestions } from '@/features/suggestions/stores/suggestions.store';

/** Their addresses are not words. */
const imageMarkers = /\[IMAGE:[^\]]*\]/g;

const readText = ({ type, content, isDeleted, picture }: ChatMessage): string =>
  isDeleted === true || (type === 'image' && !picture) ? '' : content.replace(imageMarkers, ' ').trim();

/** What both users wrote, oldest first; pictures without a caption and deleted messages are empty texts. */
const readTexts = (messages: readonly ChatMessage[]): string[] =>
  messages.filter((message) => !isNotice(message) && !isCard(message)).map(readText);

export interface IdeasOptions {
  conversationId: string;
  messages: readonly ChatMessage[];
  chat: SuggestedChat;
  /** The user who has agreed to ask the language model; null to draw starters. */
  askerId: number | null;
}

/** One drawing of ideas, from the state of the conversation at its beginning. */
interface Round extends Omit<IdeasOptions, 'messages'> {
  texts: readonly string[];
  /** Texts that were said, or that went into the composer. */
  used: ReadonlySet<string>;
  /** The user has asked for others. */
  isRepeated: boolean;
  /** Starters that were shown since the row appeared. */
  shown: readonly string[];
  /** null while the model is asked. */
  ideas: readonly string[] | null;
  isFromModel: boolean;
}

/** Draws starters that were not shown before, until there are none left; then all but the used ones return. */
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
  const again = draw([]);
  return { ...round, ideas: again, shown: again };
};

/** Asks the model; where it has no answer, or no new one, draws starters. */
const askForIdeas = async (round: Round, askerId: number): Promise<Round> => {
  const keptFor = `${round.conversationId} ${round.texts.length}`;
  const kept = useSuggestions.getState().modelIdeas;
  const isKept = !round.isRepeated && kept?.keptFor === keptFor;
  const ideas = isKept ? kept.ideas : await askModel(askerId, round.chat).catch(() => []);
  const unused = ideas.filter((idea) => !round.used.has(idea));
  keepModelIdeas({ keptFor, ideas: unused });
  return unused.length === 0 ? drawStarters(round) : { ...round, ideas: unused, isFromModel: true };
};

const beginRound = (
  { conversationId, messages, chat, askerId }: IdeasOptions,
  { shown, isRepeated }: Pick<Round, 'shown' | 'isRepeated'>,
): Round => {
  const texts = readTexts(messages);
  const used = new Set([...texts, ...(useSuggestions.getState().usedIn[conversationId] ?? [])]);
  const begun = { texts, used, isRepeated, shown, ideas: null, isFromModel: false };
  const round = { conversationId, chat, askerId, ...begun };
  return askerId === null ? drawStarters(round) : round;
};

/**
 * Ideas that do not change while they are shown, except by `drawOthers` and by another choice of their source. Where
 * the language model has no answer, they are starters.
 * @returns `ideas` null while the model is asked
 */
export const useIdeas = (options: IdeasOptions) => {
  const [round, setRound] = useState(() => beginRound(options, { shown: [], isRepeated: false }));
  if (round.askerId !== options.askerId)
    setRound(beginRound(options, { shown: round.shown, isRepeated: false }));
  useEffect(() => {
    const { askerId } = round;
    if (askerId === null || round.ideas !== null) return;
    let isAwaited = true;
    void askForIdeas(round, askerId).then((drawn) => {
      if (isAwaited) setRound(drawn);
    });
    return () => {
      isAwaited = false;
    };
  }, [round]);
  const { ideas, isFromModel } = round;
  return {
    ideas,
    isFromModel,
    drawOthers: () => setRound(beginRound(options, { shown: round.shown, isRepeated: true })),
  };
};
