import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link, Navigate } from 'react-router-dom';
import { WithQueries } from '@/app/with-queries';
import { ConnectionIndicator } from '@/chat-ui/connection-indicator';
import { logout } from '@/features/auth/api/auth-calls';
import { AccountMenu } from '@/features/profile/components/account-menu';
import { GenderModal } from '@/features/profile/components/gender-modal';
import { RandomChat } from '@/features/random-chat/components/random-chat';
import { randomChat } from '@/features/random-chat/random-chat.store';
import { ApiError, request } from '@/lib/api-client';
import { useDocumentTitle } from '@/lib/document-title';
import { signIn, signOut, useIdentity } from '@/lib/identity';
import { toUser } from '@/lib/user-answer';
import { Logo } from '@/ui/logo';
import { TooltipProvider } from '@/ui/tooltip';

/** The stored user may outlive the cookie: the server is asked on every entry (A04). */
const useGuard = (userId: number | undefined): { isChecking: boolean } => {
  const { data, error, isPending } = useQuery({
    queryKey: [`/api/user/${userId}`],
    queryFn: async () => toUser(await request('GET', `/api/user/${userId}`)),
    enabled: userId !== undefined,
    refetchOnMount: 'always',
    gcTime: 0,
  });
  useEffect(() => {
    if (data) signIn(data);
  }, [data]);
  useEffect(() => {
    if (error instanceof ApiError && (error.status === 401 || error.status === 404)) signOut();
  }, [error]);
  return { isChecking: isPending };
};

const leave = async (): Promise<void> => {
  randomChat.leaveNow();
  try {
    await logout();
  } catch (error) {
    console.warn('The server did not answer the logout', error);
  }
  signOut();
};

const ChatPage = () => {
  const user = useIdentity((state) => state.user);
  const { isChecking } = useGuard(user?.id);
  useDocumentTitle('Chat');
  if (!user) return <Navigate to="/auth" replace />;
  return (
    <div className="flex h-dvh flex-col overflow-hidden overscroll-contain">
      <header className="flex h-16 shrink-0 items-center justify-between gap-4 pr-3 pl-4 md:px-6">
        <Link to="/" className="-m-2 rounded-control p-2">
          <Logo />
        </Link>
        <div className="flex items-center gap-3 md:gap-6">
          <ConnectionIndicator />
          <AccountMenu user={user} onLogout={() => void leave()} />
        </div>
      </header>
      {isChecking ? (
        <main aria-busy="true" className="flex-1" />
      ) : (
        <>
          <RandomChat />
          <GenderModal user={user} />
        </>
      )}
    </div>
  );
};

export const ChatRoute = () => (
  <WithQueries>
    <TooltipProvider>
      <ChatPage />
    </TooltipProvider>
  </WithQueries>
);
