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

/** An event type as a later release may add one. Only processes built with `partnerWavedChanges` know it. */
export const partnerWaved = { type: 'PartnerWaved', frame: 'partner_waved' } as const;

// The beginning of a case in two `switch` statements. The case of the new event type is inserted before it.
const chatEndedCaseInMapper = "    case 'ChatEnded':\n      return { event: 'chat_skipped'";
const chatEndedCaseInState = "    case 'ChatEnded':\n      state.phase = 'ended';";

export const partnerWavedChanges: readonly SourceChange[] = [
  {
    file: 'modules/random-chat/projections/random-chat.event-types.ts',
    before: "  definePlain('ChatEnded'),\n",
    after: `  definePlain('ChatEnded'),\n  definePlain('${partnerWaved.type}'),\n`,
  },
  {
    file: 'modules/random-chat/application/chat-frame.mapper.ts',
    before: chatEndedCaseInMapper,
    after: `    case '${partnerWaved.type}':\n      return { event: '${partnerWaved.frame}', data: sessionAndSeq };\n${chatEndedCaseInMapper}`,
  },
  {
    file: 'modules/random-chat/domain/random-chat.state.ts',
    before: chatEndedCaseInState,
    after: `    case '${partnerWaved.type}':\n      return state;\n\n${chatEndedCaseInState}`,
  },
];

/** A version of the keys and values in Redis (`REDIS_LAYOUT`) that no release has. */
export const otherLayout = 'other';

export const otherLayoutChanges: readonly SourceChange[] = [
  {
    file: 'platform/redis/redis-layout.functions.ts',
    before: 'export const REDIS_LAYOUT = ',
    // Results in `'other' || <the value of this release>`, which is 'other'.
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
    const partsAround = readFileSync(path, 'utf8').split(before);
    const count = partsAround.length - 1;
    if (count !== 1) throw new Error(`${file} contains this ${count} times: ${before}`);
    writeFileSync(path, partsAround.join(after));
  }
};
