import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A replacement in a source file of the working tree, to build another release from it. */
export interface SourceChange {
  /** Path relative to `backend/src`. */
  file: string;
  /** Must occur exactly once in the file. */
  before: string;
  after: string;
}

/**
 * An event type that no release has. It represents one that a later release adds. Only processes that are built with
 * `partnerWavedChanges` know it and send its frame.
 */
export const partnerWaved = { type: 'PartnerWaved', frame: 'partner_waved' } as const;

// In two `switch` statements, the case of the new event type is inserted before these lines.
const chatEndedInMapper = "    case 'ChatEnded':\n      return { event: 'chat_skipped'";

const chatEndedInState = "    case 'ChatEnded':\n      state.phase = 'ended';";

export const partnerWavedChanges: readonly SourceChange[] = [
  {
    file: 'modules/random-chat/projections/random-chat.event-types.ts',
    before: "  definePlain('ChatEnded'),\n",
    after: `  definePlain('ChatEnded'),\n  definePlain('${partnerWaved.type}'),\n`,
  },
  {
    file: 'modules/random-chat/application/chat-frame.mapper.ts',
    before: chatEndedInMapper,
    after: `    case '${partnerWaved.type}':\n      return { event: '${partnerWaved.frame}', data: sessionAndSeq };\n${chatEndedInMapper}`,
  },
  {
    file: 'modules/random-chat/domain/random-chat.state.ts',
    before: chatEndedInState,
    after: `    case '${partnerWaved.type}':\n      return state;\n\n${chatEndedInState}`,
  },
];

/** A version of the keys and values in Redis (`REDIS_LAYOUT`) that no release has. */
export const otherLayout = 'other';

export const otherLayoutChanges: readonly SourceChange[] = [
  {
    file: 'platform/redis/redis-layout.functions.ts',
    before: 'export const REDIS_LAYOUT = ',
    // The value of this release stays behind `||`, where it has no effect.
    after: `export const REDIS_LAYOUT = '${otherLayout}' || `,
  },
];

/**
 * Changes a copy of `backend/src`.
 * @param src path of the copy.
 * @throws Error if a text to replace does not occur exactly once.
 */
export const applyChanges = (src: string, changes: readonly SourceChange[]): void => {
  for (const { file, before, after } of changes) {
    const path = join(src, file);
    const parts = readFileSync(path, 'utf8').split(before); // two parts if `before` occurs once
    if (parts.length !== 2) throw new Error(`${file} contains this ${parts.length - 1} times: ${before}`);
    writeFileSync(path, parts.join(after));
  }
};
