/** The durable stream of a chat. */
export const chatStream = (sessionId: string): string => `chat-${sessionId}`;
