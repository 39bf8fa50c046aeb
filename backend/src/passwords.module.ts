import { type DynamicModule, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { Environment } from './config/environment.config';
import { EnvironmentModule } from './config/environment.module';
import { PasswordResetService } from './modules/auth/application/password-reset.service';
import { CredentialsEntity } from './modules/auth/infrastructure/credentials.entity';
import { CredentialsRepository } from './modules/auth/infrastructure/credentials.repository';
import { PasswordHasherService } from './modules/auth/infrastructure/password-hasher.service';
import { SessionEntity } from './modules/auth/infrastructure/session.entity';
import { SessionRepository } from './modules/auth/infrastructure/session.repository';
import { UsersReadModelModule } from './modules/users/users-read-model.module';
import { DatabaseModule } from './platform/database/database.module';
import { EventStoreModule } from './platform/event-store/event-store.module';
import { UserPublisherModule } from './platform/realtime/user-publisher.module';
import { OperatorRedisModule } from './platform/redis/redis.module';

/** All modules of the command (main.passwords.ts) with which an operator gives a user a new password. */
@Module({
  imports: [
    DatabaseModule.forOperator(),
    OperatorRedisModule,
    EventStoreModule,
    UserPublisherModule,
    UsersReadModelModule,
    TypeOrmModule.forFeature([CredentialsEntity, SessionEntity]),
  ],
  providers: [PasswordResetService, CredentialsRepository, SessionRepository, PasswordHasherService],
})
export class PasswordsModule {
  static forRoot(environment: Environment): DynamicModule {
    return { module: PasswordsModule, imports: [EnvironmentModule.forRoot(environment)] };
  }
}
