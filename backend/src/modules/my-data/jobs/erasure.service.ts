import { Inject, Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Erased, ReceiptContent } from '@thaw/contract/my-data';
import { ConcurrencyLimiter } from '../../../platform/concurrency/concurrency.limiter';
import { CommandExecutorService } from '../../../platform/event-store/command-executor.service';
import { PersonalDataRepository } from '../../../platform/event-store/personal-data.repository';
import { logWarning } from '../../../platform/observability/warn-about.functions';
import { bucketNames } from '../../../platform/rate-limit/bucket.limits';
import {
  matchingKeys,
  presenceKeys,
  findPresenceShard,
  rateLimitKey,
} from '../../../platform/redis/redis.keys';
import { REDIS } from '../../../platform/redis/redis.module';
import type { RedisClient } from '../../../platform/redis/redis-connection.factory';
import { listNodes, openBatch } from '../../../platform/redis/redis-nodes.functions';
import { BlockErasureService } from '../../blocks/application/block-erasure.service';
import { ConductErasureService } from '../../conduct/application/conduct-erasure.service';
import { FriendshipErasureService } from '../../friends/application/friendship-erasure.service';
import { ChatErasureService } from '../../random-chat/application/chat-erasure.service';
import { UploadRemovalService } from '../../uploads/application/upload-removal.service';
import { UserErasureService } from '../../users/application/user-erasure.service';
import { ReceiptSignerService } from '../application/receipt-signer.service';
import { ErasureLedgerRepository } from '../infrastructure/erasure-ledger.repository';
import { type Erasure, ErasureRepository } from '../infrastructure/erasure.repository';
import { UserDataRepository } from '../infrastructure/user-data.repository';

/**
 * Maximum number of erasures at the same time. Each holds a database connection for its lock and needs another one for
 * its work.
 */
const CONCURRENCY = 2;
const EVENTS_PER_TRANSACTION = 1_000;
/** For Redis' append-only file, which contains deleted keys until it is rewritten. */
const MIN_REWRITE_INTERVAL_MS = 60 * 60_000;

/**
 * For how long copies of erased data remain in places that an erasure does not reach (docs/operations.md, "Erasures").
 * The receipt states these times.
 */
const HORIZONS = {
  backupsDays: 7,
  browserCachesHours: 24,
  appendOnlyFileMinutes: MIN_REWRITE_INTERVAL_MS / 60_000,
  logsDays: 30,
};

const nothingErased: Erased = {
  personalFields: 0,
  randomChats: 0,
  privateMessages: 0,
  images: 0,
  friendships: 0,
  requests: 0,
  blocks: 0,
  sessions: 0,
  redisKeys: 0,
};

/** A step cannot be completed yet. The erasure continues with this step later. */
class StepNotReadyError extends Error {}

/**
 * The steps of an erasure, in order and numbered from 1. Each step can be repeated after an interruption at any point.
 * - `ledger` records the erasure outside the database, so that a restored backup does not undo it.
 * - `chats` ends the user's chat, and deletes the user's chats and keys from Redis.
 * - `relations` ends friendships and removes blocks.
 * - `personalFields` deletes the personal fields of events about the user, and blanks the user's data in events of
 *   partners.
 * - `record` appends `PersonErased` to the event log.
 * - `files` deletes the user's images.
 * - `conduct` erases the user's words in decided reports and appeals.
 * - `appendOnlyFile` rewrites Redis' append-only file, unless the last rewrite was too recent.
 * - `receipt` signs the receipt and ends the erasure.
 */
export const erasureSteps = [
  'ledger',
  'chats',
  'relations',
  'personalFields',
  'record',
  'files',
  'conduct',
  'appendOnlyFile',
  'receipt',
] as const;
export type ErasureStep = (typeof erasureSteps)[number];

const getStepNumber = (step: ErasureStep): number => erasureSteps.indexOf(step) + 1;

/** An erasure that has completed this step has deleted keys, so it awaits a rewrite of the append-only file. */
const REDIS_DELETION_STEP = getStepNumber('chats');

/** Erases users, in steps that can be interrupted and repeated. */
@Injectable()
export class ErasureService {
  private readonly logger = new Logger(ErasureService.name);
  private readonly limiter = new ConcurrencyLimiter(CONCURRENCY, Infinity); // any number may wait

