import { randomChatPickerEmojis } from '@thaw/contract/emojis';
import { useMemo, useRef, useState, type ReactNode } from 'react';
import { type ChatMessage, type Outgoing } from '@/chat-ui/chat-message';
import { Conversation } from '@/chat-ui/conversation';
import { copy as chatCopy } from '@/chat-ui/copy';
import { type MessageAuthor } from '@/chat-ui/message-row';
import { uploadChatImage } from '@/features/random-chat/api/upload-chat-image';
import { SkipBar } from '@/features/random-chat/components/skip-control';
import { Toolbar } from '@/features/random-chat/components/toolbar';
import { useEscape } from '@/features/random-chat/components/use-escape';
import { copy } from '@/features/random-chat/copy';
import { keepDraft, readDraft } from '@/features/random-chat/draft';
import { type Session } from '@/features/random-chat/random-chat.state';
import { randomChat, useRandomChat, type SendOutcome } from '@/features/random-chat/random-chat.store';
import { useIsConnected } from '@/lib/socket/connection';

const TypingLine = ({ session }: { session: Session }) => (
  <div className="h-8 pt-2 pl-10 text-sm text-muted-foreground">
    {session.isPartnerTyping ? (
      <p className="enter-rise inline-flex items-center gap-2">
        <span aria-hidden="true" className="typing-dots">
          <i />
          <i />
          <i />
        </span>
        {copy.active.typing(session.partner.username)}
      </p>
    ) : null}
  </div>
);

const capabilities = { reply: true, edit: true, react: true, delete: false, attach: true } as const;

export interface ActiveChatProps {
  session: Session;
  me: MessageAuthor;
  /** Beside Skip Chat: Break the Ice and Add Friend. */
  toolbar?: ReactNode;
  renderCard?: (message: ChatMessage) => ReactNode;
}

export const ActiveChat = ({ session, me, toolbar, renderCard }: ActiveChatProps) => {
  const [isAsking, setAsking] = useState(false);
  const [wasRefused, setRefused] = useState(false);
  const section = useRef<HTMLElement>(null);
  const skipArea = useRef<HTMLDivElement>(null);
  const isConnected = useIsConnected();
  const isTooFast = useRandomChat((state) => state.isTooFast);
  const { partner } = session;

  // The line stays until the connection is back.
  if (isConnected && wasRefused) setRefused(false);

  // The same functions at every render: rows are drawn again only when they change.
  const commands = useMemo(() => {
    const heed = (outcome: SendOutcome): boolean => {
      if (outcome === 'not_connected') setRefused(true);
      return outcome === 'sent';
    };
    return {
      onSend: (outgoing: Outgoing) => heed(randomChat.say(outgoing)),
      onEdit: (messageId: string, text: string) => heed(randomChat.edit(messageId, text)),
      onReact: (messageId: string, emoji: string) => void heed(randomChat.react(messageId, emoji)),
      onRetry: (clientId: string) => void heed(randomChat.retry(clientId)),
      isAbleToSend: () => heed(randomChat.canSend() ? 'sent' : 'not_connected'),
    };
  }, []);
  const { sessionId } = session;
  const draft = useMemo(
    () => ({ initial: readDraft(sessionId), onChange: (text: string) => keepDraft(sessionId, text) }),
    [sessionId],
  );
  // Back to where the question was asked from, such as the composer after Escape.
  const askedFrom = useRef<Element | null>(null);
  const ask = (): void => {
    askedFrom.current = document.activeElement;
    setAsking(true);
  };
  const cancelSkip = (): void => {
    setAsking(false);
    const from = askedFrom.current;
    if (from instanceof HTMLElement && from !== document.body && from.isConnected) from.focus();
    else skipArea.current?.querySelector<HTMLElement>('[aria-expanded]')?.focus();
  };
  useEscape(section, ({ isForToast }) => {
    if (isAsking) cancelSkip();
    else if (!isForToast) ask();
  });

  return (
    <section
      ref={section}
      aria-label={copy.active.region(partner.username)}
      className="enter-stage flex min-h-0 flex-1 flex-col"
    >
      <div ref={skipArea}>
        <Toolbar session={session} isAsking={isAsking} onAsk={() => (isAsking ? cancelSkip() : ask())}>
          {toolbar}
        </Toolbar>
      </div>
      {isAsking ? <SkipBar onConfirm={randomChat.skip} onCancel={cancelSkip} /> : null}
      <Conversation
        label={copy.active.messages}
        me={me}
        partner={partner}
        messages={session.messages}
        capabilities={capabilities}
        {...commands}
        onType={randomChat.typed}
        upload={uploadChatImage}
        onReturned={randomChat.onReturned}
        draft={draft}
        pickerEmojis={randomChatPickerEmojis}
        partnerImages="hidden"
        notice={wasRefused ? chatCopy.composer.notSent : isTooFast ? copy.slowDown : null}
        footer={<TypingLine session={session} />}
        {...(renderCard ? { renderCard } : {})}
      />
    </section>
  );
};
