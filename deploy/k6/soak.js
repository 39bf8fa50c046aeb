// The chats of chat.js for hours, to find leaks. Settings: PEOPLE (200), RAMP (2m), DURATION (4h), CHAT (3m).
import { createChatOptions, readChatLoad, runPerson } from './lib/chat-scenario.ts';

const load = readChatLoad({ people: 200, ramp: '2m', duration: '4h', chat: '3m' });

export const options = createChatOptions(load);

export default () => runPerson(load);
