import { type FeatureSocket } from '@/lib/socket/feature-socket';

/** The socket of the random chat, which can also request missed events. */
export interface RandomChatSocket extends FeatureSocket {
  resync: () => void;
}
