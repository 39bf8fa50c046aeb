import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigintAsNumber } from '../../../platform/database/bigint-column.mapper';

/** Read model: one row per chat. */
@Entity('chat_history')
export class ChatHistoryEntity {
  /** Global position of the ChatStarted event. */
  @PrimaryColumn({ type: 'bigint', transformer: bigintAsNumber })
  id: number;

  @Column({ name: 'stream_id', type: 'text' })
  streamId: string;

  @Column({ name: 'user1_id', type: 'bigint', transformer: bigintAsNumber })
  user1Id: number;

  @Column({ name: 'user2_id', type: 'bigint', transformer: bigintAsNumber })
  user2Id: number;

  /** Start of the chat. */
  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;

  /** Null until a worker has persisted the end of the chat. */
  @Column({ name: 'ended_at', type: 'timestamptz', nullable: true })
  endedAt: Date | null;
}
