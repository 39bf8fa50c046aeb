import { isExcluded } from '@thaw/contract/standing';
import { type SelfUser } from '@thaw/contract/users';
import { Navigate } from 'react-router-dom';
import { Attention } from '@/app/attention';
import { copy } from '@/app/copy';
import { HistoryActions } from '@/app/shell/history-actions';
import { LazyModal } from '@/app/shell/lazy-modal';
import { PrivateChatPlace, privateChatPart } from '@/app/shell/private-chat-place';
import { ProfileBlock } from '@/app/shell/profile-block';
import { profileDialogContents, ProfileDialogsPlace } from '@/app/shell/profile-dialogs-place';
import {
  BlockDialogPlace,
  blockDialogPart,
  ReportDialogPlace,
  reportDialogPart,
} from '@/app/shell/safety-place';
import { shell, useShell } from '@/app/shell/shell-store';
import { renderRandomChatIdeas } from '@/app/shell/suggestions-place';
import { Sidebar } from '@/app/shell/sidebar';
import { AccountPausedPage, Notices, StandingLinePlace, standingPagePart } from '@/app/shell/standing-parts';
import { TopBar } from '@/app/shell/top-bar';
import { useOpenFriend } from '@/app/shell/use-open-friend';
import { PageOverlay, useLogout } from '@/app/shell/use-logout';
import { useShellAddress } from '@/app/shell/use-shell-address';
import { useShortcuts } from '@/app/shell/use-shortcuts';
import { toasterPart } from '@/app/toasts';
import { useSessionCheck } from '@/app/use-session-check';
import { WithQueries } from '@/app/with-queries';
import { receiptPath, useAccountDeletion } from '@/features/my-data/deletion/account-deletion.store';
import { useFriendRequests, useFriends } from '@/features/friends/api/friends';
import { AddFriend, type AddFriendProps } from '@/features/friends/components/add-friend';
import { FriendsPanel } from '@/features/friends/components/friends-panel';
import { useFriendNews } from '@/features/friends/hooks/use-friend-news';
import { useUnreadCounts } from '@/features/private-chat/hooks/use-unread-counts';
import { privateChats, usePrivateChats } from '@/features/private-chat/stores/private-chat.store';
import { sumUnread, type UnreadCounts } from '@/features/private-chat/unread';
import { RandomChat } from '@/features/random-chat/components/random-chat';
import { BreakTheIceEffects } from '@/features/random-chat/icebreaker/components/break-the-ice-effects';
import { randomChat, useRandomChat } from '@/features/random-chat/stores/random-chat.store';
import { PartnerSafetyButtons } from '@/features/safety/components/partner-safety-buttons';
import { PersonMenu } from '@/features/safety/components/person-menu';
import { openReportDialog, privateChatWithPerson } from '@/features/safety/stores/report-dialog.store';
import { useAppHeight } from '@/lib/app-height';
import { useFileDropGuard } from '@/lib/drop-guard';
import { useDocumentTitle } from '@/product/document-title';
import { useIdentity } from '@/product/identity';
import { createPart, LoadedPart } from '@/ui/loaded-part';
import { menuPanelPart } from '@/ui/menu';
import { popoverPanelPart } from '@/ui/popover';
import { tooltipBubblePart } from '@/ui/tooltip';
import { usePreloaded } from '@/ui/use-preloaded';

const friendRequestsPart = createPart(
  async () => (await import('@/features/friends/components/friend-requests-modal')).FriendRequestsModal,
);
const chatHistoryPart = createPart(
  async () => (await import('@/features/history/components/chat-history-modal')).ChatHistoryModal,
);

/** Hides Add Friend if the chat ended because a user stated an age under 18. Only ended chats need this part. */
const unlessEndedForAgePart = createPart(
  async () => (await import('@/features/random-chat/components/unless-ended-for-age')).UnlessEndedForAge,
);
const friendSwitcherPart = createPart(
  async () => (await import('@/features/friends/components/friend-switcher')).FriendSwitcher,
);
const shortcutsPart = createPart(async () => (await import('@/app/shortcuts/shortcuts-list')).ShortcutsList);

/** Parts (lazily loaded components) that a later action needs, preloaded while the page is idle. */
const partsToPreload = [
  profileDialogContents,
  tooltipBubblePart,
  popoverPanelPart,
  toasterPart,
  unlessEndedForAgePart,
  privateChatPart,
  friendRequestsPart,
  chatHistoryPart,
  menuPanelPart,
  blockDialogPart,
  reportDialogPart,
  friendSwitcherPart,
  shortcutsPart,
  standingPagePart,
];

