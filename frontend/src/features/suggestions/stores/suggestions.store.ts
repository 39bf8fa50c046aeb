import { create } from 'zustand';
import { tabStorage } from '@/lib/storage';

/**
 * Key in session storage for `hiddenIn`, which survives a reload. One id is enough: suggestions appear by themselves
 * only in a random chat, and a user is in one random chat at a time.
 */
const hiddenKey = 'thaw-suggestions-hidden';

interface Suggestions {
  /** The conversation in which the user has asked for suggestions. */
  requestedIn: string | null;
  /** The conversation in which suggestions no longer appear by themselves. */
  hiddenIn: string | null;
  /** Suggestions that the user has inserted into a composer, by conversation. */
  usedIn: Readonly<Record<string, readonly string[]>>;
  /** The newest ideas of the language model, for the conversation at `keptFor`: `<its id> <number of messages>`. */
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

/** Closes suggestions that the user has asked for. Suggestions may still appear by themselves. */
export const closeSuggestions = (conversationId: string): void =>
  useSuggestions.setState(({ requestedIn }) => (requestedIn === conversationId ? { requestedIn: null } : {}));

/** Closes the suggestions. From then on, they no longer appear by themselves in this conversation. */
export const hideSuggestions = (conversationId: string): void => {
  closeSuggestions(conversationId);
  useSuggestions.setState({ hiddenIn: conversationId });
  tabStorage.write(hiddenKey, conversationId);
};

export const recordUsed = (conversationId: string, text: string): void =>
  useSuggestions.setState(({ usedIn }) => ({
    usedIn: { ...usedIn, [conversationId]: [...(usedIn[conversationId] ?? []), text] },
  }));

/** Keeps the ideas of the model, so that it is not asked again when suggestions disappear and reappear. */
export const keepModelIdeas = (modelIdeas: Suggestions['modelIdeas']): void =>
  useSuggestions.setState({ modelIdeas });
