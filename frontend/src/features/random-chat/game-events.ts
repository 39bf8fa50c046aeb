import { type Session } from '@/features/random-chat/random-chat.state';
import { type ServerFrame } from '@thaw/contract/server-frames';

export type GameFrame = Extract<ServerFrame, { event: `break_ice_${string}` }>;

export const isGameFrame = (frame: ServerFrame): frame is GameFrame => frame.event.startsWith('break_ice_');

/** What one stored event of Break the Ice changes in the session, its `seq` apart. */
export const applyGameEvent = (session: Session, _frame: GameFrame, _me: number): Session => session;
