import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  type ExportEvent,
  type ExportHeader,
  type ExportRecord,
  type ExportTrailer,
  type ExportSection,
  exportSections,
} from '@thaw/contract/my-data-export';
import type { Login } from '../../../platform/http/login.decorator';
import { buildConductStreamId } from '../../standings/domain/standing.events';
import { StandingsService } from '../../standings/application/standings.service';
import { ExportRepository, type LogSnapshot, PAGE_SIZE } from '../infrastructure/export.repository';
import { isRenumbered, listExportedTypes, toExportedEvent } from './exported-events.rules';

/** The login ended while its export was running. */
export class ExportLoginEndedError extends Error {
  constructor() {
    super('The login has ended');
  }
}

/**
 * Event types in the conduct streams (the events of moderation) of other users: reports and appeals by the user, and
 * decisions on these appeals.
 */
const TYPES_IN_STREAMS_OF_OTHERS = ['ReportFiled', 'AppealFiled', 'AppealDecided'];

const toLine = (line: object): string => `${JSON.stringify(line)}\n`;

/** Builds the text of an export, page by page. */
@Injectable()
export class ExportContentService {
  constructor(
    private readonly exports: ExportRepository,
    private readonly standings: StandingsService,
  ) {}

  /**
   * Yields the export in chunks of whole lines. A chunk is read from the database only when the consumer requests it.
   * The last chunk is the trailer, so an export that fails has no trailer.
   * @throws ExportLoginEndedError as soon as the login has ended; errors of PostgreSQL.
   */
  async *write(login: Login): AsyncGenerator<string> {
    const { userId } = login;
    const snapshot = await this.exports.takeSnapshot();
    const hash = createHash('sha256');
    const counts = { events: 0, records: 0 };
    const header: ExportHeader = {
      kind: 'header',
      format: 'thaw-export',
      version: 1,
      userId,
      createdAt: snapshot.startedAt.toISOString(),
      sections: [...exportSections],
    };
    const headerLine = toLine(header);
    hash.update(headerLine);
    yield headerLine;
    for await (const lines of this.readLines(userId, snapshot)) {
      if (!(await this.exports.isSignedIn(login))) throw new ExportLoginEndedError();
      if (lines.length === 0) continue;
      for (const { kind } of lines) counts[kind === 'event' ? 'events' : 'records'] += 1;
      const chunk = lines.map(toLine).join('');
      hash.update(chunk);
      yield chunk;
    }
    const trailer: ExportTrailer = { kind: 'trailer', ...counts, sha256: hash.digest('hex') };
    yield toLine(trailer);
  }

  private async *readLines(
    userId: number,
    snapshot: LogSnapshot,
  ): AsyncGenerator<(ExportEvent | ExportRecord)[]> {
    const scope = { userId, snapshot };
    yield* this.readEvents({ ...scope, section: 'account', streamIds: [`user-${userId}`] });

    for await (const otherIds of this.iterateRelatedUserIds(userId)) {
      const streamIds = otherIds.map((otherId) => buildFriendshipStreamId(userId, otherId));
      yield* this.readEvents({ ...scope, section: 'friends', streamIds });
    }

    const readBlocked = (afterId: number) => this.exports.readBlockedUserIds(userId, afterId);
    for await (const blockedIds of iterateIds(readBlocked)) {
      const streamIds = blockedIds.map((blockedId) => `block-${userId}-${blockedId}`);
      yield* this.readEvents({ ...scope, section: 'blocks', streamIds });
    }

    const readChats = (afterId: number) => this.exports.readChats(userId, afterId, snapshot);
    for await (const chats of iteratePages(readChats, ({ id }) => id)) {
      const streamIds = chats.map(({ streamId }) => streamId);
      yield* this.readEvents({ ...scope, section: 'chats', streamIds });
    }

    // Only users who are or were friends have private messages. The ids are read again rather than kept in memory.
    for await (const otherIds of this.iterateRelatedUserIds(userId))
      for (const otherId of otherIds) yield* this.readPrivateMessages(userId, otherId, snapshot);

    yield* this.readEvents({ ...scope, section: 'conduct', streamIds: [buildConductStreamId(userId)] });
    const readReported = (afterId: number) => this.exports.readReportedUserIds(userId, afterId);
    for await (const reportedIds of iterateIds(readReported)) {
      const streamIds = reportedIds.map(buildConductStreamId);
      yield* this.readEvents({ ...scope, section: 'conduct', streamIds, types: TYPES_IN_STREAMS_OF_OTHERS });
    }

    const { kind, since, until } = await this.standings.find(userId);
    yield [{ kind: 'record', section: 'records', table: 'standings', data: { kind, since, until } }];
    yield* this.exports.readRecords(userId);
  }

