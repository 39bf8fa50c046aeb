import { chatPart } from '@/app/routes/chat-part';
import { notFoundPart } from '@/app/routes/not-found-part';
import { createPart } from '@/ui/loaded-part';

const createLegalPart = (page: 'terms' | 'privacy' | 'rules') =>
  createPart(async () => {
    const { LegalPage } = await import('@/app/routes/legal-route');
    return () => <LegalPage which={page} />;
  });

/** The pages as parts (lazily loaded components): the code of each is loaded when its address is opened. */
export const routeParts = {
  landing: createPart(async () => (await import('@/app/routes/landing-route')).LandingRoute),
  auth: createPart(async () => (await import('@/app/routes/auth-route')).AuthRoute),
  chat: chatPart,
  terms: createLegalPart('terms'),
  privacy: createLegalPart('privacy'),
  rules: createLegalPart('rules'),
  receipt: createPart(async () => (await import('@/app/routes/receipt-route')).ReceiptRoute),
  moderation: createPart(async () => (await import('@/app/routes/moderation-route')).ModerationRoute),
  notFound: notFoundPart,
};