/** Add Friend button for the partner of the current chat, or of the chat that has just ended. */
const AddPartnerAsFriend = ({ userId, place }: Pick<AddFriendProps, 'userId' | 'place'>) => {
  const partnerId = useRandomChat(({ session }) => session?.partner.id);
  return partnerId === undefined ? null : <AddFriend userId={userId} personId={partnerId} place={place} />;
};

/** Add Friend button of an ended chat. A stated age under 18 hides it, because the server would refuse the request. */
const AddFormerPartnerAsFriend = ({ userId }: { userId: number }) => {
  const button = <AddPartnerAsFriend userId={userId} place="endedChat" />;
  return (
    // If the part cannot be loaded, the button is shown: the server checks every request in any case.
    <LoadedPart part={unlessEndedForAgePart} renderFailure={() => button}>
      {(UnlessEndedForAge) => <UnlessEndedForAge>{button}</UnlessEndedForAge>}
    </LoadedPart>
  );
};

/** Menu with the actions on the partner of the current chat. */
const PartnerMenu = ({ userId }: { userId: number }) => {
  const partner = useRandomChat(({ session }) => session?.partner);
  const sessionId = useRandomChat(({ session }) => session?.sessionId);
  return partner && sessionId !== undefined ? (
    <PersonMenu userId={userId} person={partner} reportedChat={{ sessionId }} isInToolbar />
  ) : null;
};

/** Buttons that report and block the partner of the chat that has just ended. */
const EndedChatSafetyButtons = () => {
  const partner = useRandomChat(({ session }) => session?.partner);
  const sessionId = useRandomChat(({ session }) => session?.sessionId);
  return partner && sessionId !== undefined ? (
    <PartnerSafetyButtons person={partner} sessionId={sessionId} />
  ) : null;
};

/** Reports a message of the partner of the current chat. */
const reportMessage = (messageId: string): void => {
  const { session } = randomChat.useStore.getState();
  if (session) openReportDialog(session.partner, { sessionId: session.sessionId, messageIds: [messageId] });
};

interface ChatProps {
  user: SelfUser;
  logOut: () => void;
}

/** The sidebar with the user's friends and profile. */
const FriendsSidebar = ({ user, logOut, unread }: ChatProps & { unread: UnreadCounts }) => {
  const openFriendId = useShell((state) => state.openFriendId);
  const typing = usePrivateChats((state) => state.typing);
  return (
    <Sidebar
      renderProfile={({ isCollapsed }) => (
        <ProfileBlock user={user} isCollapsed={isCollapsed} onLogout={logOut} />
      )}
    >
      {({ isCollapsed, toggleButton }) => (
        <FriendsPanel
          userId={user.id}
          unread={unread}
          typing={typing}
          readDraft={privateChats.readDraftText}
          openFriendId={openFriendId}
          onOpen={shell.openFriend}
          renderMore={(friend, { tabIndex, isSmall }) => (
            <PersonMenu
              userId={user.id}
              person={friend}
              reportedChat={privateChatWithPerson}
              tabIndex={tabIndex}
              isSmall={isSmall}
              className="z-raised"
            />
          )}
          isCollapsed={isCollapsed}
          action={toggleButton}
        />
      )}
    </Sidebar>
  );
};

/** The random chat, with content from other features in its slots. */
const RandomChatWithSlots = ({ user }: { user: SelfUser }) => {
  const { data: friends } = useFriends(user.id);
  const partnerId = useRandomChat(({ session }) => session?.partner.id);
  return (
    <RandomChat
      initialNote={<StandingLinePlace user={user} />}
      toolbar={<AddPartnerAsFriend userId={user.id} place="toolbar" />}
      // The menu More in the toolbar.
      more={<PartnerMenu userId={user.id} />}
      isPartnerFriend={friends?.some(({ id }) => id === partnerId)}
      renderIdeas={renderRandomChatIdeas}
      // The phase of a chat that has ended, for any reason, is called `skipped`.
      skippedActions={<AddFormerPartnerAsFriend userId={user.id} />}
      skippedLinks={<EndedChatSafetyButtons />}
      onReportMessage={reportMessage}
    />
  );
};

