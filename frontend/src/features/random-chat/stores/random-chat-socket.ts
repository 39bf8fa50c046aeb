import { type FeatureSocket } from '@/lib/socket/feature-socket';

/** The connection of the random chat, which can also ask again for what was missed. */
export interface RandomChatSocket extends FeatureSocket {
  resync: () => void;
}
