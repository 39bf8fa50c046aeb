import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import { Module, ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { WsAdapter } from '@nestjs/platform-ws';
import { MessageBody, SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { IsIn, IsInt, IsString, Matches, MaxLength } from 'class-validator';

// Baseline of P3, the CPU of a command: Nest as its documentation sets it up, with WsAdapter, a DTO and ValidationPipe.
// The frames of WsAdapter have no `ref`, so clients send the ref as a part of `data`. WsAdapter sends the object that a
// method returns.

class ReactionDto {
  @IsString()
  @MaxLength(64)
  sessionId!: string;

  @Matches(/^\d{1,16}-\d{1,10}$/)
  messageId!: string;

  @IsString()
  @MaxLength(16)
  emoji!: string;

  @IsIn(['add', 'remove'])
  action!: string;

  @IsInt()
  userId!: number;

  @IsString()
  @MaxLength(64)
  ref!: string;
}

@WebSocketGateway({ path: '/ws', perMessageDeflate: false })
class ReactionGateway {
  @SubscribeMessage('message_reaction')
  async react(@MessageBody(new ValidationPipe({ whitelist: true })) { ref }: ReactionDto): Promise<object> {
    // Has the shape of the ack that Thaw sends.
    return { event: 'ack', data: { seq: 2, reactions: {} }, ref };
  }
}

@Module({ providers: [ReactionGateway] })
class StockModule {}

const start = async (): Promise<void> => {
  const app = await NestFactory.create(StockModule, { logger: false });
  app.useWebSocketAdapter(new WsAdapter(app));
  await app.listen(0, '127.0.0.1');
  process.send?.({ port: (app.getHttpServer() as { address(): AddressInfo }).address().port });
};

void start();
