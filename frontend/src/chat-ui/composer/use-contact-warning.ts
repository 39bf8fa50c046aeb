import { findContactDetails } from '@thaw/contract/contact-details';
import { create } from 'zustand';

interface WarningState {
  /** The conversations in which the user has been warned. */
  warnedIn: ReadonlySet<string>;
  /** The conversation whose composer shows the warning. */
  shownIn: string | null;
}

/** Kept outside the composer, which is unmounted when the user leaves the conversation for a while. */
export const useWarningStore = create<WarningState>()(() => ({ warnedIn: new Set(), shownIn: null }));

/**
 * Warns the user once in each chat before they send contact details to a stranger. Their next attempt sends the text.
 * @param conversationId  null in a chat with a friend, where the user is never warned
 */
export const useContactWarning = (conversationId: string | null) => {
  const isShown = useWarningStore(({ shownIn }) => conversationId !== null && shownIn === conversationId);

  /**
   * Shows the warning if it is due for this text, otherwise hides it.
   * @returns whether the warning is due, so that the text must not be sent yet
   */
  const showIfDue = (text: string): boolean => {
    const { warnedIn } = useWarningStore.getState();
    const isDue =
      conversationId !== null && !warnedIn.has(conversationId) && findContactDetails(text).length > 0;
    useWarningStore.setState(
      isDue
        ? { warnedIn: new Set([...warnedIn, conversationId]), shownIn: conversationId }
        : { shownIn: null },
    );
    return isDue;
  };

  return { isShown, showIfDue };
};