  /** Yields, in pages, the ids of users with whom the user has or had a friendship or a friend request. */
  private iterateRelatedUserIds(userId: number): AsyncGenerator<number[]> {
    return iterateIds((afterId) => this.exports.readRelatedUserIds(userId, afterId));
  }

  /** The user can read messages by the other user only while the two are friends. */
  private async *readPrivateMessages(
    userId: number,
    otherId: number,
    snapshot: LogSnapshot,
  ): AsyncGenerator<ExportEvent[]> {
    const readIds = (afterId: number) =>
      this.exports.readPrivateMessageIds(userId, otherId, afterId, snapshot);
    for await (const ids of iterateIds(readIds)) {
      const areFriends = await this.exports.areFriends(userId, otherId);
      const streamIds = ids.map((id) => `private-${id}`);
      yield* this.readEvents({ section: 'private', streamIds, userId, snapshot, areFriends });
    }
  }

  private async *readEvents({
    section,
    streamIds,
    types = listExportedTypes(section),
    userId,
    snapshot,
    areFriends = false,
  }: {
    section: ExportSection;
    streamIds: readonly string[];
    /** By default, all exported types of the section. */
    types?: readonly string[];
    userId: number;
    snapshot: LogSnapshot;
    /** For private messages: whether the user may read those of the other user. */
    areFriends?: boolean;
  }): AsyncGenerator<ExportEvent[]> {
    const numbering = new PositionNumbering();
    for await (const events of this.exports.readEvents(streamIds, types, userId, snapshot)) {
      const exported = events.flatMap((event) => {
        // Decides only about texts of the other user: the user's own texts are always exported.
        const isReadable = event.isCurrentText && areFriends;
        return toExportedEvent({ ...event, isReadable }, userId) ?? [];
      });
      // Gaps between the positions would disclose the events that are left out.
      if (isRenumbered(section)) numbering.renumber(exported);
      yield exported;
    }
  }
}

const buildFriendshipStreamId = (userId: number, otherId: number): string =>
  `friendship-${Math.min(userId, otherId)}-${Math.max(userId, otherId)}`;

/** Numbers the exported events of each stream from 1. A stream may continue on the next page. */
class PositionNumbering {
  private stream = '';
  private lastPosition = 0;

  /** Replaces the positions of the events of the next page. */
  renumber(events: readonly ExportEvent[]): void {
    for (const event of events) {
      if (event.stream !== this.stream) {
        this.stream = event.stream;
        this.lastPosition = 0;
      }
      this.lastPosition += 1;
      event.position = this.lastPosition;
    }
  }
}

/** Yields the pages of a query that reads rows in ascending order of their ids. A page that is not full is the last. */
async function* iteratePages<Row>(
  readPage: (afterId: number) => Promise<Row[]>,
  getId: (row: Row) => number,
): AsyncGenerator<Row[]> {
  let afterId = 0;
  for (;;) {
    const rows = await readPage(afterId);
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_SIZE) return;
    afterId = getId(last);
  }
}

const iterateIds = (readPage: (afterId: number) => Promise<number[]>): AsyncGenerator<number[]> =>
  iteratePages(readPage, (id) => id);
