import { create } from 'zustand';
import { tabStorage } from '@/lib/storage';

/** Survives a reload. Holds one id, since a user is in one random chat at a time. */
const hiddenKey = 'thaw-suggestions-hidden';

interface Suggestions {
  /** The conversation in which the user has asked for suggestions. */
  requestedIn: string | null;
  /** The conversation in which suggestions no longer appear by themselves. */
  hiddenIn: string | null;
  /** Texts that went into a composer, by conversation. */
  usedIn: Readonly<Record<string, readonly string[]>>;
  /** The newest ideas of the language model, and the state of the conversation they are for. */
  modelIdeas: { keptFor: string; ideas: readonly string[] } | null;
}

export const useSuggestions = create<Suggestions>()(() => ({
  requestedIn: null,
  hiddenIn: tabStorage.read(hiddenKey),
  usedIn: {},
  modelIdeas: null,
}));

export const requestSuggestions = (conversationId: string): void =>
  useSuggestions.setState({ requestedIn: conversationId });

/** Ends a request; suggestions may still appear by themselves. */
export const closeSuggestions = (conversationId: string): void =>
  useSuggestions.setState(({ requestedIn }) => (requestedIn === conversationId ? { requestedIn: null } : {}));

export const hideSuggestions = (conversationId: string): void => {
  closeSuggestions(conversationId);
  useSuggestions.setState({ hiddenIn: conversationId });
  tabStorage.write(hiddenKey, conversationId);
};

export const recordUsed = (conversationId: string, text: string): void =>
  useSuggestions.setState(({ usedIn }) => ({
    usedIn: { ...usedIn, [conversationId]: [...(usedIn[conversationId] ?? []), text] },
  }));

/** A row that disappears and returns, while the conversation is the same, does not ask the model again. */
export const keepModelIdeas = (modelIdeas: Suggestions['modelIdeas']): void =>
  useSuggestions.setState({ modelIdeas });
