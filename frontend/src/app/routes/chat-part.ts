import { createPart } from '@/ui/loaded-part';

/** The page /chat. The pages that lead there load it while they wait for an answer. */
export const chatPart = createPart(async () => (await import('@/app/routes/chat-route')).ChatRoute);
