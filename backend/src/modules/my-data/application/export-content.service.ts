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
    const readStreams = (
      section: ExportSection,
      streamIds: readonly string[],
      types = listExportedTypes(section),
    ) => this.readEvents({ section, streamIds, types, userId, snapshot });

    yield* readStreams('account', [`user-${userId}`]);
    for await (const others of iterateIds((afterId) => this.exports.readRelatedUserIds(userId, afterId)))
      yield* readStreams(
        'friends',
        others.map((otherId) => `friendship-${Math.min(userId, otherId)}-${Math.max(userId, otherId)}`),
      );
    for await (const others of iterateIds((afterId) => this.exports.readBlockedUserIds(userId, afterId)))
      yield* readStreams(
        'blocks',
        others.map((otherId) => `block-${userId}-${otherId}`),
      );
    const readChats = (afterId: number) => this.exports.readChats(userId, afterId, snapshot);
    for await (const chats of iteratePages(readChats, ({ id }) => id))
      yield* readStreams(
        'chats',
        chats.map(({ streamId }) => streamId),
      );
    // Private messages exist only between users who are or were friends. These are among the related users, whose ids
    // are read again, not kept in memory.
    for await (const others of iterateIds((afterId) => this.exports.readRelatedUserIds(userId, afterId)))
      for (const otherId of others) yield* this.readPrivateMessages(userId, otherId, snapshot);
    yield* readStreams('conduct', [buildConductStreamId(userId)]);
    for await (const others of iterateIds((afterId) => this.exports.readReportedUserIds(userId, afterId)))
      yield* readStreams('conduct', others.map(buildConductStreamId), TYPES_IN_STREAMS_OF_OTHERS);

    const { kind, since, until } = await this.standings.find(userId);
    yield [{ kind: 'record', section: 'records', table: 'standings', data: { kind, since, until } }];
    yield* this.exports.readRecords(userId);
  }

  /** The user can read messages by the other user only while the two are friends. */
  private async *readPrivateMessages(
    userId: number,
    otherId: number,
    snapshot: LogSnapshot,
  ): AsyncGenerator<ExportEvent[]> {
    const types = listExportedTypes('private');
    const readIds = (afterId: number) =>
      this.exports.readPrivateMessageIds(userId, otherId, afterId, snapshot);
    for await (const ids of iterateIds(readIds)) {
      const areFriends = await this.exports.areFriends(userId, otherId);
      const streamIds = ids.map((id) => `private-${id}`);
      yield* this.readEvents({ section: 'private', streamIds, types, userId, snapshot, areFriends });
    }
  }

  private async *readEvents({
    section,
    streamIds,
    types,
    userId,
    snapshot,
    areFriends = false,
  }: {
    section: ExportSection;
    streamIds: readonly string[];
    types: readonly string[];
    userId: number;
    snapshot: LogSnapshot;
    /** For private messages: whether the user may read those of the other user. */
    areFriends?: boolean;
  }): AsyncGenerator<ExportEvent[]> {
    let lastExported = { stream: '', position: 0 };
    for await (const events of this.exports.readEvents(streamIds, types, userId, snapshot)) {
      const exported = events.flatMap((event) => {
        // `isReadable` matters only for messages of the other user: the user's own texts are always exported.
        const isReadable = event.isCurrentText && areFriends;
        const line = toExportedEvent({ ...event, isReadable }, userId);
        return line ?? [];
      });
      // Gaps between the positions would disclose the events that are left out.
      if (isRenumbered(section))
        for (const event of exported) {
          const position = event.stream === lastExported.stream ? lastExported.position + 1 : 1;
          event.position = position;
          lastExported = { stream: event.stream, position };
        }
      yield exported;
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
