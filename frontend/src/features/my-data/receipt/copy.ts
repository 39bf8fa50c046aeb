import { type Erased, type Kept } from '@thaw/contract/my-data';

/** Texts about the receipt of a deleted account. */
export const copy = {
  documentTitle: 'Receipt',
  loading: 'Loading the receipt',
  failed: 'The receipt could not be loaded.',
  unknown: {
    title: 'No such receipt',
    lead: 'The address may be incomplete. Without its receipt nobody can tell which account was deleted.',
  },
  running: {
    title: 'Your account is being deleted',
    lead: 'You are signed out everywhere, and nobody can find you here. The rest takes about a minute.',
    stay: 'You may close this page. Keep its address: your receipt will be here.',
    late: 'It takes longer than usual. The server continues by itself until everything is erased; you need not do anything.',
    unreachable: 'The server does not answer at the moment. This page asks again by itself.',
    progress: 'Deletion in progress',
  },
  done: {
    title: 'Your account is deleted',
    titleOfInactive: 'This account was deleted',
    leadOfInactive: 'It was anonymous, and had not been used for a week.',
    finished: (time: string) => `Finished ${time}`,
  },
  erased: {
    title: 'Erased',
    nothing: 'The account itself. It had no other data.',
    counts: {
      personalFields: 'Texts and other personal details',
      randomChats: 'Chats with strangers',
      privateMessages: 'Messages to friends',
      images: 'Pictures',
      friendships: 'Friendships',
      requests: 'Friend requests',
      blocks: 'Blocks',
      sessions: 'Sign-ins',
      redisKeys: 'Temporary entries',
    } satisfies Record<keyof Erased, string>,
  },
  kept: {
    title: 'Kept',
    why: {
      open_case: () => 'until the moderators have decided',
      appeal_window: (date: string | null) =>
        date === null ? 'until nobody can appeal any more' : `until ${date}, as long as someone can appeal`,
      legal_hold: () => 'as long as the law obliges us',
      sanction: () => 'as long as the decision applies',
    } satisfies Record<Kept['why'], (date: string | null) => string>,
  },
  remaining: {
    title: 'What is stored about the account now',
    none: 'Nothing.',
    onlyKept: 'Only what is listed under Kept:',
    counts: {
      personalFields: 'Texts',
      uploads: 'Pictures',
      sessions: 'Sign-ins',
      credentials: 'Passwords',
      devices: 'Devices',
    },
    countedAt: (time: string) => `Counted by the server at ${time}`,
    again: 'Count again',
    counting: 'Counting...',
  },
  /** Copies that an erasure cannot delete, and after how long each disappears. */
  horizons: {
    title: 'Copies that disappear by themselves',
    lines: (horizons: {
      backupsDays: number;
      browserCachesHours: number;
      appendOnlyFileMinutes: number;
      logsDays: number;
    }) => [
      `Backups: after ${horizons.backupsDays} days. If one is restored before, your account is erased from it again.`,
      `Pictures in the browsers of others: after ${horizons.browserCachesHours} hours`,
      `Recovery file of the chat server: after ${horizons.appendOnlyFileMinutes} minutes`,
      `Technical logs: after ${horizons.logsDays} days`,
    ],
  },
  download: 'Download receipt',
  fileName: (receiptId: string) => `thaw-receipt-${receiptId}.json`,
  check: {
    button: 'Check this receipt',
    checking: 'Checking...',
    genuine: 'Genuine: the signature of this server matches every character of the receipt.',
    altered: 'Not genuine: the receipt was changed, or another server signed it.',
    unknownKey:
      'Signed with another key than the one that this server uses now, so it cannot be checked here.',
    otherReceipt: 'Not genuine: this is the receipt of another deletion.',
    failed: 'The key of the server could not be loaded. Please try again.',
  },
  /** The page that opens a downloaded receipt. */
  fromFile: {
    title: 'Receipt',
    lead: 'Open a receipt that you downloaded. This page checks the signature and asks the server what is stored now.',
    button: 'Open a receipt',
    unreadable: 'This file is not a receipt.',
  },
  unreadable: 'The server sent a receipt that cannot be read.',
} as const;
