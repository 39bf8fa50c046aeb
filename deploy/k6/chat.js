// Users are matched, send messages, react, play and skip. Settings: PEOPLE (100), RAMP (30s), DURATION (2m), CHAT
// (30s).
import { createChatOptions, readChatLoad, runPerson } from './lib/chat-scenario.ts';

const load = readChatLoad({ people: 100, ramp: '30s', duration: '2m', chat: '30s' });

export const options = createChatOptions(load);

export default () => runPerson(load);
