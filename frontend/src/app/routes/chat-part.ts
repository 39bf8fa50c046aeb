import { createPart } from '@/ui/loaded-part';

/** The page /chat. Pages that lead to it preload it while they wait for the server. */
export const chatPart = createPart(async () => (await import('@/app/routes/chat-route')).ChatRoute);
