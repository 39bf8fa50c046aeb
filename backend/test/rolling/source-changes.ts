import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What another release has in a source file in the place of what the present tree has. */
export interface SourceChange {
  /** Below `backend/src`. */
  file: string;
  /** Stands exactly once in the file. */
  before: string;
  after: string;
}

/**
 * An event type that no release has. The processes that are built with it declare the type and send a frame for it; all
 * others meet it as a type they do not know.
 */
export const partnerWaved = { type: 'PartnerWaved', frame: 'partner_waved' } as const;

const chatEndedSent = "    case 'ChatEnded':\n      return { event: 'chat_skipped'";

const chatEndedFolded = "    case 'ChatEnded':\n      state.phase = 'ended';";

export const withPartnerWaved: readonly SourceChange[] = [
  {
    file: 'modules/random-chat/projections/random-chat.event-types.ts',
    before: "  plain('ChatEnded'),\n",
    after: `  plain('ChatEnded'),\n  plain('${partnerWaved.type}'),\n`,
  },
  {
    file: 'modules/random-chat/application/chat-frame.mapper.ts',
    before: chatEndedSent,
    after: `    case '${partnerWaved.type}':\n      return { event: '${partnerWaved.frame}', data: stored };\n${chatEndedSent}`,
  },
  {
    file: 'modules/random-chat/domain/random-chat.state.ts',
    before: chatEndedFolded,
    after: `    case '${partnerWaved.type}':\n      return state;\n\n${chatEndedFolded}`,
  },
];

/** The number of a layout that no release has. */
export const otherLayout = 'other';

export const withOtherLayout: readonly SourceChange[] = [
  {
    file: 'platform/redis/redis-layout.functions.ts',
    before: 'export const REDIS_LAYOUT = ',
    after: `export const REDIS_LAYOUT = '${otherLayout}' || `,
  },
];

/** Changes a copy of `backend/src`. @throws Error when the source no longer has what is to be replaced */
export const applyChanges = (src: string, changes: readonly SourceChange[]): void => {
  for (const { file, before, after } of changes) {
    const path = join(src, file);
    const parts = readFileSync(path, 'utf8').split(before);
    if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times: ${before}`);
    writeFileSync(path, parts.join(after));
  }
};
