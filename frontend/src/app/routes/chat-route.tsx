import { type SelfUser } from '@thaw/contract/users';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect } from 'react';
import { ErrorBoundary } from 'react-error-boundary';
import { Navigate } from 'react-router-dom';
import { Attention } from '@/app/attention';
import { BreakTheIce, BreakTheIceEffects, renderGameCard } from '@/app/break-the-ice';
import { copy } from '@/app/copy';
import { LazyModal } from '@/app/shell/lazy-modal';
import { PrivateChatPlace } from '@/app/shell/private-chat-place';
import { ProfileBlock } from '@/app/shell/profile-block';
import { shell, useShell } from '@/app/shell/shell-store';
import { Sidebar } from '@/app/shell/sidebar';
import { TopBar } from '@/app/shell/top-bar';
import { useOpenFriend } from '@/app/shell/use-open-friend';
import { useShortcuts } from '@/app/shell/use-shortcuts';
import { WithQueries } from '@/app/with-queries';
import { logout } from '@/features/auth/api/auth-calls';
import { useFriendRequests } from '@/features/friends/api/friends';
import { AddFriend, type AddFriendPlace } from '@/features/friends/components/add-friend';
import { FriendsPanel } from '@/features/friends/components/friends-panel';
import { useFriendNews } from '@/features/friends/use-friend-news';
import { privateChat, usePrivateChat } from '@/features/private-chat/private-chat.store';
import { totalUnread } from '@/features/private-chat/unread';
import { useUnreadCounts } from '@/features/private-chat/use-unread-counts';
import { RandomChat } from '@/features/random-chat/components/random-chat';
import { randomChat, useRandomChat } from '@/features/random-chat/random-chat.store';
import { ApiError, request } from '@/lib/api-client';
import { useAppHeight } from '@/lib/app-height';
import { useDocumentTitle } from '@/lib/document-title';
import { useDropGuard } from '@/lib/drop-guard';
import { signIn, signOut, useIdentity } from '@/lib/identity';
import { reportRenderError } from '@/lib/report-error';
import { toUser } from '@/lib/user-answer';
import { TooltipProvider } from '@/ui/tooltip';

// Asked for with the first paint of the chat, and not before it.
const ProfileDialogs = lazy(async () => ({
  default: (await import('@/features/profile/components/profile-dialogs')).ProfileDialogs,
}));

const FriendRequestsModal = lazy(async () => ({
  default: (await import('@/features/friends/components/friend-requests-modal')).FriendRequestsModal,
}));

const FriendSwitcher = lazy(async () => ({
  default: (await import('@/features/friends/components/friend-switcher')).FriendSwitcher,
}));

const ShortcutsList = lazy(async () => ({
  default: (await import('@/app/shortcuts/shortcuts-list')).ShortcutsList,
}));

const ChatHistoryModal = lazy(async () => ({
  default: (await import('@/features/history/components/chat-history-modal')).ChatHistoryModal,
}));

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
  privateChat.leaving();
  try {
    await logout();
  } catch (error) {
    console.warn('The server did not answer the logout', error);
  }
  signOut();
};

/** For the partner of the present chat, or of the one that has just ended. */
const AddPartner = ({ userId, place }: { userId: number; place: AddFriendPlace }) => {
  const partnerId = useRandomChat(({ session }) => session?.partner.id);
  return partnerId === undefined ? null : <AddFriend userId={userId} personId={partnerId} place={place} />;
};

/** The page of somebody whom the server knows: the chat, and around it all that leads to friends. */
const Chat = ({ user }: { user: SelfUser }) => {
  const { data: requests } = useFriendRequests(user.id);
  const openFriend = useOpenFriend(user.id);
  const openFriendId = useShell((state) => state.openFriendId);
  const unread = useUnreadCounts(user.id, openFriend?.id);
  const friendNews = useFriendNews({
    userId: user.id,
    isListOpen: useShell((state) => state.modal === 'friend-requests'),
    onOpen: shell.openFriend,
  });
  useShortcuts();
  const typing = usePrivateChat((state) => state.typing);

  return (
    <>
      <Attention unread={totalUnread(unread)} friendName={openFriend?.username} friendNews={friendNews} />
      <TopBar pendingRequests={requests?.length ?? 0} unreadMessages={totalUnread(unread)} />
      <div className="flex min-h-0 min-w-0 flex-1">
        <Sidebar
          profile={({ isCollapsed }) => (
            <ProfileBlock user={user} isCollapsed={isCollapsed} onLogout={() => void leave()} />
          )}
        >
          {({ isCollapsed, action }) => (
            <FriendsPanel
              userId={user.id}
              unread={unread}
              typing={typing}
              draftOf={privateChat.draftOf}
              openFriendId={openFriendId}
              onOpen={shell.openFriend}
              isCollapsed={isCollapsed}
              action={action}
            />
          )}
        </Sidebar>
        <main className="relative flex min-h-0 min-w-0 flex-1">
          {/* Goes on beneath a private chat (A67), out of reach. */}
          <div inert={openFriend !== undefined} className="flex min-h-0 min-w-0 flex-1">
            <RandomChat
              toolbar={
                <>
                  <BreakTheIce />
                  <AddPartner userId={user.id} place="toolbar" />
                </>
              }
              renderCard={renderGameCard}
              skippedActions={<AddPartner userId={user.id} place="skipped" />}
            />
          </div>
          {openFriend ? null : <BreakTheIceEffects />}
          {openFriend ? <PrivateChatPlace key={openFriend.id} me={user} friend={openFriend} /> : null}
        </main>
      </div>
      <LazyModal name="friend-requests">
        <FriendRequestsModal userId={user.id} onDismiss={shell.dismiss} />
      </LazyModal>
      <LazyModal name="chat-history">
        <ChatHistoryModal
          userId={user.id}
          onDismiss={shell.dismiss}
          renderAction={({ id, nameId }) => (
            <AddFriend userId={user.id} personId={id} place="history" describedBy={nameId} />
          )}
        />
      </LazyModal>
      <LazyModal name="switch-friend">
        <FriendSwitcher
          userId={user.id}
          unread={unread}
          onOpen={shell.openFriend}
          onDismiss={shell.dismiss}
        />
      </LazyModal>
      <LazyModal name="shortcuts">
        <ShortcutsList onDismiss={shell.dismiss} />
      </LazyModal>
      <ErrorBoundary fallback={null} onError={reportRenderError}>
        <Suspense fallback={null}>
          <ProfileDialogs user={user} onLogout={() => void leave()} />
        </Suspense>
      </ErrorBoundary>
    </>
  );
};

const ChatPage = () => {
  const user = useIdentity((state) => state.user);
  const { isChecking } = useGuard(user?.id);
  useAppHeight();
  useDropGuard();
  useDocumentTitle(copy.chatTitle);
  if (!user) return <Navigate to="/auth" replace />;
  return (
    <div className="flex h-(--app-height) flex-col overflow-hidden overscroll-contain">
      {isChecking ? <main aria-busy="true" className="flex-1" /> : <Chat user={user} />}
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