  constructor(
    @Inject(REDIS) private readonly redis: RedisClient,
    private readonly dataSource: DataSource,
    private readonly executor: CommandExecutorService,
    private readonly erasures: ErasureRepository,
    private readonly userData: UserDataRepository,
    private readonly ledger: ErasureLedgerRepository,
    private readonly chats: ChatErasureService,
    private readonly friendships: FriendshipErasureService,
    private readonly blocks: BlockErasureService,
    private readonly uploads: UploadRemovalService,
    private readonly conduct: ConductErasureService,
    private readonly users: UserErasureService,
    private readonly signer: ReceiptSignerService,
  ) {}

  /**
   * Runs the steps of an erasure that are not complete. Does nothing if another process works on the erasure.
   * @returns whether the erasure is finished; false if a step has to wait, another process works on the erasure, or
   * there is no such erasure.
   * @throws errors of stores; the next call continues with the same step.
   */
  run(erasureId: string): Promise<boolean> {
    return this.limiter.run(async () => {
      let isFinished = false;
      await this.erasures.runExclusively(erasureId, async () => {
        const erasure = await this.erasures.find(erasureId);
        if (erasure) isFinished = await this.runRemainingSteps(erasure);
      });
      return isFinished;
    });
  }

  /** @returns false if a step has to wait. */
  private async runRemainingSteps(erasure: Erasure): Promise<boolean> {
    try {
      for (const step of erasureSteps.slice(erasure.step)) {
        await this.runStep(step, erasure);
        await this.erasures.completeStep(erasure.id, getStepNumber(step));
      }
      return true;
    } catch (error) {
      if (error instanceof StepNotReadyError) return false;
      throw error;
    }
  }

  /**
   * Reopens the finished erasures whose legal hold was lifted. They run again from the step `files` on, erase the data
   * that was held, and get a second receipt.
   */
  async reopenAfterLiftedHolds(): Promise<void> {
    const lastCompletedStep = getStepNumber('files') - 1;
    await this.erasures.reopenAfterLiftedHolds(lastCompletedStep);
  }

  /** Rewrites Redis' append-only file for erasures whose own step did not, because it was too early or it failed. */
  async rewriteAppendOnlyFileIfDue(now: Date): Promise<void> {
    if (await this.erasures.awaitsRewrite(REDIS_DELETION_STEP)) await this.rewriteAppendOnlyFile(now);
  }

  private async runStep(step: ErasureStep, erasure: Erasure): Promise<void> {
    switch (step) {
      case 'ledger':
        return this.writeLedger(erasure);
      case 'chats':
        return this.eraseFromRedis(erasure);
      case 'relations':
        return this.endRelations(erasure);
      case 'personalFields':
        return this.erasePersonalFields(erasure);
      case 'record':
        return this.recordErasure(erasure);
      case 'files':
        return this.eraseFiles(erasure);
      case 'conduct':
        return this.eraseConduct(erasure);
      case 'appendOnlyFile':
        return this.rewriteAppendOnlyFile(new Date());
      case 'receipt':
        return this.signReceipt(erasure);
      default:
        return step satisfies never;
    }
  }

  private async writeLedger({ id, userId, requestedAt }: Erasure): Promise<void> {
    await this.ledger.write({ erasureId: id, userId, requestedAt: requestedAt.toISOString() });
  }

  private async eraseFromRedis({ id, userId }: Erasure): Promise<void> {
    const countKeys = (keyCount: number) => this.erasures.addToCount(id, 'redisKeys', keyCount);
    if (!(await this.chats.leave(userId)))
      throw new StepNotReadyError('A match of the user is about to become a chat');
    if (!(await this.chats.deleteStreams(userId, countKeys)))
      throw new StepNotReadyError('A chat is still open, only partly in PostgreSQL, or restorable');
    await countKeys(await this.deleteUserKeys(userId));
  }

  /** Deletes the user's own keys from Redis, and the user from shared keys. @returns the number of deleted keys. */
  private async deleteUserKeys(userId: number): Promise<number> {
    const presence = presenceKeys(findPresenceShard(userId));
    const keys = [
      matchingKeys.user(userId),
      matchingKeys.sockets(String(userId)),
      presence.sockets(String(userId)),
      ...bucketNames.map((bucket) => rateLimitKey(bucket, userId)),
    ];
    const batch = openBatch(this.redis);
    for (const key of keys) batch.unlink(key);
    batch.srem(presence.online, String(userId));
    batch.zrem(presence.leaving, String(userId));
    const replies = (await batch.exec()) ?? [];
    for (const [error] of replies) if (error) throw error;
    // The reply to `unlink` is 1 if the key existed, otherwise 0.
    const unlinkReplies = replies.slice(0, keys.length).map(([, reply]) => Number(reply));
    return unlinkReplies.reduce((sum, reply) => sum + reply, 0);
  }

