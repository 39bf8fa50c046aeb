import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import { Module, ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { WsAdapter } from '@nestjs/platform-ws';
import { MessageBody, SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { IsIn, IsInt, IsString, Matches, MaxLength } from 'class-validator';

// Baseline of the figure P3 (CPU of a command): stock Nest, set up as in its documentation, with WsAdapter, a DTO and
// ValidationPipe. WsAdapter passes only the `data` of a frame to the method, so the clients of this baseline send the
// `ref` both beside `data`, as in Thaw, and in it. The ack has its `ref` beside `data`.

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
    // WsAdapter sends this object unchanged. `data` has the shape of the ack that Thaw sends.
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
