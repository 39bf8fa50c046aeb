import { randomChatPickerEmojis } from '@thaw/contract/emojis';
import { useMemo, useRef, type ReactNode } from 'react';
import { ChatContext, type Chat } from '@/chat-ui/chat-context';
import { isCard, type ChatMessage } from '@/chat-ui/chat-message';
import { Conversation } from '@/chat-ui/conversation';
import { type DraftStorage } from '@/chat-ui/composer/draft';
import { type RenderIdeas } from '@/chat-ui/composer/ideas';
import { type MessageAuthor } from '@/chat-ui/message/message-row';
import { TypingLine } from '@/chat-ui/typing/typing-line';
import { SkipBar } from '@/features/random-chat/components/skip-control';
import { Toolbar } from '@/features/random-chat/components/toolbar';
import { copy } from '@/features/random-chat/copy';
import { useSkipBar } from '@/features/random-chat/hooks/use-skip-bar';
import {
  BreakTheIce,
  renderGameCard,
  shownGamePart,
} from '@/features/random-chat/icebreaker/components/break-the-ice';
import { celebrationPart } from '@/features/random-chat/icebreaker/components/break-the-ice-effects';
import { type Session } from '@/features/random-chat/reducer/random-chat.state';
import { writeDraft, readDraft } from '@/features/random-chat/stores/draft';
import { useRevealedPicture } from '@/features/random-chat/stores/revealed-picture';
import { randomChat } from '@/features/random-chat/stores/random-chat.store';
import { useIsBlurringPictures } from '@/product/stranger-settings';
import { usePreloaded } from '@/ui/use-preloaded';

/** Whether the user typed the message. A card of Break the Ice has a sender too, but is not typed. */
const isTypedBy = (message: ChatMessage, userId: number): boolean =>
  message.senderId === userId && !isCard(message);

/** Parts of Break the Ice. A chat does not need them when it opens, so they are loaded while the page is idle. */
const preloadedParts = [shownGamePart, celebrationPart];

/** What the users may do with messages and in the composer. */
const capabilities = {
  reply: true,
  edit: true,
  react: true,
  delete: false,
  attach: true,
  report: true,
} as const;

export interface ActiveChatProps {
  session: Session;
  me: MessageAuthor;
  /** Buttons in the toolbar, between Break the Ice and Skip Chat. */
  toolbar?: ReactNode;
  /** The button More in the toolbar, after Skip Chat. */
  more?: ReactNode;
  renderIdeas?: RenderIdeas | undefined;
  /** If true, the partner's profile picture is not blurred. */
  isPartnerFriend?: boolean | undefined;
  /** Must be the same function in every render, because the memoized `chat` depends on it. */
  onReportMessage?: ((messageId: string) => void) | undefined;
}

export const ActiveChat = ({
  session,
  me,
  toolbar,
  more,
  renderIdeas,
  isPartnerFriend = false,
  onReportMessage,
}: ActiveChatProps) => {
  const section = useRef<HTMLElement>(null);
  const toolbarArea = useRef<HTMLDivElement>(null);
  const { sessionId } = session;
  const isRevealed = useRevealedPicture((revealed) => revealed.sessionId === sessionId);
  const isPictureBlurred =
    useIsBlurringPictures() && session.partner.avatar !== null && !isPartnerFriend && !isRevealed;
  const partner = useMemo(
    () => ({ ...session.partner, isPictureBlurred }),
    [session.partner, isPictureBlurred],
  );
  usePreloaded(preloadedParts);

  // Memoized: a new object would render every row again.
  const chat = useMemo<Chat>(
    () => ({
      conversationId: sessionId,
      me,
      partner,
      capabilities,
      isWithStranger: true,
      pickerEmojis: randomChatPickerEmojis,
      outbox: randomChat.outbox,
      commands: {
        edit: randomChat.edit,
        react: randomChat.react,
        notifyTyping: randomChat.notifyTyping,
        ...(onReportMessage ? { report: onReportMessage } : {}),
      },
    }),
    [sessionId, me, partner, onReportMessage],
  );
  const draftStorage = useMemo<DraftStorage>(
    () => ({ read: () => readDraft(sessionId), write: (draft) => writeDraft(sessionId, draft) }),
    [sessionId],
  );
  const { isSkipBarOpen, toggleSkipBar, closeSkipBar } = useSkipBar(section, toolbarArea);

  return (
    <section
      ref={section}
      aria-label={copy.active.region(partner.username)}
      className="enter-stage flex min-h-0 flex-1 flex-col"
    >
      <div ref={toolbarArea}>
        <Toolbar
          session={session}
          onRevealPicture={isPictureBlurred ? () => useRevealedPicture.setState({ sessionId }) : null}
          isSkipBarOpen={isSkipBarOpen}
          onToggleSkipBar={toggleSkipBar}
          more={more}
        >
          <BreakTheIce />
          {toolbar}
        </Toolbar>
      </div>
      {isSkipBarOpen ? <SkipBar onConfirm={randomChat.skip} onCancel={closeSkipBar} /> : null}
      <ChatContext value={chat}>
        <Conversation
          label={copy.active.messages}
          messages={session.messages}
          draft={draftStorage}
          footer={
            <TypingLine
              showsText
              isTyping={session.isPartnerTyping}
              name={partner.username}
              // 'is typing' is announced at most once between two messages of the partner.
              partnerMessageKey={session.messages.findLast((message) => isTypedBy(message, partner.id))?.key}
            />
          }
          renderCard={renderGameCard}
          renderIdeas={renderIdeas}
        />
      </ChatContext>
    </section>
  );
};