  private async endRelations({ id, userId }: Erasure): Promise<void> {
    await this.friendships.separateFromAll(userId, (kind, manager) =>
      this.erasures.addToCount(id, kind, 1, manager),
    );
    await this.blocks.removeAllOf(userId, (manager) => this.erasures.addToCount(id, 'blocks', 1, manager));
  }

  private async erasePersonalFields({ id, userId }: Erasure): Promise<void> {
    let erasedEvents: number;
    do {
      erasedEvents = await this.eraseAndCount(id, 'personalFields', (manager) =>
        PersonalDataRepository.dropAboutUser(userId, EVENTS_PER_TRANSACTION, manager),
      );
    } while (erasedEvents === EVENTS_PER_TRANSACTION);
    await this.eraseAndCount(id, 'personalFields', (manager) =>
      this.chats.blankInEventsOfPartners(userId, manager),
    );
  }

  private async recordErasure({ id, userId }: Erasure): Promise<void> {
    await this.executor.runInTransaction(async (manager) => {
      // A repeated step finds no messages, because `PersonErased` has marked them as deleted. It finds the same chats
      // again, so their number is set, not added to.
      const messages = await this.userData.countPrivateMessages(userId, manager);
      await this.erasures.addToCount(id, 'privateMessages', messages, manager);
      await this.erasures.setCount(id, 'randomChats', await this.chats.countChats(userId, manager), manager);
      await this.userData.deleteReadPositions(userId, manager);
      await this.users.complete({ userId, erasureId: id }, await this.readCounts(id, manager), manager);
    });
  }

  private async eraseFiles({ id, userId }: Erasure): Promise<void> {
    await this.eraseAndCount(id, 'images', (manager) => this.uploads.removeAllByOwner(userId, manager));
    await this.uploads.deleteFilesByOwner(userId);
  }

  private async eraseConduct({ id, userId }: Erasure): Promise<void> {
    await this.eraseAndCount(id, 'personalFields', (manager) => this.conduct.eraseWords(userId, manager));
  }

  /** Runs `erase` in a transaction that also records the number of items that it erased. @returns this number. */
  private eraseAndCount(
    id: string,
    kind: keyof Erased,
    erase: (manager: EntityManager) => Promise<number>,
  ): Promise<number> {
    return this.dataSource.transaction(async (manager) => {
      const count = await erase(manager);
      await this.erasures.addToCount(id, kind, count, manager);
      return count;
    });
  }

  private async readCounts(id: string, manager: EntityManager): Promise<Erased> {
    const erasure = await this.erasures.find(id, manager);
    return { ...nothingErased, ...erasure?.counts };
  }

  /**
   * Does nothing if the last rewrite was less than an hour ago. The erasure does not wait for the next one:
   * `rewriteAppendOnlyFileIfDue` rewrites the file later.
   */
  private async rewriteAppendOnlyFile(now: Date): Promise<void> {
    const lastRewrite = await this.erasures.findLastRewrite();
    if (lastRewrite && now.getTime() - lastRewrite.getTime() < MIN_REWRITE_INTERVAL_MS) return;
    try {
      await Promise.all(listNodes(this.redis).map((node) => node.bgrewriteaof()));
    } catch (error) {
      // Either Redis does not allow the command, or a rewrite is running. A running rewrite is not recorded, because it
      // may have begun before the deletion.
      logWarning(this.logger, 'The append-only file of Redis was not rewritten', error);
      return;
    }
    await this.erasures.recordRewrite(now, REDIS_DELETION_STEP);
  }

  private async signReceipt({ id, userId, reason, requestedAt }: Erasure): Promise<void> {
    const erased = await this.readCounts(id, this.dataSource.manager);
    const kept = await this.conduct.listKept(userId, this.dataSource.manager);
    const finishedAt = new Date();
    const content: ReceiptContent = {
      v: 1,
      receiptId: id,
      userId,
      reason,
      requestedAt: requestedAt.toISOString(),
      finishedAt: finishedAt.toISOString(),
      erased,
      kept: kept.map(({ what, why, until }) => ({ what, why, until: until?.toISOString() ?? null })),
      horizons: HORIZONS,
    };
    const isHeld = kept.some(({ why }) => why === 'legal_hold');
    await this.erasures.finish(id, { receipt: this.signer.sign(content), finishedAt, isHeld });
  }
}
