import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ERASURE_CONFIRMATION,
  type Erased,
  type ErasureAccepted,
  type Horizons,
  type Kept,
  type Receipt,
  type ReceiptContent,
  type ReceiptKey,
  type ReceiptKeys,
  type Remaining,
  type RequestErasure,
  requestErasureSchema,
} from '@thaw/contract/my-data';
import { MatchesSchema } from '../../../platform/http/matches-schema.decorator';
import { assertType, type SameShape } from '../../../platform/http/same-shape.types';

export class RequestErasureDto implements RequestErasure {
  @ApiPropertyOptional({ description: 'Required for registered users' })
  @MatchesSchema(requestErasureSchema.shape.currentPassword)
  currentPassword?: string;

  @ApiPropertyOptional({ enum: [ERASURE_CONFIRMATION], description: 'Required for anonymous users' })
  @MatchesSchema(requestErasureSchema.shape.confirm)
  confirm?: typeof ERASURE_CONFIRMATION;
}
assertType<SameShape<RequestErasureDto, RequestErasure>>();

export class ErasureAcceptedDto implements ErasureAccepted {
  @ApiProperty({ description: 'Id for GET /api/receipts/{receiptId}' })
  receiptId: string;
}
assertType<SameShape<ErasureAcceptedDto, ErasureAccepted>>();

/** Number of erased items, by kind. `personalFields` counts the user's data in stored events. */
export class ErasedDto implements Erased {
  @ApiProperty({ type: 'integer' })
  personalFields: number;

  @ApiProperty({ type: 'integer' })
  randomChats: number;

  @ApiProperty({ type: 'integer' })
  privateMessages: number;

  @ApiProperty({ type: 'integer' })
  images: number;

  @ApiProperty({ type: 'integer' })
  friendships: number;

  @ApiProperty({ type: 'integer', description: 'Friend requests' })
  requests: number;

  @ApiProperty({ type: 'integer' })
  blocks: number;

  @ApiProperty({ type: 'integer' })
  sessions: number;

  @ApiProperty({ type: 'integer' })
  redisKeys: number;
}
assertType<SameShape<ErasedDto, Erased>>();

/** Data that an erasure does not remove yet, and the reason. */
export class KeptDto implements Kept {
  @ApiProperty({ description: 'A description for the user' })
  what: string;

  @ApiProperty({ enum: ['open_case', 'appeal_window', 'legal_hold', 'sanction'] })
  why: Kept['why'];

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the data expires; null while this is not known',
  })
  until: string | null;
}
assertType<SameShape<KeptDto, Kept>>();

/** How long copies of the erased data remain in places that the erasure cannot change, such as backups. */
export class HorizonsDto implements Horizons {
  @ApiProperty()
  backupsDays: number;

  @ApiProperty()
  browserCachesHours: number;

  @ApiProperty()
  appendOnlyFileMinutes: number;

  @ApiProperty()
  logsDays: number;
}
assertType<SameShape<HorizonsDto, Horizons>>();

export class ReceiptContentDto implements ReceiptContent {
  @ApiProperty({ enum: [1], description: 'Version of the format' })
  v: 1;

  @ApiProperty()
  receiptId: string;

  @ApiProperty({ type: 'integer', minimum: 1 })
  userId: number;

  @ApiProperty({
    enum: ['asked', 'inactive', 'operator'],
    description:
      'Requested by the user, after inactivity of an anonymous user, or by an operator of the service',
  })
  reason: ReceiptContent['reason'];

  @ApiProperty({ format: 'date-time' })
  requestedAt: string;

  @ApiProperty({ format: 'date-time' })
  finishedAt: string;

  @ApiProperty({ type: ErasedDto })
  erased: ErasedDto;

  @ApiProperty({ type: [KeptDto] })
  kept: KeptDto[];

  @ApiProperty({ type: HorizonsDto })
  horizons: HorizonsDto;
}
assertType<SameShape<ReceiptContentDto, ReceiptContent>>();

/** Number of items that are still stored about the user, counted for each response. */
export class RemainingDto implements Remaining {
  @ApiProperty({ type: 'integer' })
  personalFields: number;

  @ApiProperty({ type: 'integer' })
  uploads: number;

  @ApiProperty({ type: 'integer' })
  sessions: number;

  @ApiProperty({ type: 'integer' })
  credentials: number;

  @ApiProperty({ type: 'integer' })
  devices: number;

  @ApiProperty({ type: 'integer' })
  total: number;
}
assertType<SameShape<RemainingDto, Remaining>>();

/** The state of an erasure. `receipt` is the signed proof that it has finished; `content` is the signed payload. */
export class ReceiptDto implements Receipt {
  @ApiProperty({ enum: ['running', 'done'] })
  state: Receipt['state'];

  @ApiProperty({ format: 'date-time' })
  requestedAt: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'JWS in compact serialisation, EdDSA; null while the erasure runs',
  })
  receipt: string | null;

  @ApiProperty({ type: ReceiptContentDto, nullable: true, description: 'The payload that `receipt` signs' })
  content: ReceiptContentDto | null;

  @ApiProperty({ type: RemainingDto })
  remaining: RemainingDto;
}
assertType<SameShape<ReceiptDto, Receipt>>();

/** A public key as JWK (RFC 8037). */
export class ReceiptKeyDto implements ReceiptKey {
  @ApiProperty({ enum: ['OKP'] })
  kty: 'OKP';

  @ApiProperty({ enum: ['Ed25519'] })
  crv: 'Ed25519';

  @ApiProperty({ description: 'The public key in base64url' })
  x: string;

  @ApiProperty({ description: 'Id of the key, which the header of a receipt quotes' })
  kid: string;

  @ApiProperty({ enum: ['sig'] })
  use: 'sig';

  @ApiProperty({ enum: ['EdDSA'] })
  alg: 'EdDSA';
}
assertType<SameShape<ReceiptKeyDto, ReceiptKey>>();

export class ReceiptKeysDto implements ReceiptKeys {
  @ApiProperty({ type: [ReceiptKeyDto] })
  keys: ReceiptKeyDto[];
}
assertType<SameShape<ReceiptKeysDto, ReceiptKeys>>();
