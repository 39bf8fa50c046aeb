import { useEffect } from 'react';
import { useAnonymousStart } from '@/features/auth/use-anonymous-start';
import { ChatReminder } from '@/features/landing/components/chat-reminder';
import { LandingPage } from '@/features/landing/components/landing-page';
import { copy } from '@/features/landing/copy';
import { Consent } from '@/features/legal/consent/consent';
import { useDocumentTitle } from '@/product/document-title';
import { repeatEarlyPress } from '@/product/early-press';
import { useOpenChat } from '@/product/open-chat';
import { createPart } from '@/ui/loaded-part';

// Not app/route-parts.tsx, which imports this page.
const chat = createPart(async () => (await import('@/app/routes/chat-route')).ChatRoute);

export const LandingRoute = () => {
  const openChat = useOpenChat((state) => state.chat);
  useDocumentTitle(copy.title, openChat?.unread);
  useEffect(repeatEarlyPress, []);
  const anonymous = useAnonymousStart(copy.connectionError, chat.preload);
  return (
    <>
      <LandingPage
        isStarting={anonymous.isStarting}
        onJoinAnonymously={anonymous.start}
        consent={<Consent />}
      />
      {openChat ? <ChatReminder chat={openChat} /> : null}
    </>
  );
};
