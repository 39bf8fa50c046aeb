import { randomChatPickerEmojis } from '@thaw/contract/emojis';
import { useMemo, useRef, useState, type ReactNode } from 'react';
import { type ChatMessage, type Outgoing } from '@/chat-ui/chat-message';
import { Conversation } from '@/chat-ui/conversation';
import { copy as chatCopy } from '@/chat-ui/copy';
import { type MessageAuthor } from '@/chat-ui/message-row';
import { uploadChatImage } from '@/features/random-chat/api/upload-chat-image';
import { SkipBar, SkipButton } from '@/features/random-chat/components/skip-control';
import { copy } from '@/features/random-chat/copy';
import { type Session } from '@/features/random-chat/random-chat.state';
import { randomChat, useRandomChat, type SendOutcome } from '@/features/random-chat/random-chat.store';
import { useIdentity } from '@/lib/identity';
import { useIsConnected } from '@/lib/socket/connection';
import { Avatar } from '@/ui/avatar';

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

const Toolbar = ({
  session,
  isAsking,
  onAsk,
  children,
}: {
  session: Session;
  isAsking: boolean;
  onAsk: () => void;
  children: ReactNode;
}) => {
  const me = useIdentity((state) => state.user);
  const { partner } = session;
  const isAway = session.partnerConnection === 'reconnecting';
  return (
    <header className="border-b border-border">
      <div className="mx-auto flex w-full max-w-4xl items-center gap-3 px-4 py-3 md:px-6">
        <div className="flex">
          <Avatar
            id={partner.id}
            name={partner.username}
            picture={partner.avatar}
            className="meet-from-left z-10 ring-3 ring-card"
          />
          {me ? (
            <Avatar
              id={me.id}
              name={me.username}
              picture={me.avatar}
              className="meet-from-right -ml-3 max-sm:hidden"
            />
          ) : null}
        </div>
        <div className="min-w-0 flex-1">
          <h1 className="truncate text-md font-bold">{partner.username}</h1>
          <p role="status" className={isAway ? 'text-sm text-warning' : 'text-sm text-muted-foreground'}>
            {isAway ? copy.active.partnerReconnecting : copy.active.here}
          </p>
        </div>
        {children}
        <SkipButton isAsking={isAsking} onAsk={onAsk} />
      </div>
    </header>
  );
};

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
  const cancelSkip = (): void => {
    setAsking(false);
    skipArea.current?.querySelector('button')?.focus();
  };

  return (
    <section
      aria-label={copy.active.region(partner.username)}
      className="enter-stage flex min-h-0 flex-1 flex-col"
    >
      <div ref={skipArea}>
        <Toolbar session={session} isAsking={isAsking} onAsk={() => setAsking((asking) => !asking)}>
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
        pickerEmojis={randomChatPickerEmojis}
        partnerImages="hidden"
        notice={wasRefused ? chatCopy.composer.notSent : isTooFast ? copy.slowDown : null}
        footer={<TypingLine session={session} />}
        {...(renderCard ? { renderCard } : {})}
      />
    </section>
  );
};
