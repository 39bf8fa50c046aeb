import { EventStore1763640000000 } from './1763640000000-event-store';
import { UsersAndSessions1763640100000 } from './1763640100000-users-and-sessions';
import { ChatHistory1763640200000 } from './1763640200000-chat-history';
import { Uploads1763640300000 } from './1763640300000-uploads';
import { Friends1763640400000 } from './1763640400000-friends';
import { PrivateChat1763640410000 } from './1763640410000-private-chat';
import { PrivateDataExpiries1763640500000 } from './1763640500000-private-data-expiries';
import { NoTransactionIndex1763640510000 } from './1763640510000-no-transaction-index';
import { UploadUses1763640600000 } from './1763640600000-upload-uses';
import { Blocks1763640700000 } from './1763640700000-blocks';
import { Conduct1763640800000 } from './1763640800000-conduct';
import { NoticeTexts1763640901000 } from './1763640901000-notice-texts';
import { ReportSessions1763640902000 } from './1763640902000-report-sessions';
import { ModerationIndexes1763640905000 } from './1763640905000-moderation-indexes';
import { InheritedSanctionsIndex1763640906000 } from './1763640906000-inherited-sanctions-index';
import { Erasures1763640910000 } from './1763640910000-erasures';
import { FindingsIndex1763640911000 } from './1763640911000-findings-index';
import { ExportIndexes1763640920000 } from './1763640920000-export-indexes';
import { UnsampledColumns1763640930000 } from './1763640930000-unsampled-columns';
import { RenewedLogins1763640940000 } from './1763640940000-renewed-logins';
import { BlockStreamsIndex1763640950000 } from './1763640950000-block-streams-index';
import { PartitionedEvents1763640960000 } from './1763640960000-partitioned-events';
import { DeletionIndexes1763640970000 } from './1763640970000-deletion-indexes';

/** Every migration, in order. */
export const migrations = [
  EventStore1763640000000,
  UsersAndSessions1763640100000,
  ChatHistory1763640200000,
  Uploads1763640300000,
  Friends1763640400000,
  PrivateChat1763640410000,
  PrivateDataExpiries1763640500000,
  NoTransactionIndex1763640510000,
  UploadUses1763640600000,
  Blocks1763640700000,
  Conduct1763640800000,
  NoticeTexts1763640901000,
  ReportSessions1763640902000,
  ModerationIndexes1763640905000,
  InheritedSanctionsIndex1763640906000,
  Erasures1763640910000,
  FindingsIndex1763640911000,
  ExportIndexes1763640920000,
  UnsampledColumns1763640930000,
  RenewedLogins1763640940000,
  BlockStreamsIndex1763640950000,
  PartitionedEvents1763640960000,
  DeletionIndexes1763640970000,
];
