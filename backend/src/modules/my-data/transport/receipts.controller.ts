import { Controller, Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { receiptIdSchema } from '@thaw/contract/my-data';
import { DomainError } from '../../../platform/errors/domain.errors';
import { ApiProblems } from '../../../platform/http/api-problems.decorator';
import { ReceiptsService } from '../application/receipts.service';
import { ReceiptDto, ReceiptKeysDto } from './my-data.dto';

/** Reading the receipt of an erasure needs no login: its id is random, and only the erased user has received it. */
@ApiTags('my data')
@Controller('receipts')
export class ReceiptsController {
  constructor(private readonly receipts: ReceiptsService) {}

  @Get('keys')
  @ApiOkResponse({ type: ReceiptKeysDto, description: 'JWK set with the key that signs receipts' })
  listKeys(): ReceiptKeysDto {
    return this.receipts.listKeys();
  }

  @Get(':receiptId')
  @ApiOkResponse({ type: ReceiptDto })
  @ApiProblems('not_found')
  get(@Param('receiptId') receiptId: string): Promise<ReceiptDto> {
    if (!receiptIdSchema.safeParse(receiptId).success) throw new DomainError('not_found');
    return this.receipts.get(receiptId);
  }
}
