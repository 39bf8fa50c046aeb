/** How a table of the database is exported: as events, as records, or not at all for the reason `leftOut`. */
export type TableRule = { as: 'events' | 'records' } | { leftOut: string };

const READ_MODEL = 'Derived from events, which are exported.';
const MODERATION = 'Concerns the work of moderators and other users; decisions are exported as events.';
const TECHNICAL = 'Holds nothing about a user.';

/** Every table: how it is exported, or why not (docs/my-data.md). */
export const exportedTables: Readonly<Record<string, TableRule>> = {
  events: { as: 'events' },
  event_private: { as: 'events' },

  sessions: { as: 'records' },
  devices: { as: 'records' },
  uploads: { as: 'records' },
  private_reads: { as: 'records' },
  // `standings` (the standing at present) and `notices` are exported although they are derived from events.
  standings: { as: 'records' },
  notices: { as: 'records' },
  notices_seen: { as: 'records' },

  users: { leftOut: READ_MODEL },
  friend_requests: { leftOut: READ_MODEL },
  friendships: { leftOut: READ_MODEL },
  blocks: { leftOut: READ_MODEL },
  chat_history: { leftOut: READ_MODEL },
  private_messages: { leftOut: READ_MODEL },
  sanctions: { leftOut: READ_MODEL },
  reports: { leftOut: READ_MODEL },
  appeals: { leftOut: READ_MODEL },
  upload_uses: { leftOut: READ_MODEL },
  upload_views: { leftOut: 'Who may load an image: derived from messages, which are exported.' },
  credentials: { leftOut: 'A hash of the password, which would help only an attacker.' },
  ban_keys: { leftOut: 'Hashes against the evasion of sanctions; they name no user.' },
  conduct_cases: { leftOut: MODERATION },
  upload_holds: { leftOut: MODERATION },
  moderator_actions: { leftOut: MODERATION },
  blocked_images: { leftOut: MODERATION },
  erasures: { leftOut: 'Erased users cannot export anything; the receipt lists what was erased.' },
  event_streams: { leftOut: TECHNICAL },
  private_data_expiries: { leftOut: TECHNICAL },
  migrations: { leftOut: TECHNICAL },
};
