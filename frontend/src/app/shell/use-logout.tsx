import { useState, type ReactNode } from 'react';
import { copy } from '@/app/copy';
import { logout } from '@/features/auth/api/auth-calls';
import { privateChats } from '@/features/private-chat/stores/private-chat.store';
import { randomChat } from '@/features/random-chat/stores/random-chat.store';
import { signOut } from '@/product/identity';
import { Delayed } from '@/ui/delayed';

const endSession = async (): Promise<void> => {
  randomChat.endSearchOrChat();
  privateChats.sendDeletions();
  try {
    await logout();
  } catch (error) {
    console.warn('The server did not answer the logout', error);
  }
  signOut();
};

/** Covers the page while a request that ends the session is in flight. */
export const CoveredPage = ({ text }: { text: string }) => (
  <Delayed>
    <div className="veil fixed inset-0 z-top grid place-items-center bg-overlay">
      <p role="status" className="rounded-card bg-popover px-6 py-4 text-md shadow-elevated">
        {text}
      </p>
    </div>
  </Delayed>
);

/** Returns `logOut`, which ends the session, and `cover`, the overlay to render until the session has ended. */
export const useLogout = (): { logOut: () => void; cover: ReactNode } => {
  const [isLoggingOut, setLoggingOut] = useState(false);
  const logOut = (): void => {
    setLoggingOut(true);
    void endSession();
  };
  return { logOut, cover: isLoggingOut ? <CoveredPage text={copy.profile.loggingOut} /> : null };
};
