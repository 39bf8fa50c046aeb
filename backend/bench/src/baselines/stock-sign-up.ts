import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import { Body, Controller, Module, Post, Req, ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { IsOptional, IsString, MaxLength } from 'class-validator';
import type { Request } from 'express';
import session from 'express-session';
import passport from 'passport';
import { Column, DataSource, Entity, PrimaryColumn, PrimaryGeneratedColumn, Repository } from 'typeorm';

// Baseline of figure P14 of the benchmark, the CPU of a sign-up: the anonymous sign-up with stock Nest, Passport,
// express-session and TypeORM, set up as in their documentation. The body is validated. The user and the session are
// entities, both stored with `save`.

@Entity()
class User {
  @PrimaryGeneratedColumn()
  id!: number;

  @Column({ type: 'text' })
  username!: string;

  @Column({ type: 'text', nullable: true })
  gender!: string | null;

  @Column({ type: 'timestamptz' })
  createdAt!: Date;
}

@Entity()
class Session {
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ type: 'jsonb' })
  data!: object;

  @Column({ type: 'timestamptz' })
  expiresAt!: Date;
}

const WEEK_MS = 7 * 24 * 3_600_000;

class TypeOrmSessionStore extends session.Store {
  constructor(private readonly sessions: Repository<Session>) {
    super();
  }

  get(id: string, callback: (error: unknown, data?: session.SessionData | null) => void): void {
    this.sessions.findOneBy({ id }).then(
      (found) => callback(null, (found?.data as session.SessionData | undefined) ?? null),
      (error: unknown) => callback(error),
    );
  }

  set(id: string, data: session.SessionData, callback?: (error?: unknown) => void): void {
    this.sessions.save({ id, data, expiresAt: new Date(Date.now() + WEEK_MS) }).then(
      () => callback?.(),
      (error: unknown) => callback?.(error),
    );
  }

  destroy(id: string, callback?: (error?: unknown) => void): void {
    this.sessions.delete({ id }).then(
      () => callback?.(),
      (error: unknown) => callback?.(error),
    );
  }
}

class SignUpDto {
  @IsOptional()
  @IsString()
  @MaxLength(30)
  username?: string;
}

@Controller('api')
class SignUpController {
  constructor(@InjectRepository(User) private readonly users: Repository<User>) {}

  @Post('anonymous')
  async signUp(
    @Body(new ValidationPipe({ whitelist: true })) body: SignUpDto,
    @Req() request: Request,
  ): Promise<object> {
    const username = body.username ?? `Guest ${Math.floor(Math.random() * 10_000)}`;
    const user = await this.users.save({ username, gender: null, createdAt: new Date() });
    await new Promise<void>((resolve, reject) =>
      // Thaw's declaration of `Express.User` requires a `familyId`, which this baseline does not use.
      request.login({ userId: user.id, familyId: '' }, (error?: Error) =>
        error ? reject(error) : resolve(),
      ),
    );
    return { user };
  }
}

@Module({
  imports: [
    TypeOrmModule.forRoot({
      type: 'postgres',
      url: process.env.DATABASE_URL,
      entities: [User, Session],
      synchronize: true,
    }),
    TypeOrmModule.forFeature([User, Session]),
  ],
  controllers: [SignUpController],
})
class SignUpModule {}

const start = async (): Promise<void> => {
  const app = await NestFactory.create(SignUpModule, { logger: false });
  const store = new TypeOrmSessionStore(app.get(DataSource).getRepository(Session));
  app.use(
    session({ secret: 'bench', resave: false, saveUninitialized: false, store, cookie: { maxAge: WEEK_MS } }),
  );
  app.use(passport.initialize());
  app.use(passport.session());
  passport.serializeUser(({ userId }, done) => done(null, userId));
  passport.deserializeUser((userId: number, done) => done(null, { userId, familyId: '' }));
  await app.listen(0, '127.0.0.1');
  process.send?.({ port: (app.getHttpServer() as { address(): AddressInfo }).address().port });
};

void start();
