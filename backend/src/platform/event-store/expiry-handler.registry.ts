import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { DroppedData } from './personal-data.repository';
import type { NewEvent } from './stored-event.types';

/**
 * Reacts to expired personal data, in the transaction that drops it.
 * @returns the events that record the expiry in the stream.
 */
export type ExpiryHandler = (
  streamId: string,
  dropped: readonly DroppedData[],
  now: Date,
  manager: EntityManager,
) => Promise<readonly NewEvent[]>;

/** The handlers of expired personal data, by the type of the stream: the part of its id before the first dash. */
@Injectable()
export class ExpiryHandlerRegistry {
  private readonly handlers = new Map<string, ExpiryHandler>();

  /** @throws Error when streams of this type have a handler already. */
  register(streamType: string, handler: ExpiryHandler): void {
    if (this.handlers.has(streamType))
      throw new Error(`Streams of type ${streamType} have two expiry handlers`);
    this.handlers.set(streamType, handler);
  }

  find(streamId: string): ExpiryHandler | undefined {
    return this.handlers.get(streamId.slice(0, streamId.indexOf('-')));
  }
}