/** The modals of the page, which are loaded when they are first opened. */
const Modals = ({ user, unread }: { user: SelfUser; unread: UnreadCounts }) => (
  <>
    <LazyModal name="friend-requests" title={copy.topBar.requests} part={friendRequestsPart}>
      {(FriendRequestsModal) => <FriendRequestsModal userId={user.id} onDismiss={shell.dismiss} />}
    </LazyModal>
    <LazyModal name="chat-history" title={copy.topBar.history} part={chatHistoryPart}>
      {(ChatHistoryModal) => (
        <ChatHistoryModal
          userId={user.id}
          onDismiss={shell.dismiss}
          renderActions={(partner) => <HistoryActions userId={user.id} partner={partner} />}
        />
      )}
    </LazyModal>
    {/* The two modals below have their own titles. `title` is shown only until they have loaded. */}
    <LazyModal name="switch-friend" title={copy.loading} part={friendSwitcherPart}>
      {(FriendSwitcher) => (
        <FriendSwitcher
          userId={user.id}
          unread={unread}
          onOpen={shell.openFriend}
          onDismiss={shell.dismiss}
        />
      )}
    </LazyModal>
    <LazyModal name="shortcuts" title={copy.loading} part={shortcutsPart}>
      {(ShortcutsList) => <ShortcutsList onDismiss={shell.dismiss} />}
    </LazyModal>
  </>
);

/**
 * The page of a signed-in user: the random chat, a friend's private chat over it, sidebar, top bar and dialogs. The
 * components named `…Place` load a part when it is needed, and connect it with the page.
 */
const Chat = ({ user, logOut }: ChatProps) => {
  const { data: requests } = useFriendRequests(user.id);
  const openFriend = useOpenFriend(user.id);
  const unread = useUnreadCounts(user.id, openFriend?.id);
  const friendNewsCount = useFriendNews({
    userId: user.id,
    isListOpen: useShell((state) => state.modal === 'friend-requests'),
    onOpen: shell.openFriend,
  });
  usePreloaded(partsToPreload);
  useShortcuts();
  useShellAddress();

  return (
    <>
      <Attention
        unreadCount={sumUnread(unread)}
        friendName={openFriend?.username}
        friendNewsCount={friendNewsCount}
      />
      <TopBar pendingRequests={requests?.length ?? 0} unreadMessages={sumUnread(unread)} />
      <div className="flex min-h-0 min-w-0 flex-1">
        <FriendsSidebar user={user} logOut={logOut} unread={unread} />
        <main className="relative flex min-h-0 min-w-0 flex-1">
          {/* The random chat continues, inert, beneath a private chat. */}
          <div inert={openFriend !== undefined} className="flex min-h-0 min-w-0 flex-1">
            <RandomChatWithSlots user={user} />
          </div>
          {openFriend ? (
            <PrivateChatPlace key={openFriend.id} me={user} friend={openFriend} />
          ) : (
            <BreakTheIceEffects />
          )}
        </main>
      </div>
      <Modals user={user} unread={unread} />
      <ProfileDialogsPlace user={user} onLogout={logOut} />
      <BlockDialogPlace userId={user.id} />
      <ReportDialogPlace userId={user.id} />
      <Notices user={user} />
    </>
  );
};

/**
 * How often the user is refetched while they are suspended or banned. Such a user has no socket, so no frame reports
 * when a moderator ends the suspension or ban.
 */
const standingPollMs = 60_000;

/** Redirects a signed-out user to the sign-in page, or after an account deletion to its receipt. */
const SignedOutRedirect = () => {
  const isDeletionPending = useAccountDeletion((state) => state.isPending);
  const receiptId = useAccountDeletion((state) => state.receiptId);
  // The server ends the session before it responds with the id of the receipt.
  if (isDeletionPending) return <PageOverlay text={copy.profile.deleting} />;
  return <Navigate to={receiptId === null ? '/auth' : receiptPath(receiptId)} replace />;
};

const ChatPage = () => {
  const user = useIdentity((state) => state.user);
  const isSuspendedOrBanned = user !== null && isExcluded(user.standing);
  useSessionCheck(user?.id, { intervalMs: isSuspendedOrBanned ? standingPollMs : undefined });
  const { logOut, overlay } = useLogout();
  useAppHeight();
  useFileDropGuard();
  useDocumentTitle(copy.chatDocumentTitle);
  if (!user) return <SignedOutRedirect />;
  return (
    <div className="flex h-(--app-height) flex-col overflow-hidden overscroll-contain">
      {isSuspendedOrBanned ? (
        <AccountPausedPage user={user} onLogout={logOut} />
      ) : (
        <Chat user={user} logOut={logOut} />
      )}
      {overlay}
    </div>
  );
};

export const ChatRoute = () => (
  <WithQueries>
    <ChatPage />
  </WithQueries>
);
