import { useState, type ReactNode } from 'react';
import { copy } from '@/app/copy';
import { logout } from '@/features/auth/api/auth-calls';
import { privateChats } from '@/features/private-chat/stores/private-chat.store';
import { randomChat } from '@/features/random-chat/stores/random-chat.store';
import { signOut } from '@/product/identity';
import { Delayed } from '@/ui/delayed';

const endSession = async (): Promise<void> => {
  // First end the search or chat and send the message deletions that could still be undone: the logout ends the session
  // and closes the socket.
  randomChat.endSearchOrChat();
  privateChats.sendDeletions();
  try {
    await logout();
  } catch (error) {
    // The user is signed out on this page in any case (docs/product-decisions.md, A03).
    console.warn('The server did not answer the logout', error);
  }
  signOut();
};

/** Covers the page while a logout or an account deletion is in flight. */
export const PageOverlay = ({ text }: { text: string }) => (
  <Delayed>
    <div className="veil fixed inset-0 z-top grid place-items-center bg-overlay">
      <p role="status" className="rounded-card bg-popover px-6 py-4 text-md shadow-elevated">
        {text}
      </p>
    </div>
  </Delayed>
);

/** Returns `logOut`, which ends the session, and `overlay`, which the page renders until the redirect to /auth. */
export const useLogout = (): { logOut: () => void; overlay: ReactNode } => {
  const [isLoggingOut, setLoggingOut] = useState(false);
  const logOut = (): void => {
    setLoggingOut(true);
    void endSession();
  };
  return { logOut, overlay: isLoggingOut ? <PageOverlay text={copy.profile.loggingOut} /> : null };
};
