import { findContactDetails } from '@thaw/contract/contact-details';
import { create } from 'zustand';

interface WarningState {
  /** Conversations in which the user has been warned. Kept outside of the view, which is unmounted in between. */
  warned: ReadonlySet<string>;
  /** The conversation whose composer shows the warning. */
  shownIn: string | null;
}

export const useContactWarnings = create<WarningState>()(() => ({ warned: new Set(), shownIn: null }));

/**
 * Warns once in each chat before the user shares contact details with a stranger. Sending again sends.
 * @param conversationId  null with a friend, where nothing is asked
 */
export const useContactWarning = (conversationId: string | null) => {
  const isShown = useContactWarnings(({ shownIn }) => conversationId !== null && shownIn === conversationId);

  /** Whether the text must not be sent yet, because the warning is shown now for the first time. */
  const showIfDue = (text: string): boolean => {
    const { warned } = useContactWarnings.getState();
    const isFirst =
      conversationId !== null && !warned.has(conversationId) && findContactDetails(text).length > 0;
    useContactWarnings.setState(
      isFirst ? { warned: new Set([...warned, conversationId]), shownIn: conversationId } : { shownIn: null },
    );
    return isFirst;
  };

  return { isShown, showIfDue };
};
