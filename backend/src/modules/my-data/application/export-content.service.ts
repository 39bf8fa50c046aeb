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
import { ExportRepository, type LogCut, PAGE_SIZE } from '../infrastructure/export.repository';
import { isRenumbered, listExportedTypes, toExportedEvent } from './exported-events.rules';

/** The login ended while its export was running. */
export class ExportLoginEndedError extends Error {
  constructor() {
    super('The login has ended');
  }
}

/** Types that streams about other users may have by the user. */
const TYPES_BY_REPORTERS = ['ReportFiled', 'AppealFiled', 'AppealDecided'];

const toLine = (line: object): string => `${JSON.stringify(line)}\n`;

/** The text of an export, as a stream of pages. */
@Injectable()
export class ExportContentService {
  constructor(
    private readonly exports: ExportRepository,
    private readonly standings: StandingsService,
  ) {}

  /**
   * Yields the export in chunks of whole lines, each of which is read when the previous one was taken. The last chunk
   * is the trailer, so an export that fails has none.
   * @throws ExportLoginEndedError as soon as the login has ended; errors of PostgreSQL.
   */
  async *write(login: Login): AsyncGenerator<string> {
    const { userId } = login;
    const cut = await this.exports.begin();
    const hash = createHash('sha256');
    const counts = { events: 0, records: 0 };
    const header: ExportHeader = {
      kind: 'header',
      format: 'thaw-export',
      version: 1,
      userId,
      createdAt: cut.startedAt.toISOString(),
      sections: [...exportSections],
    };
    const first = toLine(header);
    hash.update(first);
    yield first;
    for await (const lines of this.readLines(userId, cut)) {
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

  private async *readLines(userId: number, cut: LogCut): AsyncGenerator<(ExportEvent | ExportRecord)[]> {
    const read = (section: ExportSection, streamIds: readonly string[], types = listExportedTypes(section)) =>
      this.readEvents({ section, streamIds, types, userId, cut });

    yield* read('account', [`user-${userId}`]);
    for await (const others of iterateIds((after) => this.exports.readRelated(userId, after)))
      yield* read(
        'friends',
        others.map((otherId) => `friendship-${Math.min(userId, otherId)}-${Math.max(userId, otherId)}`),
      );
    for await (const others of iterateIds((after) => this.exports.readBlocked(userId, after)))
      yield* read(
        'blocks',
        others.map((otherId) => `block-${userId}-${otherId}`),
      );
    for (let after = 0; ;) {
      const chats = await this.exports.readChats(userId, after, cut);
      yield* read(
        'chats',
        chats.map(({ streamId }) => streamId),
      );
      if (chats.length < PAGE_SIZE) break;
      after = chats.at(-1)?.id ?? after;
    }
    for await (const others of iterateIds((after) => this.exports.readRelated(userId, after)))
      for (const otherId of others) yield* this.readPrivateMessages(userId, otherId, cut);
    yield* read('conduct', [buildConductStreamId(userId)]);
    for await (const others of iterateIds((after) => this.exports.readReported(userId, after)))
      yield* read('conduct', others.map(buildConductStreamId), TYPES_BY_REPORTERS);

    const { kind, since, until } = await this.standings.find(userId);
    yield [{ kind: 'record', section: 'records', table: 'standings', data: { kind, since, until } }];
    yield* this.exports.readRecords(userId);
  }

  /** Messages by the other user are readable as long as the two are friends. */
  private async *readPrivateMessages(
    userId: number,
    otherId: number,
    cut: LogCut,
  ): AsyncGenerator<ExportEvent[]> {
    const types = listExportedTypes('private');
    const readIds = (after: number) => this.exports.readPrivateMessages(userId, otherId, after, cut);
    for await (const ids of iterateIds(readIds)) {
      const canRead = await this.exports.areFriends(userId, otherId);
      const streamIds = ids.map((id) => `private-${id}`);
      yield* this.readEvents({ section: 'private', streamIds, types, userId, cut, canRead });
    }
  }

  private async *readEvents({
    section,
    streamIds,
    types,
    userId,
    cut,
    canRead = false,
  }: {
    section: ExportSection;
    streamIds: readonly string[];
    types: readonly string[];
    userId: number;
    cut: LogCut;
    canRead?: boolean;
  }): AsyncGenerator<ExportEvent[]> {
    let last = { stream: '', position: 0 };
    for await (const events of this.exports.readEvents(streamIds, types, userId, cut)) {
      const exported = events.flatMap((event) => {
        const line = toExportedEvent({ ...event, isReadable: event.isReadable && canRead }, userId);
        return line ?? [];
      });
      if (isRenumbered(section))
        for (const event of exported) {
          const position = event.stream === last.stream ? last.position + 1 : 1;
          event.position = position;
          last = { stream: event.stream, position };
        }
      yield exported;
    }
  }
}

/** Yields the pages of a query of ids in ascending order, until one is not full. */
async function* iterateIds(read: (after: number) => Promise<number[]>): AsyncGenerator<number[]> {
  for (let after = 0; ;) {
    const ids = await read(after);
    if (ids.length > 0) yield ids;
    if (ids.length < PAGE_SIZE) return;
    after = ids.at(-1) ?? after;
  }
}
